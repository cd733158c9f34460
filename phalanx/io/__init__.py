"""Robots, meshes and scenes in; trajectories and pictures out."""

from phalanx.io.model import LoadError, RobotModel

__all__ = ["LoadError", "RobotModel"]
