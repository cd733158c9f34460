"""Sensors that are added to a recording after the fact: inertial units, height scans, contact forces.

Each makes a :class:`Reading` per quantity, (time, env, ...), from what was recorded of joints and roots; contact forces
that were not recorded need the simulation again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.images.world_scene import WorldScene, body_row
from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.fields import AXIS
from phalanx.io.recordings.playback import Playback
from phalanx.io.recordings.replay import simulate_again
from phalanx.maths.arrays import inverse, rotate, unit

SCAN_SIZE, SCAN_STEP = (1.6, 1.0), 0.1
"""m: a height scan's sides along x and y, and between its rays."""

SCAN_START = 10.0
"""m above the body: where its rays start, straight down."""


@dataclass(frozen=True)
class Reading:
    """One quantity of a sensor at all samples.

    Attributes:
        sensor, name: ``"imu:base"``, ``"lin_acc"``.
        values: (time, env, *dims).
        dims: names of the dimensions after those two.
        coords: values along them, where they have any.
        units, long_name: for readers.
    """

    sensor: str
    name: str
    values: np.ndarray
    dims: tuple[str, ...]
    units: str
    long_name: str
    coords: Mapping[str, Sequence[Any]] = field(default_factory=dict)


def _row(playback: Playback, sensor: str, body: str) -> int:
    try:
        return body_row(playback.world, body)
    except ValueError as error:
        raise LoadError(f"{sensor}: {error}.") from None


def inertial(playback: Playback, body: str) -> list[Reading]:
    """An inertial measurement unit at a body's origin, along its axes.

    Accelerations are differences of velocities since the sample before, over the time since then; of the first sample
    and of those before which a state was set they are not known (nan). Linear ones are without gravity's, as such units
    measure forces: what falls reads 0, and what lies still 9.81 m/s^2 upwards.
    """
    sensor = f"imu:{body}"
    row = _row(playback, sensor, body)
    samples = playback.recording.num_samples
    parts = []
    for start in range(0, samples, playback.batch):  # of one body, since those of all may not fit the memory
        both = playback.motion(start, min(samples, start + playback.batch))
        parts.append([values[:, :, row].astype(float) for values in both])
    pose, velocity = (np.concatenate(part) for part in zip(*parts, strict=True))
    rate = np.full_like(velocity, np.nan)
    seconds = np.diff(playback.time)
    rate[1:] = np.diff(velocity, axis=0) / np.where(seconds > 0.0, seconds, np.nan)[:, None, None]
    rate[playback.jumps] = np.nan
    gravity = np.asarray(playback.world.gravity)
    rate[..., :3] -= gravity
    back = inverse(pose[..., 3:])
    axes = {"axis": AXIS}

    def reading(name: str, values: np.ndarray, units: str, text: str) -> Reading:
        return Reading(sensor, name, values, ("axis",), units, text, axes)

    down = np.broadcast_to(unit(gravity), (*back.shape[:-1], 3))
    return [
        reading("lin_acc", rotate(back, rate[..., :3]), "m/s^2", "linear acceleration less gravity, body axes"),
        reading("ang_vel", rotate(back, velocity[..., 3:]), "rad/s", "angular velocity, body axes"),
        reading("ang_acc", rotate(back, rate[..., 3:]), "rad/s^2", "angular acceleration, body axes"),
        reading("projected_gravity", rotate(back, down), "1", "direction of gravity, body axes"),
        Reading(
            sensor, "orientation", pose[..., 3:], ("quaternion",), "1", "orientation", {"quaternion": list("wxyz")}
        ),
    ]


def height_scan(playback: Playback, body: str) -> list[Reading]:
    """Heights below a grid of points about a body, which turns with its yaw, of all but the actor that it belongs to.

    The grid is 1.6 m by 1.0 m with a point every 0.1 m, x before y; rays start 10 m above the body. Where they hit
    nothing the height is nan.
    """
    sensor = f"scan:{body}"
    row = _row(playback, sensor, body)
    world, samples, envs = playback.world, playback.recording.num_samples, len(playback.envs)
    x, y = (np.linspace(-0.5 * side, 0.5 * side, round(side / SCAN_STEP) + 1) for side in SCAN_SIZE)
    starts = np.zeros((len(x) * len(y), 3), np.float32)
    starts[:, 0], starts[:, 1] = np.repeat(x, len(y)), np.tile(y, len(x))
    starts[:, 2] = SCAN_START
    down = np.zeros_like(starts)
    down[:, 2] = -1.0
    carrier = _actor_of(playback, row)
    seen = WorldScene(world, hidden=[carrier])
    hits = seen.scene.hits(len(starts), position=True)
    place, turn = np.zeros((world.num_envs, 3), np.float32), np.zeros((world.num_envs, 4), np.float32)
    found = np.empty((samples, envs, len(starts)), np.float32)
    for start in range(0, samples, playback.batch):
        stop = min(samples, start + playback.batch)
        pose = playback.bodies(start, stop)[:, :, row].reshape(-1, 7)
        place[: len(pose)] = pose[:, :3]
        turn[: len(pose)] = _yaw(pose[:, 3:])
        seen.update()
        seen.scene.cast_pattern(down, place, turn, hits, starts=starts)
        found[start:stop] = hits.position[: len(pose), :, 2].reshape(stop - start, envs, -1)
    found[~np.isfinite(found)] = np.nan
    heights = found.reshape(samples, envs, len(x), len(y))
    coords = {"x": x.round(9).tolist(), "y": y.round(9).tolist()}
    return [Reading(sensor, "height", heights, ("x", "y"), "m", "height of what is below, world", coords)]


def _yaw(quaternion: np.ndarray) -> np.ndarray:
    """(n, 4): the part of turns that is about z."""
    w, x, y, z = np.moveaxis(quaternion.astype(float), -1, 0)
    half = 0.5 * np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    none = np.zeros_like(half)
    return np.stack([np.cos(half), none, none, np.sin(half)], axis=-1)


def _actor_of(playback: Playback, row: int) -> str:
    for actor in playback.world.actors.values():
        if row < actor.num_bodies:
            return actor.name
        row -= actor.num_bodies
    raise AssertionError("a body's number is one of an actor")


def contact_forces(playback: Playback, progress: Callable[[int, int], None] | None = None) -> list[Reading]:
    """Net contact force on every body of every robot and object: as recorded, or by simulating again.

    Raises:
        LoadError: the world had systems of its own, and cannot be simulated without them.
    """
    recording = playback.recording
    missing = [name for name in playback.world.actors if "net_contact_force" not in _recorded(recording, name)]
    values: dict[str, Any] = {}
    if missing:
        world = recording.world()
        made = {name: [] for name in missing}
        for _sample, _steps in simulate_again(recording, world, progress):
            for name, samples in made.items():
                force = world.actors[name].net_contact_force
                samples.append(np.asarray(force.get() if hasattr(force, "get") else force)[playback.envs])
        values = {name: np.stack(samples) for name, samples in made.items()}
    found = []
    for name, actor in playback.world.actors.items():
        if name not in values:
            force = _recorded(recording, name)["net_contact_force"][playback.envs].swapaxes(0, 1)
            values[name] = force.reshape(*force.shape[:2], -1, 3)  # one of a collection has no dimension of bodies
        coords = {"body": list(actor.body_names), "axis": AXIS}
        text = f"net contact force on the bodies of {name}, world axes"
        found.append(Reading(f"contact:{name}", "force", values[name], ("body", "axis"), "N", text, coords))
    return found


def _recorded(recording: Any, name: str) -> Any:
    return {} if name in recording.unrecorded else recording[name]
