"""Reports of contacts of bodies whose prims have ``PhysxContactReportAPI``: which begin, last and end at each step."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.facade import physics_events, physics_steps, simulation, stage_watch
from phalanx.facade import stage as stages
from phalanx.facade.carb.types import Float3
from phalanx.facade.colliders import collider_path
from phalanx.facade.event_streams import Event, EventStream, EventSubscription
from phalanx.facade.isaacsim.sensors.physics.body_contacts import BodyContacts, Contact
from phalanx.facade.physics_events import Subscription
from phalanx.facade.pxr.PhysicsSchemaTools import sdfPathToInt
from phalanx.facade.stage_world import StageWorld

API, THRESHOLD = "PhysxContactReportAPI", "physxContactReport:threshold"

NO_FACE = 0xFFFFFFFF
"""In place of the number of a triangle."""


class ContactEventType(enum.IntEnum):
    """What happens to the contact of two bodies."""

    CONTACT_FOUND = 0
    CONTACT_PERSIST = 1
    CONTACT_LOST = 2


@dataclass(frozen=True)
class ContactEventHeader:
    """Two bodies and what happens to their contact.

    ``actor0``, ``actor1``, ``collider0`` and ``collider1`` are numbers of paths (``PhysicsSchemaTools.intToSdfPath``);
    the first body is one that reports. Its contacts are ``num_contact_data`` rows of the data from
    ``contact_data_offset`` on.
    """

    type: ContactEventType
    stage_id: int
    actor0: int
    actor1: int
    collider0: int
    collider1: int
    contact_data_offset: int
    num_contact_data: int
    proto_index0: int = NO_FACE
    proto_index1: int = NO_FACE


@dataclass(frozen=True)
class ContactData:
    """A point of a contact, world axes: ``position``, m; unit ``normal`` from the second body to the first; ``impulse``
    on the first over the step, N s, along the normal; ``separation``, m.
    """

    position: Float3
    normal: Float3
    impulse: Float3
    separation: float
    face_index0: int = NO_FACE
    face_index1: int = NO_FACE
    material0: int = 0
    material1: int = 0


Report = tuple[list[ContactEventHeader], list[ContactData]]


class ContactReports:
    """Makes the report of each step, and tells who listens.

    A body reports a contact with another one while the force between them, in N, is above the ``threshold`` of its prim
    (1 by default).
    """

    def __init__(self) -> None:
        self._stream = EventStream("contact reports")
        self._listener: EventSubscription | None = None
        self._of: tuple[StageWorld | None, int] = (None, -1)
        self._bodies: list[tuple[str, float, BodyContacts]] = []
        self._lasting: dict[tuple[str, str], tuple[int, int, int, int]] = {}
        self._made: tuple[int, Report] = (-1, ([], []))
        self._stopped: Subscription | None = None

    def _forget(self) -> None:
        """Let go of a world that is gone."""
        self._of, self._bodies, self._made = (None, -1), [], (self._made[0], ([], []))

    def subscribe(self, function: Callable[[list[ContactEventHeader], list[ContactData]], Any]) -> EventSubscription:
        """Call a function with headers and data after each step with contacts, as long as the subscription is held."""
        if self._listener is None:
            self._listener = physics_steps.AFTER.create_subscription_to_pop(self._tell, -100)
        return self._stream.create_subscription_to_pop(lambda event: function(*event.payload["report"]))

    def report(self) -> Report:
        """Of the last step."""
        found = simulation.current()
        if found.world is None or found.world.is_empty:
            return [], []
        if self._made[0] > found.steps:  # it has begun anew
            self._lasting = {}
        if self._made[0] != found.steps:
            self._made = (found.steps, self._make(found.world, found.physics_dt))
        return self._made[1]

    def _tell(self, _: Event) -> None:
        if self._stream:
            report = self.report()
            if report[0]:
                self._stream.push(payload={"report": report})

    def _make(self, world: StageWorld, dt: float) -> Report:
        self._find(world)
        headers: list[ContactEventHeader] = []
        data: list[ContactData] = []
        before, self._lasting = self._lasting, {}
        stage = stages.stage_id(world.stage)
        for path, threshold, body in self._bodies:
            others: dict[str, list[Contact]] = {}
            for contact in body.read(dt):
                others.setdefault(contact.other, []).append(contact)
            for other, points in others.items():
                if (other, path) in self._lasting or sum(_size(p.impulse) for p in points) <= threshold * dt:
                    continue
                names = before.get((path, other)) or _numbers(world, path, other)
                kind = ContactEventType.CONTACT_PERSIST if (path, other) in before else ContactEventType.CONTACT_FOUND
                headers.append(ContactEventHeader(kind, stage, *names, len(data), len(points)))
                data += [
                    ContactData(_float3(p.position), _float3(p.normal), _float3(p.impulse), p.separation)
                    for p in points
                ]
                self._lasting[path, other] = names
        lost = [names for pair, names in before.items() if pair not in self._lasting]
        headers += [ContactEventHeader(ContactEventType.CONTACT_LOST, stage, *names, len(data), 0) for names in lost]
        return headers, data

    def _find(self, world: StageWorld) -> None:
        """The bodies that report, anew for another world, or when prims have come or changed their schemas."""
        revision = stage_watch.get().revision
        if self._of[0] is world and self._of[1] == revision:
            return
        if self._stopped is None or not self._stopped.alive:  # a new Isaac Lab context cancels all
            self._stopped = Subscription(physics_events.Event.STOP, self._forget)
        self._of, known = (world, revision), {path: body for path, _, body in self._bodies if body.world is world}
        self._bodies = []
        for prim in world.stage.Traverse():
            path = str(prim.GetPath())
            if API in map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas()) and world.has_body(path):
                value = prim.GetAttribute(THRESHOLD).Get() if prim.HasAttribute(THRESHOLD) else None
                body = known.get(path) or BodyContacts(world, path)
                self._bodies.append((path, 1.0 if value is None else float(value), body))


def _numbers(world: StageWorld, *paths: str) -> tuple[int, int, int, int]:
    """Numbers of the paths of two bodies, and of their colliders."""
    colliders = [collider_path(world, path, 0) if path else "" for path in paths]
    a, b, c, d = (sdfPathToInt(path) for path in (*paths, *colliders))
    return a, b, c, d


def _data(point: Contact) -> ContactData:
    return ContactData(_float3(point.position), _float3(point.normal), _float3(point.impulse), point.separation)


def _size(impulse: np.ndarray) -> float:
    return float(np.linalg.norm(impulse))


def _float3(values: np.ndarray) -> Float3:
    return Float3(*(float(each) for each in values))


__all__ = ["ContactData", "ContactEventHeader", "ContactEventType", "ContactReports"]
