"""What a contact sensor has measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from phalanx.world.engine.readers import Results


@dataclass
class ContactSensorData:
    """Measurements of sensors in N environments with B bodies each, M filters, and a history of T entries.

    Forces are those of the last step on the bodies, N, in the world's axes, along the contacts' normals only. What is
    not configured is ``None``.

    Attributes:
        pos_w: position of the bodies, m: (N, 3) of a sensor with one body, (N, B, 3) with several.
        contact_pos_w: (N, B, M, 3) mean of the points where a body and what a filter stands for touch, m; NaN where
            they do not.
        quat_w: orientation of the bodies, (w, x, y, z): (N, 4), or (N, B, 4).
        net_forces_w: (N, B, 3) sums of the forces on each body, whatever they come from.
        net_forces_w_history: (N, T, B, 3) likewise of the last T measurements, newest first; T is at least 1.
        force_matrix_w: (N, B, M, 3) forces of what each filter stands for on each body.
        force_matrix_w_history: (N, T, B, M, 3) likewise of the last T measurements, newest first.
        last_air_time: (N, B) how long the last time without contact was, s, that has ended.
        current_air_time: (N, B) for how long there has been no contact, s; zero while there is one.
        last_contact_time: (N, B) how long the last contact was, s, that has ended.
        current_contact_time: (N, B) for how long there has been contact, s; zero while there is none.
        friction_forces_w: (N, B, M, 3) tangential forces of what each filter stands for on each body.
    """

    pos_w: Any = None
    contact_pos_w: Any = None
    quat_w: Any = None
    net_forces_w: Any = None
    net_forces_w_history: Any = None
    force_matrix_w: Any = None
    force_matrix_w_history: Any = None
    last_air_time: Any = None
    current_air_time: Any = None
    last_contact_time: Any = None
    current_contact_time: Any = None
    friction_forces_w: Any = None

    def show(self, results: Results, names: Iterable[str]) -> None:
        """Let attributes be what a kernel found, each of which becomes an array when it is looked at."""
        self.__dict__.update(dict.fromkeys(names, results))


class _Shown:
    """An attribute that may be among what a kernel found."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, data: Any, kind: type | None = None) -> Any:
        if data is None:
            return None  # the default
        value = data.__dict__.get(self._name)
        if type(value) is Results:
            value = data.__dict__[self._name] = value.get(self._name)
        return value

    def __set__(self, data: Any, value: Any) -> None:
        data.__dict__[self._name] = value


TIMES = ("last_air_time", "current_air_time", "last_contact_time", "current_contact_time")
for _name in ("net_forces_w", "net_forces_w_history", *TIMES):
    setattr(ContactSensorData, _name, _Shown(_name))
