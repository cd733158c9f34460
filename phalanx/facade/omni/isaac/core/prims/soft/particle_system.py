"""The older name of ``isaacsim.core.prims.SingleParticleSystem``."""

from phalanx.facade.isaacsim.core.prims.single_particle_system import SingleParticleSystem as ParticleSystem

__all__ = ["ParticleSystem"]
