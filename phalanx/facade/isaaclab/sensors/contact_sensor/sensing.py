"""What a contact sensor measures of net forces, their history, and times in contact and in the air, by one kernel."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from phalanx.components import ViewedBody, ViewedBodyImpulse
from phalanx.ecs import Component, Field, Table, read, rows, system, update, write
from phalanx.facade.isaaclab.sensors.contact_sensor.contact_sensor_data import TIMES, ContactSensorData
from phalanx.facade.physx.contact_view import RigidContactView
from phalanx.facade.readers import UserReader
from phalanx.facade.shared_device import in_order, shares_memory
from phalanx.world.engine.launches import Environments, Launch, constants
from phalanx.world.engine.readers import Reading

SensedBody = Table("sensed body", "a body of a contact sensor, in every environment of the world")
Number = Table("number", "arrays as users have them, number by number")
Bodies = Table("bodies of a sensor", "how many bodies it has in each of its environments, which may be parts of one")
Kept = Table("kept measurements", "how long a sensor's history is")

WAITS, BEGINS, MEASURES, FORGETS = 0, 1, 2, 3
"""What an environment does: nothing; it is due and no time has passed since its reset; it is due; it is reset."""


class SensedPlace(Component, table=SensedBody):
    """Where a body's impulses are."""

    row = Field(dtype="int32", doc="among viewed bodies", constant=True)


class Sensing(Component, table=Number):
    """What is measured, how, and what was measured last."""

    does = Field(dtype="int32", doc="WAITS, BEGINS, MEASURES or FORGETS, by environment", shared=True)
    elapsed = Field(unit="s", doc="since the last measurement, by environment", shared=True)
    divisor = Field(unit="s", doc="what makes forces of impulses", shared=True)
    threshold = Field(unit="N", doc="greater forces are contacts", shared=True)
    kept_history = Field(unit="N", doc="the last forces, (environments, kept, bodies, 3)", shared=True)
    kept_times = Field(unit="s", doc="(environments, bodies, 4), in the order of TIMES", shared=True)


class Sensed(Component, table=Number):
    """The same as users have it."""

    forces = Field(unit="N", doc="(environments, bodies, 3)", shared=True)
    history = Field(unit="N", doc="(environments, kept, bodies, 3)", shared=True)
    last_air = Field(unit="s", doc="(environments, bodies)", shared=True)
    air = Field(unit="s", doc="(environments, bodies)", shared=True)
    last_touch = Field(unit="s", doc="(environments, bodies)", shared=True)
    touch = Field(unit="s", doc="(environments, bodies)", shared=True)


@system(over=SensedBody, phase="query_contact_views")
def sense_contacts(
    i,
    e,
    envs=rows(Environments),
    columns=rows(SensedBody),
    bodies=rows(Bodies),
    kept=rows(Kept),
    row=read(SensedPlace.row),
    impulse=read(ViewedBodyImpulse.normal),
    does=read(Sensing.does),
    elapsed=read(Sensing.elapsed),
    divisor=read(Sensing.divisor),
    threshold=read(Sensing.threshold),
    kept_history=update(Sensing.kept_history),
    kept_times=update(Sensing.kept_times),
    forces=write(Sensed.forces),
    history=write(Sensed.history),
    last_air=write(Sensed.last_air),
    air=write(Sensed.air),
    last_touch=write(Sensed.last_touch),
    touch=write(Sensed.touch),
):
    """Newest forces first. Of what ends, the time that it lasted is kept; the step in which it does counts for both."""
    if e >= envs:
        return
    at = e * columns + i
    own = at // bodies
    what, since = does[own, 0], elapsed[own, 0]
    t = 4 * at
    first = 3 * (own * kept * bodies + at - own * bodies)
    if what == FORGETS:
        for n in range(4):
            kept_times[t + n, 0] = 0.0
        for k in range(kept):
            for n in range(3):
                kept_history[first + 3 * k * bodies + n, 0] = 0.0
    elif what != WAITS:
        fx, fy, fz = 0.0, 0.0, 0.0
        if what == MEASURES:
            v, over = row[i, 0], divisor[0, 0]
            fx, fy, fz = impulse[v, 0, e] / over, impulse[v, 1, e] / over, impulse[v, 2, e] / over
        for back in range(1, kept):
            k = first + 3 * (kept - back) * bodies
            for n in range(3):
                kept_history[k + n, 0] = kept_history[k - 3 * bodies + n, 0]
        kept_history[first, 0], kept_history[first + 1, 0], kept_history[first + 2, 0] = fx, fy, fz
        touches = math.sqrt(fx * fx + fy * fy + fz * fz) > threshold[0, 0]
        longer_air, longer_touch = kept_times[t + 1, 0] + since, kept_times[t + 3, 0] + since
        if touches:
            if kept_times[t + 1, 0] > 0.0:
                kept_times[t, 0] = longer_air
            kept_times[t + 1, 0] = 0.0
            kept_times[t + 3, 0] = longer_touch
        else:
            if kept_times[t + 3, 0] > 0.0:
                kept_times[t + 2, 0] = longer_touch
            kept_times[t + 1, 0] = longer_air
            kept_times[t + 3, 0] = 0.0
    for n in range(3):
        forces[3 * at + n, 0] = kept_history[first + n, 0]
        for k in range(kept):
            history[first + 3 * k * bodies + n, 0] = kept_history[first + 3 * k * bodies + n, 0]
    last_air[at, 0], air[at, 0] = kept_times[t, 0], kept_times[t + 1, 0]
    last_touch[at, 0], touch[at, 0] = kept_times[t + 2, 0], kept_times[t + 3, 0]


