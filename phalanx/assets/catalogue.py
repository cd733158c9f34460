"""Which stand-ins there are: their names, the files that they are written to, and what they are made from."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from phalanx.assets import (
    arms,
    carters,
    classic,
    descriptions,
    dressing,
    drones,
    hands,
    legged,
    networks,
    props,
    scenery,
    simple_arm,
    soft,
    suction,
    wheeled,
)
from phalanx.assets.articulation_roots import root_at_default_prim
from phalanx.assets.classic import Turns
from phalanx.assets.descriptions import Description
from phalanx.assets.places import ISAAC, LAB
from phalanx.io.formats.usd.bindings import Stage
from phalanx.models.robot_model import RobotModel, Shape

Made = RobotModel | list[Shape]
"""What a USD file is written from: a robot or object; or shapes that do not move."""

DATA = "the description in example-robot-data, "


@dataclass(frozen=True)
class StandIn:
    """One stand-in.

    Attributes:
        name: what users call it.
        files: where it goes, below the folder of assets.
        origin: what it is made from, in words.
        make: makes it; for files that are no USD files it writes one.
        turns: ball joints of it that are to turn about some axes.
        description: the description that it is made from, if it is.
        dress: adds to the stage what a model cannot tell.
    """

    name: str
    files: tuple[str, ...]
    origin: str
    make: Callable[[], Made] | None = None
    write: Callable[[Path], None] | None = None
    turns: tuple[Turns, ...] = ()
    description: Description | None = None
    dress: Callable[[Stage], None] | None = None


def _written(
    name: str,
    file: str | tuple[str, ...],
    make: Callable[[], Made],
    turns: Iterable[Turns] = (),
    dress: Callable[[Stage], None] | None = None,
) -> StandIn:
    files = (file,) if isinstance(file, str) else file
    first = (make.__doc__ or "").strip().split("\n")[0].rstrip(".")
    origin = f"published figures and simple shapes ({first})"
    return StandIn(name, files, origin, make, turns=tuple(turns), dress=dress)


def _described(
    name: str,
    file: str | tuple[str, ...],
    description: Description,
    but: str = "",
    dress: Callable[[Stage], None] | None = None,
) -> StandIn:
    files = (file,) if isinstance(file, str) else file
    origin = DATA + description.path.split("/")[0] + (f", {but}" if but else "")
    return StandIn(name, files, origin, description.model, description=description, dress=dress)


_ROBOTS, _OTHERS = f"{LAB}/Robots", f"{ISAAC}/Robots"
_BLOCKS = f"{ISAAC}/Props/Blocks"

STAND_INS: tuple[StandIn, ...] = (
    _written("cartpole", f"{_ROBOTS}/Classic/Cartpole/cartpole.usd", classic.cartpole),
    _written(
        "cart-double-pendulum",
        f"{_ROBOTS}/Classic/CartDoublePendulum/cart_double_pendulum.usd",
        classic.cart_double_pendulum,
    ),
    _written(
        "ant",
        (f"{_OTHERS}/IsaacSim/Ant/ant_instanceable.usd", f"{_OTHERS}/IsaacSim/Ant/ant.usd"),
        classic.ant,
    ),
    _written(
        "humanoid",
        f"{_OTHERS}/IsaacSim/Humanoid/humanoid_instanceable.usd",
        classic.humanoid,
        classic.HUMANOID_TURNS,
    ),
    _described("anymal-b", f"{_ROBOTS}/ANYbotics/ANYmal-B/anymal_b.usd", descriptions.ANYMAL_B),
    _described(
        "anymal-c",
        (f"{_ROBOTS}/ANYbotics/ANYmal-C/anymal_c.usd", f"{_OTHERS}/ANYbotics/anymal_c/anymal_c.usd"),
        descriptions.ANYMAL_C,
        dress=dressing.add_lidar_cage,
    ),
    _described(
        "anymal-d",
        (f"{_ROBOTS}/ANYbotics/ANYmal-D/anymal_d.usd", f"{_ROBOTS}/ANYbotics/ANYmal-D/anymal_d_minimal.usd"),
        descriptions.ANYMAL_C,
        "which is ANYmal C",
    ),
    _described("a1", f"{_ROBOTS}/Unitree/A1/a1.usd", descriptions.A1),
    _described("go1", f"{_ROBOTS}/Unitree/Go1/go1.usd", descriptions.GO1),
    _described("go2", f"{_ROBOTS}/Unitree/Go2/go2.usd", descriptions.GO2),
    _described("g1", f"{_ROBOTS}/Unitree/G1/g1.usd", descriptions.G1),
    _described("g1-minimal", f"{_ROBOTS}/Unitree/G1/g1_minimal.usd", descriptions.G1_MINIMAL),
    _described("g1-29dof", f"{_OTHERS}/Unitree/G1/g1.usd", descriptions.G1_29),
    _written("h1", (f"{_ROBOTS}/Unitree/H1/h1.usd", f"{_OTHERS}/Unitree/H1/h1.usd"), legged.h1),
    _written("h1-minimal", f"{_ROBOTS}/Unitree/H1/h1_minimal.usd", legged.h1_minimal),
    _written("cassie", f"{_ROBOTS}/Agility/Cassie/cassie.usd", legged.cassie),
    _written("spot", f"{_OTHERS}/BostonDynamics/spot/spot.usd", legged.spot),
    _described("franka", f"{_ROBOTS}/FrankaEmika/panda_instanceable.usd", descriptions.PANDA),
    _described("ur10", f"{_ROBOTS}/UniversalRobots/UR10/ur10_instanceable.usd", descriptions.UR10),
    _described(
        "franka-sim",
        (
            f"{_OTHERS}/FrankaRobotics/FrankaPanda/franka.usd",
            f"{_OTHERS}/Franka/franka.usd",
            f"{_OTHERS}/Franka/franka_alt_fingers.usd",
        ),
        descriptions.PANDA_SIM,
        dress=root_at_default_prim,
    ),
    _described(
        "ur10-sim",
        (f"{_OTHERS}/UniversalRobots/ur10/ur10.usd", f"{_OTHERS}/UR10/ur10.usd"),
        descriptions.UR10_SIM,
        dress=suction.add_short_suction,
    ),
    _written("jaco-7", f"{_OTHERS}/Kinova/Jaco2/J2N7S300/j2n7s300_instanceable.usd", arms.jaco_7),
    _written("jaco-6", f"{_OTHERS}/Kinova/Jaco2/J2N6S300/j2n6s300_instanceable.usd", arms.jaco_6),
    _written("gen3", f"{_OTHERS}/Kinova/Gen3/gen3n7_instanceable.usd", arms.gen3),
    _written("sawyer", f"{_OTHERS}/RethinkRobotics/Sawyer/sawyer_instanceable.usd", arms.sawyer),
    _written("dofbot", f"{_OTHERS}/Yahboom/Dofbot/dofbot.usd", arms.dofbot),
    _written(
        "gantry",
        f"{LAB}/Tests/PickAndPlace/pick_and_place_robot.usd",
        arms.gantry,
        dress=suction.add_gantry_suction,
    ),
    _written("jetbot", (f"{_OTHERS}/NVIDIA/Jetbot/jetbot.usd", f"{_OTHERS}/Jetbot/jetbot.usd"), wheeled.jetbot),
    _written(
        "kaya",
        (f"{_OTHERS}/NVIDIA/Kaya/kaya.usd", f"{_OTHERS}/Kaya/kaya.usd"),
        wheeled.kaya,
        dress=wheeled.mark_kaya,
    ),
    _written("nova-carter", f"{_OTHERS}/NVIDIA/NovaCarter/nova_carter.usd", carters.nova_carter),
    _written(
        "carter-v1",
        (f"{_OTHERS}/NVIDIA/Carter/carter_v1.usd", f"{_OTHERS}/NVIDIA/Carter/carter_v1_physx_lidar.usd"),
        carters.carter_v1,
    ),
    _written(
        "simple-arm",
        f"{_OTHERS}/IsaacSim/SimpleArticulation/simple_articulation.usd",
        simple_arm.simple_arm,
        dress=simple_arm.place_joints,
    ),
    _written(
        "revolute-arm",
        f"{_OTHERS}/IsaacSim/SimpleArticulation/revolute_articulation.usd",
        simple_arm.revolute_arm,
    ),
    _described(
        "allegro-hand",
        (
            f"{_OTHERS}/WonikRobotics/AllegroHand/allegro_hand_instanceable.usd",
            f"{_OTHERS}/AllegroHand/allegro_hand_instanceable.usd",
        ),
        descriptions.ALLEGRO,
        dress=dressing.name_visuals_of_hand,
    ),
    _written(
        "shadow-hand",
        (
            f"{_OTHERS}/ShadowRobot/ShadowHand/shadow_hand_instanceable.usd",
            f"{_OTHERS}/ShadowHand/shadow_hand_instanceable.usd",
        ),
        hands.shadow_hand,
    ),
    _written(
        "crazyflie",
        (f"{_OTHERS}/Bitcraze/Crazyflie/cf2x.usd", f"{_OTHERS}/Crazyflie/cf2x.usd"),
        drones.crazyflie,
    ),
    _written("arl-robot-1", f"{_OTHERS}/NTNU/ARL-Robot-1/arl_robot_1.usd", drones.arl_robot),
    *(
        _written(f"{c}-block", f"{_BLOCKS}/{c}_block.usd", lambda c=c: props.block(c))
        for c in ("red", "green", "blue", "yellow")
    ),
    _written("basic-block", f"{_BLOCKS}/basic_block.usd", props.basic_block, dress=dressing.put_below_root),
    _written("dex-cube", f"{_BLOCKS}/DexCube/dex_cube_instanceable.usd", props.dex_cube, dress=dressing.fill_evenly),
    _written("table", f"{ISAAC}/Props/Mounts/SeattleLabTable/table_instanceable.usd", props.table),
    _written("packing-table", f"{ISAAC}/Props/PackingTable/packing_table.usd", props.packing_table),
    _written("stand", f"{ISAAC}/Props/Mounts/Stand/stand_instanceable.usd", props.stand),
    _written(
        "cabinet",
        f"{ISAAC}/Props/Sektion_Cabinet/sektion_cabinet_instanceable.usd",
        props.cabinet,
        dress=root_at_default_prim,
    ),
    _written("mug", f"{LAB}/Objects/Mug/mug.usd", props.mug),
    _written("box", f"{LAB}/Objects/Box/box.usd", props.open_box),
    _written("toy-truck", f"{LAB}/Objects/ToyTruck/toy_truck.usd", props.toy_truck),
    StandIn(
        "teddy-bear",
        (f"{LAB}/Objects/Teddy_Bear/teddy_bear.usd",),
        "a bear of this package, 0.24 m long",
        write=soft.write_teddy_bear,
    ),
    *(
        _written(name, f"{ISAAC}/Props/YCB/Axis_Aligned_Physics/{file}.usd", make)
        for name, file, make in (
            ("cracker-box", "003_cracker_box", scenery.cracker_box),
            ("sugar-box", "004_sugar_box", scenery.sugar_box),
            ("soup-can", "005_tomato_soup_can", scenery.soup_can),
            ("mustard-bottle", "006_mustard_bottle", scenery.mustard_bottle),
        )
    ),
    _written("load-carrier", f"{ISAAC}/Props/KLT_Bin/small_KLT.usd", scenery.load_carrier),
    _written("thorlabs-table", f"{ISAAC}/Props/Mounts/ThorlabsTable/table_instanceable.usd", scenery.thorlabs_table),
    _written("rough-plane", f"{ISAAC}/Environments/Terrains/rough_plane.usd", scenery.rough_plane),
    _written("warehouse", f"{ISAAC}/Environments/Simple_Warehouse/warehouse.usd", scenery.warehouse),
    _written("hospital", f"{ISAAC}/Environments/Hospital/hospital.usd", scenery.hospital),
    *(
        StandIn(name, (f"{ISAAC}/Props/UIElements/{file}.usd",), "the markers of this package", write=write)
        for name, file, write in (
            ("frame-marker", "frame_prim", scenery.write_frame),
            ("arrow-marker", "arrow_x", scenery.write_arrow),
        )
    ),
    StandIn(
        "anydrive-network",
        (f"{LAB}/ActuatorNets/ANYbotics/anydrive_3_lstm_jit.pt",),
        "a plain controller with the published network's gains, 86 Nm/rad and 5 Nms/rad",
        write=networks.write_lstm,
    ),
    StandIn(
        "go1-network",
        (f"{LAB}/ActuatorNets/Unitree/unitree_go1.pt",),
        "a plain controller with the gains at which the robot was recorded",
        write=networks.write_mlp,
    ),
    StandIn(
        "anymal-c-policy",
        (f"{LAB}/Policies/ANYmal-C/Blind/policy.pt", f"{LAB}/Policies/ANYmal-C/HeightScan/policy.pt"),
        "no policy: it asks for the default pose, in which the robot stands and does not walk",
        write=networks.write_standing,
    ),
)
"""All of them."""


def chosen(names: Iterable[str]) -> list[StandIn]:
    """Stand-ins by names or patterns such as ``anymal-*``; all of them if there are none.

    Raises:
        KeyError: a name or pattern is none of them; the message says which there are.
    """
    wanted = [name.lower().replace("_", "-") for name in names]
    for name in wanted:
        if not any(fnmatch.fnmatch(one.name, name) for one in STAND_INS):
            raise KeyError(f"there is no stand-in {name!r}; there are {', '.join(one.name for one in STAND_INS)}")
    return [one for one in STAND_INS if not wanted or any(fnmatch.fnmatch(one.name, name) for name in wanted)]


def standing_in_for(file: str) -> StandIn | None:
    """The stand-in for a file below the folder of assets; ``None`` if there is none."""
    return next((one for one in STAND_INS if file in one.files), None)
