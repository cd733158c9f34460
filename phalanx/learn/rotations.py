"""Rotations of vectors by quaternions (w, x, y, z), in torch."""

from __future__ import annotations

import torch


def rotate(quaternion: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """(..., 3): vectors turned by unit quaternions (..., 4)."""
    w, v = quaternion[..., :1], quaternion[..., 1:]
    twice = 2.0 * torch.linalg.cross(v, vector)
    return vector + w * twice + torch.linalg.cross(v, twice)


def rotate_back(quaternion: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """(..., 3): vectors of the world in the axes of frames with these orientations."""
    w, v = quaternion[..., :1], quaternion[..., 1:]
    twice = 2.0 * torch.linalg.cross(v, vector)
    return vector - w * twice + torch.linalg.cross(v, twice)


def yaw_of(quaternion: torch.Tensor) -> torch.Tensor:
    """(...): heading of the x axis about the world's z axis, rad."""
    w, x, y, z = quaternion.unbind(-1)
    return torch.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def from_yaw(angle: torch.Tensor) -> torch.Tensor:
    """(..., 4): turns about z."""
    zero = torch.zeros_like(angle)
    return torch.stack((torch.cos(0.5 * angle), zero, zero, torch.sin(0.5 * angle)), dim=-1)
