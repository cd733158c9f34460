"""Arms by views: gains, targets of positions and velocities, efforts, and a script of an older version.

    phalanx exec examples/isaacsim/articulation_controller.py

The names are those of omni.isaac.core, which were the ones before Isaac Sim 4.5.
"""

from omni.isaac.kit import SimulationApp

simulation_app = SimulationApp({"headless": True})

import tempfile  # noqa: E402

import numpy as np  # noqa: E402
from isaaclab.sim.converters import UrdfConverter, UrdfConverterCfg  # noqa: E402
from omni.isaac.core import World  # noqa: E402
from omni.isaac.core.articulations import ArticulationView  # noqa: E402
from omni.isaac.core.utils.stage import add_reference_to_stage  # noqa: E402
from omni.isaac.core.utils.types import ArticulationActions  # noqa: E402

PENDULUM = """<robot name="pendulum">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>"""

folder = tempfile.mkdtemp()
with open(f"{folder}/pendulum.urdf", "w") as file:
    file.write(PENDULUM)
gains = UrdfConverterCfg.JointDriveCfg.PDGainsCfg(stiffness=0.0, damping=0.0)
cfg = UrdfConverterCfg(
    asset_path=f"{folder}/pendulum.urdf",
    usd_dir=folder,
    fix_base=True,
    joint_drive=UrdfConverterCfg.JointDriveCfg(gains=gains),
)
usd = UrdfConverter(cfg).usd_path

world = World(stage_units_in_meters=1.0, physics_dt=1.0 / 240.0)
for i in range(3):
    add_reference_to_stage(usd, f"/World/Pendulum_{i}")
view = world.scene.add(ArticulationView("/World/Pendulum_.*", "pendulums", positions=np.eye(3) * 2.0))
world.reset()
view.set_gains(kps=np.array([[400.0]] * 3), kds=np.array([[40.0]] * 3))
view.switch_control_mode("effort", indices=[2])
for _ in range(480):
    view.apply_action(ArticulationActions(joint_positions=np.array([[0.0], [0.5]])), indices=[0, 1])
    # gravity holds it at an angle: m g l sin(angle) is the effort
    view.set_joint_efforts(np.array([[9.81 * 0.5 * np.sin(0.3)]]) - 2.0 * view.get_joint_velocities(indices=[2]), [2])
    world.step(render=False)
print("Angles:", " ".join(f"{float(angle):.3f}" for angle in np.abs(view.get_joint_positions()[:, 0])))
print("Gains:", view.get_gains()[0].ravel().tolist(), view.get_gains()[1].ravel().tolist())
simulation_app.close()
