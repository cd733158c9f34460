"""Tendons of a robot: the user's handle on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.ecs import Field
from phalanx.world.handle import on_device
from phalanx.world.handles.robot_dynamics import RobotDynamics

PROPERTIES = {
    "stiffness": c.TendonModel.stiffness,
    "damping": c.TendonModel.damping,
    "limit_stiffness": c.TendonModel.limit_stiffness,
    "rest_length": c.TendonModel.rest_length,
    "offset": c.TendonModel.offset,
}


class RobotTendons(RobotDynamics):
    """An actor's fixed and spatial tendons; see :mod:`phalanx.models.tendons`.

    Fixed tendons are in the order of :attr:`fixed_tendon_names`, spatial ones in that of :attr:`spatial_tendon_names`.
    What belongs to a leaf of a spatial tendon is in the order of :attr:`spatial_tendon_leaves`: by tendon, then by
    attachment. Lengths are in m, forces in N, but for a fixed tendon in what its coefficients make of them.
    """

    joint_names: list[str]
    default_joint_pos: np.ndarray
    _first_tendon = 0

    @property
    def fixed_tendon_names(self) -> list[str]:
        """Names of the fixed tendons."""
        return [tendon.name for tendon in self.model.fixed_tendons]

    @property
    def spatial_tendon_names(self) -> list[str]:
        """Names of the spatial tendons."""
        return [tendon.name for tendon in self.model.spatial_tendons]

    @property
    def spatial_tendon_leaves(self) -> list[tuple[str, int]]:
        """Of each path of a spatial tendon its name and the number of the attachment that it ends at."""
        return [(tendon.name, leaf) for tendon in self.model.spatial_tendons for leaf in tendon.leaves()]

    @property
    def num_fixed_tendons(self) -> int:
        """Number of fixed tendons."""
        return len(self.model.fixed_tendons)

    @property
    def num_spatial_tendons(self) -> int:
        """Number of spatial tendons."""
        return len(self.model.spatial_tendons)

    # -- fixed tendons ---------------------------------------------------------------------------------------

    @property
    def fixed_tendon_stiffness(self) -> Any:
        """(n, num_fixed_tendons): of the spring to the rest length."""
        return self._tendons(c.TendonModel.stiffness, self._fixed)

    @property
    def fixed_tendon_damping(self) -> Any:
        """(n, num_fixed_tendons)."""
        return self._tendons(c.TendonModel.damping, self._fixed)

    @property
    def fixed_tendon_limit_stiffness(self) -> Any:
        """(n, num_fixed_tendons): of the spring beyond limits; 0: none, infinite: hard limits."""
        return self._tendons(c.TendonModel.limit_stiffness, self._fixed)

    @property
    def fixed_tendon_rest_length(self) -> Any:
        """(n, num_fixed_tendons): length without force."""
        return self._tendons(c.TendonModel.rest_length, self._fixed)

    @property
    def fixed_tendon_offset(self) -> Any:
        """(n, num_fixed_tendons): added to the length."""
        return self._tendons(c.TendonModel.offset, self._fixed)

    @property
    @on_device
    def fixed_tendon_pos_limits(self) -> Any:
        """(n, num_fixed_tendons, 2): least and greatest length."""
        return self._limits(self._fixed)

    @property
    @on_device
    def fixed_tendon_length(self) -> Any:
        """(n, num_fixed_tendons): sums of coefficients times joint positions, and offset."""
        return self._length(self._fixed)

    @property
    @on_device
    def fixed_tendon_force(self) -> Any:
        """(n, num_fixed_tendons): over the last substep, positive if it lengthens the tendon."""
        return self._force(self._fixed)

    @on_device
    def set_fixed_tendons(
        self,
        stiffness: Any = None,
        damping: Any = None,
        limit_stiffness: Any = None,
        rest_length: Any = None,
        offset: Any = None,
        pos_limits: Any = None,
        env_ids: Any = None,
    ) -> None:
        """Set properties of the fixed tendons, (n, num_fixed_tendons) each or what broadcasts to it.

        ``pos_limits`` is (n, num_fixed_tendons, 2). Environments may differ.
        """
        given = dict(zip(PROPERTIES, (stiffness, damping, limit_stiffness, rest_length, offset), strict=True))
        count = self.num_fixed_tendons
        self._set_tendons(
            "fixed tendon", given, self._fixed, dict.fromkeys(given, np.arange(count)), pos_limits, env_ids
        )

    # -- spatial tendons -------------------------------------------------------------------------------------

    @property
    def spatial_tendon_stiffness(self) -> Any:
        """(n, num_spatial_tendons): of the spring to the rest length."""
        return self._tendons(c.TendonModel.stiffness, self._first_paths)

    @property
    def spatial_tendon_damping(self) -> Any:
        """(n, num_spatial_tendons)."""
        return self._tendons(c.TendonModel.damping, self._first_paths)

    @property
    def spatial_tendon_limit_stiffness(self) -> Any:
        """(n, num_spatial_tendons): of the spring beyond limits; 0: none, infinite: hard limits."""
        return self._tendons(c.TendonModel.limit_stiffness, self._first_paths)

    @property
    def spatial_tendon_offset(self) -> Any:
        """(n, num_spatial_tendons): added to the length."""
        return self._tendons(c.TendonModel.offset, self._first_paths)

    @property
    def spatial_tendon_rest_length(self) -> Any:
        """(n, leaves): length without force from the root to each leaf."""
        return self._tendons(c.TendonModel.rest_length, self._paths)

    @property
    @on_device
    def spatial_tendon_pos_limits(self) -> Any:
        """(n, leaves, 2): least and greatest length from the root to each leaf."""
        return self._limits(self._paths)

    @property
    @on_device
    def spatial_tendon_length(self) -> Any:
        """(n, leaves): geared length from the root to each leaf, and offset."""
        return self._length(self._paths)

    @property
    @on_device
    def spatial_tendon_force(self) -> Any:
        """(n, leaves): over the last substep, positive if it lengthens the tendon."""
        return self._force(self._paths)

    @on_device
    def set_spatial_tendons(
        self,
        stiffness: Any = None,
        damping: Any = None,
        limit_stiffness: Any = None,
        rest_length: Any = None,
        offset: Any = None,
        pos_limits: Any = None,
        env_ids: Any = None,
    ) -> None:
        """Set properties of the spatial tendons, (n, num_spatial_tendons) each or what broadcasts to it.

        ``rest_length`` is (n, leaves), ``pos_limits`` (n, leaves, 2). Environments may differ.
        """
        given = dict(zip(PROPERTIES, (stiffness, damping, limit_stiffness, rest_length, offset), strict=True))
        owners = {key: self._owners for key in given}
        owners["rest_length"] = np.arange(len(self._owners))
        self._set_tendons("spatial tendon", given, self._paths, owners, pos_limits, env_ids)

    # -- rows ------------------------------------------------------------------------------------------------

    @property
    def _fixed(self) -> slice:
        return slice(self._first_tendon, self._first_tendon + self.num_fixed_tendons)

    @property
    def _paths(self) -> slice:
        start = self._first_tendon + self.num_fixed_tendons
        return slice(start, start + len(self.spatial_tendon_leaves))

    @property
    def _owners(self) -> np.ndarray:
        """Of each path the number of its spatial tendon."""
        leaves = [len(tendon.leaves()) for tendon in self.model.spatial_tendons]
        return np.repeat(np.arange(len(leaves)), leaves)

    @property
    def _first_paths(self) -> np.ndarray:
        return self._paths.start + np.searchsorted(self._owners, np.arange(self.num_spatial_tendons))

    def _tendons(self, field: Field, rows: slice | np.ndarray) -> Any:
        self.engine.build()
        count = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
        if not count:
            return self._xp.zeros((self.engine.num_envs, 0), self.engine.dtype)
        return self._read(field, rows)

    def _limits(self, rows: slice) -> Any:
        both = [self._tendons(field, rows) for field in (c.TendonModel.lower, c.TendonModel.upper)]
        return self._xp.stack(both, axis=-1)

    def _length(self, rows: slice) -> Any:
        self.engine.compute()
        return self._tendons(c.TendonLength.value, rows) + self._tendons(c.TendonModel.offset, rows)

    def _force(self, rows: slice) -> Any:
        return self._tendons(c.TendonState.impulse, rows) * (self.engine.substeps / self.engine.dt)

    def _set_tendons(
        self,
        what: str,
        given: dict[str, Any],
        rows: slice,
        owners: dict[str, np.ndarray],
        pos_limits: Any,
        env_ids: Any,
    ) -> None:
        checked = []
        for key, value in given.items():
            if value is not None:
                signed = key in ("rest_length", "offset")
                count = int(owners[key].max(initial=-1)) + 1
                values, envs = self._input(
                    f"{what} {key}", value, count, env_ids, finite=key != "limit_stiffness", negative=signed
                )
                checked.append((PROPERTIES[key], values[:, self._xp.asarray(owners[key])], envs))
        if pos_limits is not None:
            values, envs = self._input(f"{what} limits", pos_limits, (rows.stop - rows.start, 2), env_ids, finite=False)
            if (values[..., 0] > values[..., 1]).any():
                raise ValueError(f"{self}: {what} limits: the lower one must not be above the upper")
            checked += [(c.TendonModel.lower, values[..., 0], envs), (c.TendonModel.upper, values[..., 1], envs)]
        if rows.stop > rows.start:
            for field, values, envs in checked:
                self._write(field, rows, values, envs)
        self.engine.touch_inputs()
