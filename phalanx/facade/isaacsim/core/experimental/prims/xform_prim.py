"""Wrappers of prims that have a place."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.experimental.prims import views
from phalanx.facade.isaacsim.core.experimental.prims.prim import Prim, require
from phalanx.facade.isaacsim.core.prims.visual_bindings import bind, bound, each

log = logging.getLogger("phalanx.facade")

Poses = tuple[Any, Any]
"""Positions (M, 3) in units of the stage, and quaternions (M, 4)."""

WAYS = ("usd", "usdrt", "fabric")


class XformPrim(Prim):
    """Prims that have a place, such as ``UsdGeom.Xform``.

    Args:
        paths: see :class:`Prim`.
        resolve_paths: see :class:`Prim`.
        positions: in the world, (N, 3); then orientations are in the world, too, as they are where neither is given.
        translations: in the frames of the prims above, (N, 3), as orientations are then; instead of positions.
        orientations: (N, 4).
        scales: along the prims' own axes, (N, 3).
        reset_xform_op_properties: whether to let prims keep their places as translation, orientation and scale at once,
            rather than when they are first moved.

    Raises:
        AssertionError: there is no prim at a path, or both positions and translations are given.
        ValueError: an expression matches none, or an array has another shape.
    """

    def __init__(
        self,
        paths: str | list[str],
        *,
        resolve_paths: bool = True,
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        reset_xform_op_properties: bool = False,
    ) -> None:
        self._defaults: dict[str, np.ndarray | None] = {}
        super().__init__(paths, resolve_paths=resolve_paths)
        require(positions is None or translations is None, "positions and translations cannot be given both")
        places = any(each is not None for each in (positions, translations, orientations, scales))
        if self.is_non_root_articulation_link:
            if places:
                log.warning("%s is carried by joints of an articulation: its place is not set", self.paths[0])
            return
        if reset_xform_op_properties:
            self.reset_xform_op_properties()
        if positions is not None or (orientations is not None and translations is None):
            XformPrim.set_world_poses(self, positions, orientations)
        elif translations is not None:
            XformPrim.set_local_poses(self, translations, orientations)
        if scales is not None:
            self.set_local_scales(scales)

    def _check_writable(self, *supported: str) -> None:
        """See that prims can be moved: those that keep their places otherwise keep them as three operations then."""
        self._check_valid()
        self._check_backend(*supported)
        if not self._is_standard and not self.is_non_root_articulation_link:
            self.reset_xform_op_properties()

    _is_standard = False

    def _make_view(self, paths: list[str]) -> Any:
        return views.Places(paths, reset_xform_properties=False)

    @property
    def is_non_root_articulation_link(self) -> bool:
        """Whether the first prim is a link of an articulation, and not its root, so that joints carry it."""
        return self._view.is_non_root_articulation_link

    # -- visibility and materials ----------------------------------------------------------------------------

    def set_visibilities(self, visibilities: Any, *, indices: Any = None) -> None:
        """Show or hide prims, (M, 1); showing one also shows what is above it."""
        self._check_valid()
        self._view.set_visibilities(self._on_host(visibilities, self._size(indices), 1)[:, 0], indices)

    def get_visibilities(self, *, indices: Any = None) -> Any:
        """(M, 1), bool: whether prims are shown, as those above them say, too."""
        self._check_valid()
        return self._given(self._view.get_visibilities(indices), -1, 1)

    def apply_visual_materials(
        self, materials: Any, *, weaker_than_descendants: Any = None, indices: Any = None
    ) -> None:
        """Let prims be seen in materials; see :meth:`_bind`."""
        self._bind(materials, weaker_than_descendants, indices, "")

    def _bind(self, materials: Any, weaker_than_descendants: Any, indices: Any, purpose: str) -> None:
        """Bind materials to prims.

        Args:
            materials: one for all, or a list with one for each.
            weaker_than_descendants: whether materials of prims below count rather than these, (M, 1); they do not by
                default.
            indices: of prims.
            purpose: empty, or ``"physics"``.
        """
        self._check_valid()
        chosen = self._chosen(indices)
        given = materials[0] if isinstance(materials, list | tuple) and len(materials) == 1 else materials
        weaker = False if weaker_than_descendants is None else weaker_than_descendants
        flags = self._on_host(weaker, len(chosen), 1)[:, 0].tolist()
        for i, material, weak in zip(chosen, each("materials", given, len(chosen)), flags, strict=True):
            if not hasattr(material, "materials"):
                raise TypeError(f"materials: {material!r:.100} is no material; make one, such as OmniPbrMaterial(path)")
            bind(self.prims[i], material.materials[0], weak, purpose)

    def get_applied_visual_materials(self, *, indices: Any = None) -> list[Any]:
        """The materials that prims are bound to themselves, (M,); ``None`` for a prim without one that is known."""
        from phalanx.facade.isaacsim.core.experimental.materials import VisualMaterial

        return self._bound(VisualMaterial, indices, "")

    def _bound(self, kind: Any, indices: Any, purpose: str) -> list[Any]:
        self._check_valid()
        found = []
        for i in self._chosen(indices):
            path = bound(self.prims[i], purpose)
            found.append(kind.fetch_instances([path])[0] if path else None)
            if path and found[-1] is None:
                log.warning("the material %s of %s is none that there is a class for", path, self.paths[i])
        return found

    # -- poses and scales ------------------------------------------------------------------------------------

    _ways = WAYS

    def get_world_poses(self, *, indices: Any = None) -> Poses:
        """Positions (M, 3) and orientations (M, 4) in the world, without scale.

        A prim that is a rigid body, or lies below one, is where the simulation has it.
        """
        self._check_valid()
        self._check_backend(*self._ways)
        places, turns = self._view.get_world_poses(indices)
        return self._given(places), self._given(turns)

    def set_world_poses(self, positions: Any = None, orientations: Any = None, *, indices: Any = None) -> None:
        """Put prims somewhere in the world, at once, (M, 3) and (M, 4); what is ``None`` stays.

        Raises:
            AssertionError: both are ``None``.
            ValueError: an array has another shape.
        """
        require(positions is not None or orientations is not None, "positions and orientations are both None")
        self._check_writable(*self._ways)
        self._view.set_world_poses(*self._poses(positions, orientations, indices), indices)

    def get_local_poses(self, *, indices: Any = None) -> Poses:
        """Translations (M, 3) and orientations (M, 4) in the frames of the prims above, without scale."""
        self._check_valid()
        self._check_backend(*self._ways)
        places, turns = self._view.get_local_poses(indices)
        return self._given(places), self._given(turns)

    def set_local_poses(self, translations: Any = None, orientations: Any = None, *, indices: Any = None) -> None:
        """Put prims somewhere in the frames of the prims above, at once; see :meth:`set_world_poses`."""
        require(translations is not None or orientations is not None, "translations and orientations are both None")
        self._check_writable(*self._ways)
        self._view.set_local_poses(*self._poses(translations, orientations, indices), indices)

    def _poses(self, places: Any, turns: Any, indices: Any) -> tuple[Any, Any]:
        count = self._size(indices)
        return (
            None if places is None else self._taken(places, count, 3),
            None if turns is None else self._taken(turns, count, 4),
        )

    def get_local_scales(self, *, indices: Any = None) -> Any:
        """(M, 3): by what prims are scaled along their own axes."""
        self._check_valid()
        self._check_backend(*WAYS)
        return self._given(self._view.get_local_scales(indices))

    def set_local_scales(self, scales: Any = None, *, indices: Any = None) -> None:
        """Scale prims along their own axes, (M, 3). What is simulated keeps its size until the next start."""
        require(scales is not None, "scales are None")
        self._check_writable(*WAYS)
        self._view.set_local_scales(self._taken(scales, self._size(indices), 3), indices)

    def reset_xform_op_properties(self) -> None:
        """Let prims keep their places as translation, orientation and scale; they stay where they are."""
        self._check_valid()
        self._view.standardize()
        self._is_standard = True

    # -- default state ---------------------------------------------------------------------------------------

    def _keep(self, name: str, values: Any, rows: Any, columns: Any, width: int) -> None:
        """Keep values (M, K) of what :meth:`reset_to_default_state` goes back to."""
        if values is None:
            return
        whole = self._defaults.get(name)
        if whole is None:
            whole = np.zeros((len(self), width), np.float32)
            if name == "orientations":
                whole[:, 0] = 1.0
        chosen = self._view.arrays.host(rows, len(self))
        some = self._view.arrays.host(columns, width)
        whole = whole.copy()
        whole[np.ix_(chosen, some)] = on_host(self._taken(values, len(chosen), len(some)))
        self._defaults[name] = whole

    def _kept(self, name: str, rows: Any, columns: Any = None) -> Any:
        whole = self._defaults.get(name)
        if whole is None:
            return None
        chosen = self._view.arrays.host(rows, len(self))
        return self._given(whole[np.ix_(chosen, self._view.arrays.host(columns, whole.shape[1]))])

    def get_default_state(self, *, indices: Any = None) -> tuple[Any, ...]:
        """Positions (M, 3) and orientations (M, 4) that were set as default; ``None`` for what never was.

        Raises:
            AssertionError: they are links that joints carry.
        """
        self._check_valid()
        self._check_root()
        return self._kept("positions", indices), self._kept("orientations", indices)

    def set_default_state(self, positions: Any = None, orientations: Any = None, *, indices: Any = None) -> None:
        """Set where :meth:`reset_to_default_state` puts prims in the world, (M, 3) and (M, 4).

        What is never set for some prims is 0, and (1, 0, 0, 0).

        Raises:
            AssertionError: both are ``None``, or they are links that joints carry.
        """
        require(positions is not None or orientations is not None, "positions and orientations are both None")
        self._check_valid()
        self._check_root()
        self._keep("positions", positions, indices, None, 3)
        self._keep("orientations", orientations, indices, None, 4)

    def _check_root(self) -> None:
        message = f"{self.paths[0]} is carried by joints of an articulation, and has no default state"
        require(not self.is_non_root_articulation_link, message)

    def reset_to_default_state(self, *, warn_on_non_default_state: bool = False) -> None:
        """Put prims where they are by default; nothing if that was never set.

        Args:
            warn_on_non_default_state: whether to warn of what was never set.
        """
        self._check_valid()
        if self.is_non_root_articulation_link:
            log.warning("%s is carried by joints of an articulation, and has no default state", self.paths[0])
            return
        self._restore(warn_on_non_default_state, self.set_world_poses, "positions", "orientations")

    def _restore(self, warn: bool, put: Any, *names: str) -> None:
        """Hand default values to a method, if one of them was set."""
        values = [self._defaults.get(name) for name in names]
        if any(value is not None for value in values):
            put(*values)
        elif warn:
            log.warning("%r has no default %s: call set_default_state() first", self, " or ".join(names))
