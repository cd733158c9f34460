"""Setting tendons: setters fill buffers, which a call of its own hands to the simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from phalanx.facade.isaaclab.assets.buffers import set_part
from phalanx.facade.namespaces import array, copy, rows

FIXED = ("stiffness", "damping", "limit_stiffness", "pos_limits", "rest_length", "offset")
SPATIAL = ("stiffness", "damping", "limit_stiffness", "offset")

Ids = Sequence[int] | slice | None


class TendonWriter:
    """The part of an articulation that sets tendons.

    Values are (chosen instances, chosen tendons), or a number for all; limits have (..., 2). ``env_ids`` and tendon ids
    say which; all by default.
    """

    data: Any
    root_physx_view: Any

    def set_fixed_tendon_stiffness(self, stiffness: Any, fixed_tendon_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set stiffnesses of fixed tendons in the buffer."""
        self._set_tendon("fixed", "stiffness", stiffness, fixed_tendon_ids, env_ids)

    def set_fixed_tendon_damping(self, damping: Any, fixed_tendon_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set dampings of fixed tendons in the buffer."""
        self._set_tendon("fixed", "damping", damping, fixed_tendon_ids, env_ids)

    def set_fixed_tendon_limit_stiffness(
        self, limit_stiffness: Any, fixed_tendon_ids: Ids = None, env_ids: Ids = None
    ) -> None:
        """Set stiffnesses of fixed tendons beyond their limits in the buffer."""
        self._set_tendon("fixed", "limit_stiffness", limit_stiffness, fixed_tendon_ids, env_ids)

    def set_fixed_tendon_position_limit(self, limit: Any, fixed_tendon_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set least and greatest lengths of fixed tendons in the buffer, (..., 2)."""
        self._set_tendon("fixed", "pos_limits", limit, fixed_tendon_ids, env_ids)

    def set_fixed_tendon_limit(self, limit: Any, fixed_tendon_ids: Ids = None, env_ids: Ids = None) -> None:
        """Same as :meth:`set_fixed_tendon_position_limit`."""
        self.set_fixed_tendon_position_limit(limit, fixed_tendon_ids, env_ids)

    def set_fixed_tendon_rest_length(self, rest_length: Any, fixed_tendon_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set rest lengths of fixed tendons in the buffer."""
        self._set_tendon("fixed", "rest_length", rest_length, fixed_tendon_ids, env_ids)

    def set_fixed_tendon_offset(self, offset: Any, fixed_tendon_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set offsets of fixed tendons in the buffer."""
        self._set_tendon("fixed", "offset", offset, fixed_tendon_ids, env_ids)

    def write_fixed_tendon_properties_to_sim(self, fixed_tendon_ids: Ids = None, env_ids: Ids = None) -> None:
        """Hand buffers of fixed tendons to the simulation."""
        values = [self._chosen_tendons("fixed", name, fixed_tendon_ids) for name in FIXED]
        self.root_physx_view.set_fixed_tendon_properties(*values, self._indices(env_ids))

    def set_spatial_tendon_stiffness(self, stiffness: Any, spatial_tendon_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set stiffnesses of spatial tendons in the buffer."""
        self._set_tendon("spatial", "stiffness", stiffness, spatial_tendon_ids, env_ids)

    def set_spatial_tendon_damping(self, damping: Any, spatial_tendon_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set dampings of spatial tendons in the buffer."""
        self._set_tendon("spatial", "damping", damping, spatial_tendon_ids, env_ids)

    def set_spatial_tendon_limit_stiffness(
        self, limit_stiffness: Any, spatial_tendon_ids: Ids = None, env_ids: Ids = None
    ) -> None:
        """Set stiffnesses of spatial tendons beyond their limits in the buffer."""
        self._set_tendon("spatial", "limit_stiffness", limit_stiffness, spatial_tendon_ids, env_ids)

    def set_spatial_tendon_offset(self, offset: Any, spatial_tendon_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set offsets of spatial tendons in the buffer."""
        self._set_tendon("spatial", "offset", offset, spatial_tendon_ids, env_ids)

    def write_spatial_tendon_properties_to_sim(self, spatial_tendon_ids: Ids = None, env_ids: Ids = None) -> None:
        """Hand buffers of spatial tendons to the simulation."""
        values = [self._chosen_tendons("spatial", name, spatial_tendon_ids) for name in SPATIAL]
        self.root_physx_view.set_spatial_tendon_properties(*values, self._indices(env_ids))

    # -- inside ----------------------------------------------------------------------------------------------

    _indices: Callable[[Any], Any]

    def _set_tendon(self, sort: str, name: str, value: Any, tendon_ids: Ids, env_ids: Ids) -> None:
        buffer = getattr(self.data, f"{sort}_tendon_{name}")
        set_part(type(self).__name__, f"{sort} tendons' {name}", buffer, value, env_ids, tendon_ids)

    def _chosen_tendons(self, sort: str, name: str, tendon_ids: Ids) -> Any:
        """A buffer with what the simulation has for tendons that are not chosen."""
        buffer = getattr(self.data, f"{sort}_tendon_{name}")
        if tendon_ids is None:
            return buffer
        plural = {"pos_limits": "limits", "stiffness": "stiffnesses", "limit_stiffness": "limit_stiffnesses"}
        found = copy(getattr(self.root_physx_view, f"get_{sort}_tendon_{plural.get(name, name + 's')}")())
        chosen = rows(tendon_ids)
        found[:, chosen] = buffer[:, chosen]
        return found

    def _read_tendons(self, data: Any, device: str) -> None:
        """Fill the buffers with what the simulation has."""
        view = self.root_physx_view
        plural = {"pos_limits": "limits", "stiffness": "stiffnesses", "limit_stiffness": "limit_stiffnesses"}
        for sort, names in (("fixed", FIXED), ("spatial", SPATIAL)):
            for name in names:
                values = getattr(view, f"get_{sort}_tendon_{plural.get(name, name + 's')}")()
                setattr(data, f"default_{sort}_tendon_{name}", values)
                setattr(data, f"{sort}_tendon_{name}", copy(array(values, device)))
