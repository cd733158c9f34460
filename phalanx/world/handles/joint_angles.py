"""Angles of loop joints, as they are and as they may be set to be limited."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components.loop_limit import SWING_LIMIT, TURN_LIMIT
from phalanx.maths.arrays import inverse, product
from phalanx.world.handle import Handle, on_device
from phalanx.world.layout.angle_limits import cone, nearest_turn, swing_and_twist


class JointAngles(Handle):
    """What there is to know and to set of the angles of a joint between a frame A and a frame B."""

    _limits: dict[int, int]
    """For each kind of limit that the joint has, its row."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """``"fixed"``, ``"revolute"``, ``"spherical"`` or ``"distance"``."""

    @abstractmethod
    def _wake(self, env_ids: Any) -> None:
        """Wake what it connects."""

    @abstractmethod
    def _orientations(self) -> tuple[Any, Any]:
        """(n, 4) each: of A and B, turned so that the axis is x, world, w x y z."""

    @property
    @on_device
    def angle(self) -> Any:
        """(n,) rad: of a revolute joint, the turn of frame A against B about the axis.

        Of one with limits, turns are counted, from where it was started or reset on; of one without, it is from -pi
        to pi.
        """
        raw = self._turned("angle", "revolute")[1]
        if TURN_LIMIT not in self._limits:
            return raw
        return nearest_turn(raw, self._read(c.LoopLimitState.angle, self._limit(TURN_LIMIT))[:, 0], self._xp)

    @property
    @on_device
    def swing(self) -> Any:
        """(n, 2) rad: of a spherical joint, how far A's axis has swung away from B's, about B's y and z.

        These are the components of a rotation vector. They are those of B's frame turned the shortest way that makes
        x the joint's axis.
        """
        return self._turned("swing", "spherical")[0]

    @property
    @on_device
    def twist(self) -> Any:
        """(n,) rad: of a spherical joint, how far A is turned about its axis before it swings, from -pi to pi."""
        return self._turned("twist", "spherical")[1]

    @on_device
    def set_limits(self, lower: Any = None, upper: Any = None, swing_limit: Any = None, env_ids: Any = None) -> None:
        """Set limits of a joint that has been added with some, rad; what is not given stays.

        Environments may differ; from then on the world keeps a value for each, and kernels are compiled once more.

        Args:
            lower, upper: of the turn or twist, (n,) each.
            swing_limit: about y and about z, (n, 2).
            env_ids: environments to set; all by default.

        Raises:
            ValueError: the joint has been added without such limits, or they are out of their range.
        """
        model, host = c.LoopLimitModel, self.engine.device.to_host
        turns = [kind for kind in self._limits if kind != SWING_LIMIT]
        given: list[tuple[Any, slice, Any, Any]] = []
        if lower is not None or upper is not None:
            self._has(bool(turns), "lower= or upper=")
            rows = self._limit(turns[0])
            bounds = []
            for what, value, field in (("lower", lower, model.lower), ("upper", upper, model.upper)):
                bound = host(self._read(field, rows))[:, 0]
                if value is not None:
                    values, envs = self._input(what, value, (), env_ids, finite=False)
                    bound[slice(None) if envs is None else envs] = host(values)
                    given.append((field, rows, values[:, None], envs))
                bounds.append(bound)
            low, high = bounds
            most = np.pi if self.kind == "spherical" else np.inf
            self._refuse(
                (low > high) | (low == np.inf) | (high == -np.inf), "lower limits must not be above upper ones"
            )
            outside = np.isfinite(bounds) & (np.abs(bounds) > np.float32(most))
            self._refuse(outside.any(axis=0), "limits of a twist must be from -pi to pi")
        if swing_limit is not None:
            self._has(SWING_LIMIT in self._limits, "swing_limit=")
            values, envs = self._input("swing_limit", swing_limit, 2, env_ids, finite=False)
            widths = host(values)
            wrong = (~(widths > 0) | (np.isfinite(widths) & (widths > np.float32(np.pi)))).any(axis=1)
            self._refuse(wrong, "swing_limit must be above 0, at most pi, or infinite", envs)
            given.append((model.cone, self._limit(SWING_LIMIT), cone(values, self._xp)[:, None], envs))
        for field, rows, values, envs in given:
            self._write(field, rows, values, envs)
        self._wake(env_ids)
        self.engine.touch_state()

    def _turned(self, what: str, kind: str) -> tuple[Any, Any]:
        """Swing and twist of A against B."""
        if self.kind != kind:
            raise ValueError(f"{self} is {self.kind}: {what} is for {kind} joints")
        a, b = self._orientations()
        return swing_and_twist(product(inverse(b, self._xp), a, self._xp), self._xp)

    def _limit(self, kind: int) -> slice:
        return slice(self._limits[kind], self._limits[kind] + 1)

    def _has(self, limited: bool, what: str) -> None:
        if not limited:
            raise ValueError(f"{self} has been added without such limits: pass {what} to add_joint(), wide at first")

    def _refuse(self, wrong: Any, why: str, envs: np.ndarray | None = None) -> None:
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(f"{self}: {why}; not so in environment {row if envs is None else int(envs[row])}")
