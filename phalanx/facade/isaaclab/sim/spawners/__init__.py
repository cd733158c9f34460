"""What puts things on the stage, and how: shapes, meshes, files, lights, cameras and materials.

Each configuration has a function: ``cfg.func(prim_path, cfg, translation=(x, y, z), orientation=(w, x, y, z))``.
"""

from phalanx.facade.isaaclab.sim.spawners import from_files, lights, materials, meshes, sensors, shapes, wrappers
from phalanx.facade.isaaclab.sim.spawners.from_files import *  # noqa: F403
from phalanx.facade.isaaclab.sim.spawners.lights import *  # noqa: F403
from phalanx.facade.isaaclab.sim.spawners.materials import *  # noqa: F403
from phalanx.facade.isaaclab.sim.spawners.meshes import *  # noqa: F403
from phalanx.facade.isaaclab.sim.spawners.sensors import *  # noqa: F403
from phalanx.facade.isaaclab.sim.spawners.shapes import *  # noqa: F403
from phalanx.facade.isaaclab.sim.spawners.spawner_cfg import (
    DeformableObjectSpawnerCfg,
    RigidObjectSpawnerCfg,
    SpawnerCfg,
)
from phalanx.facade.isaaclab.sim.spawners.wrappers import *  # noqa: F403

__all__ = ["DeformableObjectSpawnerCfg", "RigidObjectSpawnerCfg", "SpawnerCfg"]
__all__ += from_files.__all__
__all__ += lights.__all__
__all__ += materials.__all__
__all__ += meshes.__all__
__all__ += sensors.__all__
__all__ += shapes.__all__
__all__ += wrappers.__all__
