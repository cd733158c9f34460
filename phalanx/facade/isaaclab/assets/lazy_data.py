"""Data of assets: read from the simulation when asked for, and kept until time passes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from phalanx.facade.namespaces import common, copy, rows


class LazyData:
    """Values by name, each computed at most once between two calls of :meth:`update`.

    A value that was handed out stays as it was: later ones are other arrays.
    """

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._rates: dict[str, _Rate] = {}
        self._sim_timestamp = 0.0
        """Time that has passed by :meth:`update`, s; tasks compare it with when they have looked last."""

    def update(self, dt: float) -> None:
        """Let values be read anew from now on, and take accelerations from how velocities have changed.

        Args:
            dt: time that has passed since the last call, s.
        """
        self._values.clear()
        self._sim_timestamp += dt
        if dt > 0.0:
            for name, rate in self._rates.items():
                rate.goes_on(getattr(self, name), dt)

    def _now(self, name: str, compute: Callable[[], Any]) -> Any:
        """The value of a name, computed if there is none of the current time."""
        value = self._values.get(name)
        if value is None:
            value = self._values[name] = compute()
        return value

    def _forget(self) -> None:
        """Let all values be read anew."""
        self._values.clear()

    def _rate(self, velocity: str, at_first: Callable[[], Any]) -> Any:
        """How a velocity changed between the last two updates.

        It is followed from the first time that somebody asks; that time gets what the simulation has of its last step.
        """
        if velocity not in self._rates:
            self._rates[velocity] = _Rate(getattr(self, velocity), at_first())
        return self._rates[velocity].value

    def _written(self, name: str, value: Any, kept: Collection[str], env_ids: Any) -> None:
        """A value was written to the simulation in some environments."""
        self._written_at(name, value, kept, rows(env_ids))

    def _written_at(self, name: str, value: Any, kept: Collection[str], chosen: Any) -> None:
        """A value was written to the simulation; in it, and in velocities, ``chosen`` is the index of what changed.

        It is known from now on, values that are ``kept`` are not touched by it, and all others are computed anew. What
        changed was no acceleration.
        """
        self._values = {key: known for key, known in self._values.items() if key in kept}
        self._values[name] = value
        for velocity, rate in self._rates.items():
            rate.jumps(getattr(self, velocity), chosen)


class _Rate:
    """How fast a value changed, which is computed when it is asked for: after most steps nobody does."""

    def __init__(self, now: Any, value: Any) -> None:
        self._now, self._old, self._dt, self._value = now, None, 0.0, value
        self._set: Any = None  # what there was after some of it was set, and which: kept until it matters
        self._places: list[Any] = []

    def goes_on(self, now: Any, dt: float) -> None:
        """The value has become another one since the last call."""
        before = self._now
        if self._places:
            _, before, now_set = common(copy(before), self._set)
            for chosen in self._places:
                before[chosen] = now_set[chosen]
            self._set, self._places = None, []
        self._now, self._old, self._dt, self._value = now, before, dt, None

    def start(self) -> Any:
        """What the next change counts from, which may be written to."""
        _ = self.value  # with what was set
        self._now = copy(self._now)
        return self._now

    @property
    def value(self) -> Any:
        """Between the last two values; zero where it was set since."""
        if self._value is None:
            _, now, old = common(self._now, self._old)
            self._value, self._old = (now - old) / self._dt, None
        if self._places:
            _, now, change, now_set = common(copy(self._now), copy(self._value), self._set)
            for chosen in self._places:
                now[chosen], change[chosen] = now_set[chosen], 0.0
            self._now, self._value, self._set, self._places = now, change, None, []
        return self._value

    def jumps(self, now: Any, chosen: Any) -> None:
        """Some of it was set, which is no change."""
        self._set = now
        if all(each is not chosen for each in self._places):
            self._places.append(chosen)


class Buffer:
    """A value of :class:`LazyData` as Isaac Lab's own code has it: what it is, and of when.

    Args:
        owner: whose value it is.
        name: of its property.
    """

    def __init__(self, owner: LazyData, name: str) -> None:
        self._owner, self._name = owner, name

    @property
    def data(self) -> Any:
        """The value of now."""
        return getattr(self._owner, self._name)

    @property
    def timestamp(self) -> float:
        """Time of the data that are handed out, s: now."""
        return self._owner._sim_timestamp

    @timestamp.setter
    def timestamp(self, value: float) -> None:
        if value < self._owner._sim_timestamp:
            self._owner._forget()


def buffers(names: str) -> Any:
    """A decorator that lets a class have a :class:`Buffer` of each of some properties, with an underscore before.

    Scripts write a negative time to them so that a value is read anew; then all are.
    """

    def add(cls: type) -> type:
        for name in names.split():
            setattr(cls, f"_{name}", property(lambda self, name=name: Buffer(self, name)))
        return cls

    return add


def part(name: str, start: int, stop: int, doc: str) -> Any:
    """A property that is some columns of another one."""

    def get(self: Any) -> Any:
        return getattr(self, name)[..., start:stop]

    return property(get, doc=doc)


def same(name: str) -> Any:
    """A property that is another one by an older name."""

    def get(self: Any) -> Any:
        return getattr(self, name)

    return property(get, doc=f"Same as :attr:`{name}`.")


def joined(first: str, second: str, doc: str) -> Any:
    """A property with the columns of two others side by side."""

    def get(self: Any) -> Any:
        xp, a, b = common(getattr(self, first), getattr(self, second))
        return self._now(f"{first} {second}", lambda: xp.concatenate([a, b], -1))

    return property(get, doc=doc)


def of_body(name: str, doc: str) -> Any:
    """A property of the root as one of its only body: (n, k) becomes (n, 1, k)."""

    def get(self: Any) -> Any:
        return getattr(self, name)[:, None]

    return property(get, doc=doc)
