"""Tendons of articulations, by rows of a view."""

from __future__ import annotations

from typing import Any

from phalanx.facade.physx.articulation_joints import ArticulationJoints
from phalanx.facade.physx.common import reads, writes


class ArticulationTendons(ArticulationJoints):
    """The part of an articulation view that knows tendons: (count, max_fixed_tendons) or (count, max_spatial_tendons).

    Limits are (count, tendons, 2); they and stiffnesses beyond them are infinite, as the engine has them, where there
    are none, or where limits are hard.
    """

    @property
    def max_fixed_tendons(self) -> int:
        """Fixed tendons of a row."""
        return self._robots[0].num_fixed_tendons

    @property
    def max_spatial_tendons(self) -> int:
        """Spatial tendons of a row."""
        return self._robots[0].num_spatial_tendons

    @property
    def fixed_tendon_names(self) -> list[str]:
        """Names of fixed tendons, in the order of a row."""
        return self._robots[0].fixed_tendon_names

    @property
    def spatial_tendon_names(self) -> list[str]:
        """Names of spatial tendons, in the order of a row."""
        return self._robots[0].spatial_tendon_names

    def _tendons(self, name: str) -> Any:
        block = self._xp.stack([getattr(robot, name) for robot in self._robots], axis=1)
        return self._xp.ascontiguousarray(self._rows.gather(block, self._xp))

    def _set_tendons(self, sort: str, count: int, indices: Any, **given: Any) -> None:
        """Write properties of the chosen rows, robot by robot; what is ``None`` stays."""
        indices = self._indices(indices)
        values = {
            name: self._take(
                f"{sort} tendon {name}", data, (count, 2) if name == "pos_limits" else (count,), indices, finite=False
            )
            for name, data in given.items()
            if data is not None
        }
        rows = self._host_rows(indices)
        for column, robot in enumerate(self._robots):
            mine = rows[self._rows.column[rows] == column]
            if len(mine):
                some = self._xp.asarray(mine)
                chosen = {name: array[some] for name, array in values.items()}
                getattr(robot, f"set_{sort}_tendons")(**chosen, env_ids=self._rows.env[mine])

    @reads
    def get_fixed_tendon_stiffnesses(self) -> Any:
        """(count, max_fixed_tendons)."""
        return self._tendons("fixed_tendon_stiffness")

    @reads
    def get_fixed_tendon_dampings(self) -> Any:
        """(count, max_fixed_tendons)."""
        return self._tendons("fixed_tendon_damping")

    @reads
    def get_fixed_tendon_limit_stiffnesses(self) -> Any:
        """(count, max_fixed_tendons)."""
        return self._tendons("fixed_tendon_limit_stiffness")

    @reads
    def get_fixed_tendon_limits(self) -> Any:
        """(count, max_fixed_tendons, 2): least and greatest length."""
        return self._tendons("fixed_tendon_pos_limits")

    @reads
    def get_fixed_tendon_rest_lengths(self) -> Any:
        """(count, max_fixed_tendons)."""
        return self._tendons("fixed_tendon_rest_length")

    @reads
    def get_fixed_tendon_offsets(self) -> Any:
        """(count, max_fixed_tendons)."""
        return self._tendons("fixed_tendon_offset")

    @writes
    def set_fixed_tendon_properties(
        self,
        stiffnesses: Any,
        dampings: Any,
        limit_stiffnesses: Any,
        limits: Any,
        rest_lengths: Any,
        offsets: Any,
        indices: Any = None,
    ) -> None:
        """Set properties of fixed tendons."""
        self._set_tendons(
            "fixed",
            self.max_fixed_tendons,
            indices,
            stiffness=stiffnesses,
            damping=dampings,
            limit_stiffness=limit_stiffnesses,
            pos_limits=limits,
            rest_length=rest_lengths,
            offset=offsets,
        )

    @reads
    def get_spatial_tendon_stiffnesses(self) -> Any:
        """(count, max_spatial_tendons)."""
        return self._tendons("spatial_tendon_stiffness")

    @reads
    def get_spatial_tendon_dampings(self) -> Any:
        """(count, max_spatial_tendons)."""
        return self._tendons("spatial_tendon_damping")

    @reads
    def get_spatial_tendon_limit_stiffnesses(self) -> Any:
        """(count, max_spatial_tendons)."""
        return self._tendons("spatial_tendon_limit_stiffness")

    @reads
    def get_spatial_tendon_offsets(self) -> Any:
        """(count, max_spatial_tendons)."""
        return self._tendons("spatial_tendon_offset")

    @writes
    def set_spatial_tendon_properties(
        self, stiffnesses: Any, dampings: Any, limit_stiffnesses: Any, offsets: Any, indices: Any = None
    ) -> None:
        """Set properties of spatial tendons; limits and rest lengths of their leaves stay."""
        self._set_tendons(
            "spatial",
            self.max_spatial_tendons,
            indices,
            stiffness=stiffnesses,
            damping=dampings,
            limit_stiffness=limit_stiffnesses,
            offset=offsets,
        )
