"""What older scripts import as ``omni.isaac.core``, which is ``isaacsim.core`` by the names of before.

Its parts that have other names now are below; the rest is the same packages, see :mod:`phalanx.facade.aliases`.
"""

from phalanx.facade.submodules import lazily

_NAMES = {
    "PhysicsContext": "physics_context.physics_context",
    "SimulationContext": "simulation_context.simulation_context",
    "World": "world.world",
}

__getattr__ = lazily(__name__, _NAMES)

__all__ = ["PhysicsContext", "SimulationContext", "World"]  # pyright: ignore[reportUnsupportedDunderAll]