def can_sense(view: RigidContactView) -> bool:
    """Whether there is a kernel for the rows of a view: environment by environment, each with the same bodies."""
    return shares_memory(view.world) and view._rows.order == "by environment"


class NetForces:
    """Measures net forces of a sensor, and what follows from them; :func:`can_sense` is true of its view.

    Args:
        view: its contacts.
        bodies: in each of the sensor's environments.
        seconds: a step, s.
        threshold: N; a greater force is a contact.
        kept: how many measurements are kept.
        tracks_times: whether users see times.
    """

    def __init__(
        self, view: RigidContactView, bodies: int, seconds: float, threshold: float, kept: int, tracks_times: bool
    ) -> None:
        self._world, self._view = view.world, view
        self._names = ("net_forces_w", "net_forces_w_history", *(TIMES if tracks_times else ()))
        self._bodies, self._seconds, self._threshold, self._kept = bodies, seconds, threshold, kept
        self._count = view.count // bodies
        self._told: tuple[Any, ...] = ()

    @cached_property
    def _reader(self) -> UserReader:
        """Made when it is used first: views can be added to a world only until it is built."""
        world, view, xp = self._world, self._view, self._view._xp
        n, b, kept = self._count, self._bodies, self._kept
        world.build()
        with in_order(world):
            viewed = view._view._rows[ViewedBody].start
            places = np.array([viewed + view._view.body_names.index(name) for name in view._names])
            arrays = constants(world.engine, {SensedPlace.row: places}) | {
                Sensing.does: self._does,
                Sensing.elapsed: self._elapsed,
                Sensing.divisor: xp.full((1, 1), self._seconds / world.substeps, world.dtype),
                Sensing.threshold: xp.full((1, 1), self._threshold, world.dtype),
                Sensing.kept_history: xp.zeros((3 * n * kept * b, 1), world.dtype),
                Sensing.kept_times: xp.zeros((4 * n * b, 1), world.dtype),
            }
        times = zip(TIMES, (Sensed.last_air, Sensed.air, Sensed.last_touch, Sensed.touch), strict=True)
        results = {
            "net_forces_w": (Sensed.forces, (n, b, 3)),
            "net_forces_w_history": (Sensed.history, (n, kept, b, 3)),
            **{name: (one, (n, b)) for name, one in times},
        }
        return UserReader(
            world,
            Reading(
                Launch(sense_contacts, len(places), arrays, {SensedBody: len(places), Bodies: b, Kept: kept}), results
            ),
        )

    @cached_property
    def _does(self) -> Any:
        return self._view._xp.zeros((self._count, 1), "int32")

    @cached_property
    def _elapsed(self) -> Any:
        return self._view._xp.zeros((self._count, 1), self._world.dtype)

    def measure(self, data: ContactSensorData, due: np.ndarray, passed: np.ndarray, elapsed: np.ndarray) -> None:
        """Measure in environments that are due, (n,); ``passed``: time has passed since the reset; ``elapsed``: s."""
        same = bool(due.all()) and bool(passed.all()) and bool((elapsed == elapsed[0]).all())
        if same:
            self._tell(MEASURES, elapsed[0])  # nothing is brought to a GPU unless it is another time
        else:
            self._tell(np.where(due, np.where(passed, MEASURES, BEGINS), WAITS), elapsed)
        with in_order(self._world):
            self._view._view.compute()
        self._show(data)

    def forget(self, data: ContactSensorData, chosen: Any) -> None:
        """Let some environments start anew."""
        does = np.zeros(self._count, np.int64)
        does[chosen] = FORGETS
        self._tell(does, 0.0)
        self._show(data)

    def _tell(self, does: Any, elapsed: Any) -> None:
        told = (does, float(elapsed)) if isinstance(does, int) else ()
        if told and told == self._told:
            return
        self._told = told
        xp = self._view._xp
        with in_order(self._world):
            for target, values in ((self._does, does), (self._elapsed, elapsed)):
                one = isinstance(values, int) or np.ndim(values) == 0
                target[...] = values if one else xp.asarray(np.asarray(values, target.dtype).reshape(-1, 1))

    def _show(self, data: ContactSensorData) -> None:
        (results,) = self._reader.read()
        data.show(results, self._names)
