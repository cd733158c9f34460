"""What scripts import as ``isaacsim.core.api``: the world and the simulation in it."""

from phalanx.facade.submodules import lazily

_NAMES = {
    "PhysicsContext": "physics_context.physics_context",
    "SimulationContext": "simulation_context.simulation_context",
    "World": "world.world",
}

__getattr__ = lazily(__name__, _NAMES)  # views of prims need parts of this package before they are there themselves

__all__ = ["PhysicsContext", "SimulationContext", "World"]  # pyright: ignore[reportUnsupportedDunderAll]
