"""What scripts import as ``omni.physx.scripts``: functions that write physics on a stage.

Nothing is simulated by them: the stage is read when the simulation is reset.
"""

from phalanx.facade.omni.physx.scripts import deformableUtils, particleUtils, physicsUtils, utils

__all__ = ["deformableUtils", "particleUtils", "physicsUtils", "utils"]
