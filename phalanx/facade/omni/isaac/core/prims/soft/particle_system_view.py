"""The older name of ``isaacsim.core.prims.ParticleSystem``."""

from phalanx.facade.isaacsim.core.prims.particle_system import ParticleSystem as ParticleSystemView

__all__ = ["ParticleSystemView"]
