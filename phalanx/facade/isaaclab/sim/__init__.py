"""What scripts import as ``isaaclab.sim``. docs/isaaclab.md says what is there."""

from phalanx.facade.isaaclab.sim.converters import *  # noqa: F403
from phalanx.facade.isaaclab.sim.schemas import *  # noqa: F403
from phalanx.facade.isaaclab.sim.simulation_cfg import PhysxCfg as PhysxCfg
from phalanx.facade.isaaclab.sim.simulation_cfg import RenderCfg as RenderCfg
from phalanx.facade.isaaclab.sim.simulation_cfg import SimulationCfg as SimulationCfg
from phalanx.facade.isaaclab.sim.simulation_context import SimulationContext as SimulationContext
from phalanx.facade.isaaclab.sim.simulation_context import build_simulation_context as build_simulation_context
from phalanx.facade.isaaclab.sim.spawners import *  # noqa: F403
from phalanx.facade.isaaclab.sim.spawners import from_files as from_files
from phalanx.facade.isaaclab.sim.spawners import lights as lights
from phalanx.facade.isaaclab.sim.spawners import materials as materials
from phalanx.facade.isaaclab.sim.spawners import meshes as meshes
from phalanx.facade.isaaclab.sim.spawners import sensors as sensors
from phalanx.facade.isaaclab.sim.spawners import shapes as shapes
from phalanx.facade.isaaclab.sim.spawners import wrappers as wrappers
from phalanx.facade.isaaclab.sim.utils import *  # noqa: F403
from phalanx.facade.isaaclab.sim.views import XformPrimView as XformPrimView
