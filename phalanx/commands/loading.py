"""The world that ``phalanx run`` makes of a file: a robot on a ground, or a whole scene as its file has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from phalanx.commands.common import UserError

if TYPE_CHECKING:
    from phalanx.world.handles.robot import Robot
    from phalanx.world.scenes import AddedScene
    from phalanx.world.world import World

DT = 0.005
"""s, of robots whose files do not say."""

AS_DRAWN = "none"
"""Instead of a keyframe's name."""


class Wanted(Protocol):
    """What of the options says how the world is made."""

    robot: str
    num_envs: int
    dt: float | None
    device: str
    dtype: str
    base: Literal["auto", "fixed", "free"]
    ground: bool
    height: float | None
    keyframe: str | None
    fix_inertias: bool

    @property
    def shown(self) -> bool:
        """Whether pictures or recordings want what is only to be looked at."""
        ...


@dataclass
class Loaded:
    """A world that is not built yet, with what is in it.

    ``keyframe`` is set by :meth:`start`, once the world is built. ``notes`` say what was decided, ``warnings`` what is
    odd or not simulated.
    """

    world: World
    robots: list[Robot]
    scene: AddedScene | None = None
    keyframe: str | None = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def objects(self) -> list[str]:
        """Names of the rigid objects."""
        return list(self.world.objects)

    def start(self) -> None:
        """Give a scene the velocities and controls of its keyframe, too."""
        if self.scene is not None and self.keyframe is not None:
            self.world.build()
            self.scene.set_keyframe(self.keyframe)


def load(o: Wanted) -> Loaded:
    """The world that the options describe, not built yet."""
    from phalanx.io.formats import library
    from phalanx.io.formats.scene_file import SCENE_SUFFIXES

    suffix = library.resolve(o.robot).suffix.lower() if o.robot not in library.names() else ""
    return _scene(o) if suffix in SCENE_SUFFIXES else _robot(o)


def _world(o: Wanted, dt: float | None, gravity: Any = (0.0, 0.0, -9.81)) -> World:
    from phalanx.world.world import World

    return World(num_envs=o.num_envs, device=o.device, dtype=o.dtype, dt=o.dt or dt or DT, gravity=gravity)


def _robot(o: Wanted) -> Loaded:
    """A robot of a URDF file, or one that is shipped."""
    from phalanx.io.formats import library
    from phalanx.models.standing import is_arm, standing_pose

    if o.keyframe not in (None, AS_DRAWN):
        raise UserError(f"--keyframe is for MJCF and USD files; {o.robot} has none.")
    world = _world(o, DT)
    model = library.load_robot(o.robot, o.shown, fix_inertias=o.fix_inertias)
    found = Loaded(world, [], warnings=list(model.warnings))
    if o.ground:
        world.add_ground()
    fixed = o.base == "fixed" or (o.base == "auto" and bool(model.fixed_base))
    if o.base == "auto" and model.fixed_base is None and is_arm(model):
        fixed = True
        found.notes.append("start        its base is fixed, as it is an arm; --free-base undoes it")
    x, y, height = model.position or (0.0, 0.0, None)
    start: dict[str, float] | None = None
    if height is None and not fixed and (standing := standing_pose(model)) is not None:
        height, start = standing.height, standing.joint_pos
        found.notes.append(f"start        {standing}")
    if o.height is not None or height is None:
        height = _height(model) if o.height is None else o.height
    found.robots.append(
        world.add_robot(model, fixed_base=fixed, position=(x, y, height), joint_pos=start or model.joint_pos)
    )
    return found


def _height(model: Any) -> float:
    """Height of the root at which the lowest collision point touches z = 0, joints at 0 or at the nearest limit."""
    import numpy as np

    from phalanx.models.pose import lowest_point

    start = {joint.name: float(np.clip(0.0, joint.lower, joint.upper)) for joint in model.joints if not joint.mimic}
    lowest = lowest_point(model, start, (1.0, 0.0, 0.0, 0.0))
    return 0.0 if lowest is None else -lowest


def _scene(o: Wanted) -> Loaded:
    """All that an MJCF or USD file holds, with its options and keyframe."""
    from phalanx.io.formats.scene_file import SOFT, USD_SUFFIXES

    if o.base == "free":
        raise UserError(f"--free-base is for URDF files; {o.robot} says itself what is fixed.")
    is_usd = Path(o.robot).suffix.lower() in USD_SUFFIXES
    scene, models, add = _usd(o) if is_usd else _mjcf(o)
    if not models:
        raise UserError(f"{o.robot}: there is nothing in it to simulate; it has neither robots nor objects.")
    robots = [model for model in models if model.kind == "robot"]
    if o.base == "fixed":
        for one in robots:
            one.model.fixed_base = True
    if o.height is not None:
        if len(robots) != 1:
            raise UserError(f"--height is for files with one robot; {o.robot} has {len(robots)}.")
        x, y, _ = robots[0].model.position or (0.0, 0.0, 0.0)
        robots[0].model.position = (x, y, o.height)
    keyframe = _keyframe(o, scene.keyframes)
    if not o.ground:
        scene.grounds.clear()
    world = _world(o, scene.options.timestep, scene.options.gravity)
    found = Loaded(world, [], keyframe=keyframe)
    if o.ground and not scene.grounds and not any(model.kind == "static" for model in models):
        world.add_ground()
        found.notes.append("start        on a ground at height 0, as the file has none; --no-ground leaves it out")
    found.scene = made = add(world, keyframe)
    found.robots = list(made.robots.values())
    if keyframe is not None:
        found.notes.append(f"start        keyframe {keyframe!r}; --keyframe {AS_DRAWN} starts as the file draws it")
    found.warnings = [text for text in scene.warnings if SOFT not in text]
    return found


def _mjcf(o: Wanted) -> tuple[Any, list[Any], Any]:
    from phalanx.io.formats.mjcf import load_scene
    from phalanx.world.scenes import add_scene

    scene = load_scene(o.robot, (), o.shown, fix_inertias=o.fix_inertias)
    return scene, list(scene.trees.values()), lambda world, keyframe: add_scene(world, scene, "", keyframe)


def _usd(o: Wanted) -> tuple[Any, list[Any], Any]:
    from phalanx.io.formats.usd import load_scene
    from phalanx.world.usd_scenes import add_scene

    scene = load_scene(o.robot, (), o.shown, fix_inertias=o.fix_inertias)
    return scene, list(scene.actors.values()), lambda world, _: add_scene(scene, world)


def _keyframe(o: Wanted, names: list[str]) -> str | None:
    """The one that was asked for; else "home", else the first, if there are any."""
    if o.keyframe == AS_DRAWN or (o.keyframe is None and not names):
        return None
    if o.keyframe is None:
        return "home" if "home" in names else names[0]
    if o.keyframe not in names:
        raise UserError(f"{o.robot} has no keyframe {o.keyframe!r}; it has {', '.join(names) or 'none'}.")
    return o.keyframe
