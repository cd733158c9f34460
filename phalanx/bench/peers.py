"""Which other engines can run the scenes here, and how to come by those that are missing."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

from phalanx.bench.build import Setup
from phalanx.bench.measure import Run

Peer = Callable[[Setup, int, int], Run]
"""Called with a scene's setup, the number of stretches and the number of repetitions."""


class PeerMissing(ImportError):
    """A peer was asked for, but is not installed; the message says how it is."""


def peer_for(device: str) -> tuple[str, Peer]:
    """The engine to compare with on a device: MuJoCo's C engine on a CPU, MuJoCo Warp on a GPU.

    Raises:
        PeerMissing: it is not installed.
    """
    if device == "cpu":
        _need("mujoco.rollout", ("mujoco",), "pip install 'mujoco>=4'")
        from phalanx.bench import mujoco_peer

        return mujoco_peer.NAME, mujoco_peer.measure
    _need("MuJoCo Warp", ("mujoco", "warp", "mujoco_warp"), "pip install 'mujoco-warp>=4' warp-lang")
    from phalanx.bench import warp_peer

    return warp_peer.NAME, warp_peer.measure


def _need(name: str, modules: tuple[str, ...], remedy: str) -> None:
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        raise PeerMissing(f"--peers needs {name} here, and {' and '.join(missing)} is not installed: {remedy}")
