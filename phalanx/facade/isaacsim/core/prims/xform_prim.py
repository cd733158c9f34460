"""Views of prims that have a place: poses, scales, visibility, materials that are seen."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import live_poses
from phalanx.facade.backends import on_host, shaped
from phalanx.facade.isaaclab.sim.utils.transforms import standardize_xform_ops, validate_standard_xform_ops
from phalanx.facade.isaacsim.core.prims.prim import Prim
from phalanx.facade.isaacsim.core.prims.visual_bindings import VisualBindings
from phalanx.facade.isaacsim.core.utils.prims import is_prim_non_root_articulation_link
from phalanx.facade.isaacsim.core.utils.types import XFormPrimViewState
from phalanx.facade.live_poses import Carriers
from phalanx.io.formats.usd.bindings import Gf, Sdf, UsdGeom
from phalanx.io.formats.usd.bindings import Prim as UsdPrim
from phalanx.maths.arrays import from_matrix, matrix

log = logging.getLogger("phalanx.facade")

WXYZ = [6, 3, 4, 5]
"""Columns of a transform of a tensor view that are the quaternion (w, x, y, z)."""

Poses = tuple[Any, Any]
"""Positions (M, 3) in units of the stage, and quaternions (w, x, y, z), (M, 4)."""


class XFormPrim(Prim, VisualBindings):
    """Prims that have a place, such as ``UsdGeom.Xform``.

    Arrays are of the backend of the world (NumPy, torch, Warp), on its device, copies that stay as they are.
    ``indices`` are numbers of prims, (M,), in any order; ``None`` is all of them, and M is their number. Lengths
    are in units of the stage, quaternions are (w, x, y, z).

    Args:
        prim_paths_expr: an expression for paths, or several in a list.
        name: for scenes and messages.
        positions: in the world, (N, 3); then orientations are in the world, too, as they are where neither is given.
        translations: in the frames of the prims above, (N, 3), as orientations are then; instead of positions.
        orientations: (N, 4).
        scales: along the prims' own axes, (N, 3).
        visibilities: whether prims are shown, (N,).
        reset_xform_properties: whether to let prims keep their places as translation, orientation and scale.
        usd: no meaning: poses are those of the simulation, or of the stage for what is not simulated.

    Raises:
        ValueError: no prim matches, both positions and translations are given, or an array has another shape.
    """

    _default_state: XFormPrimViewState | None = None

    _default_on_bodies: tuple[np.ndarray, np.ndarray] | None = None

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        name: str = "xform_prim_view",
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        visibilities: Any = None,
        reset_xform_properties: bool = True,
        usd: bool = True,
    ) -> None:
        super().__init__(prim_paths_expr, name)
        self._carriers: tuple[Any, Carriers | None] = (None, None)
        self._placed = self._prims_with_place()
        self._non_root_link = is_prim_non_root_articulation_link(self._prim_paths[0])
        self._before_poses()
        if not self._non_root_link:
            if translations is not None and positions is not None:
                raise ValueError("You can not define translation and position at the same time")
            if reset_xform_properties:
                self._standardize()
            if translations is not None:
                self.set_local_poses(translations, orientations)
            elif positions is not None or orientations is not None:
                self.set_world_poses(positions, orientations)
            if scales is not None:
                XFormPrim.set_local_scales(self, scales)
        if visibilities is not None:
            self.set_visibilities(visibilities)
        if not self._non_root_link:
            self._default_state = XFormPrimViewState(*self.get_world_poses())
        self._default_on_bodies = self._places_on_bodies()

    def _prims_with_place(self) -> list[UsdPrim]:
        """The prims whose places are meant: these, or others for those that cannot have one."""
        return self._prims

    def _before_poses(self) -> None:
        """For classes that derive from it: what has to be known before poses are written."""

    def _standardize(self) -> None:
        for prim in self._placed:
            if prim.IsA(UsdGeom.Xformable) and not validate_standard_xform_ops(prim):
                standardize_xform_ops(prim)  # what units an asset has is a scale like any other

    @property
    def is_non_root_articulation_link(self) -> bool:
        """Whether the first prim is a link of an articulation, and not its root, so that joints carry it."""
        return self._non_root_link

    # -- poses in the world ----------------------------------------------------------------------------------

    def _carried(self) -> Carriers | None:
        """The bodies that carry the prims in the world that is simulated now."""
        from phalanx.facade import simulation

        world = simulation.stage_world()
        if self._carriers[0] is not world:
            self._carriers = (world, live_poses.of([str(prim.GetPath()) for prim in self._placed]))
        return self._carriers[1]

    def _transforms(self, chosen: Sequence[int], above: bool = False) -> np.ndarray:
        """(M, 4, 4): from the frames of prims, or of those above them, to the world, scale and all."""
        prims = [self._placed[i] for i in chosen]
        if above:
            prims = [prim.GetParent() for prim in prims]
            carriers = live_poses.of([prim.GetPath().pathString for prim in prims]) if self._carried() else None
            return live_poses.transforms(prims, carriers)
        carriers = self._carried()
        if carriers is not None and len(chosen) != self.count:
            carriers = live_poses.of([str(prim.GetPath()) for prim in prims])
        return live_poses.transforms(prims, carriers)

    def get_world_poses(self, indices: Any = None, usd: bool = True) -> Poses:
        """Positions (M, 3) and orientations (M, 4) in the world, without scale.

        A prim that is a rigid body, or lies below one, is where the simulation has it.
        """
        self._check_valid()
        positions, orientations = live_poses.poses(self._transforms(self._chosen(indices)))
        return self._backend.give(positions), self._backend.give(orientations)

    def set_world_poses(
        self, positions: Any = None, orientations: Any = None, indices: Any = None, usd: bool = True
    ) -> None:
        """Put prims somewhere in the world, at once.

        Args:
            positions: (M, 3); ``None``: they stay.
            orientations: (M, 4); ``None``: they stay.
            indices: of prims.
            usd: no meaning.

        Raises:
            ValueError: an array has another shape.
            RuntimeError: a prim was deleted.
        """
        self._check_valid()
        chosen = self._chosen(indices)
        if not chosen:
            return
        places, turns = live_poses.poses(self._transforms(chosen))
        if positions is not None:
            places = shaped("positions", on_host(positions, float), (len(chosen), 3))
        if orientations is not None:
            turns = _unit(shaped("orientations", on_host(orientations, float), (len(chosen), 4)))
        carriers = self._carried()
        if carriers is not None and carriers.own[chosen].any():
            self._teleport(carriers, chosen, places, turns)
            rest = np.flatnonzero(~carriers.own[chosen])
            chosen, places, turns = [chosen[i] for i in rest], places[rest], turns[rest]
        if chosen:
            self._write_local(chosen, *_local(self._transforms(chosen, above=True), places, turns))

    def _teleport(self, carriers: Carriers, chosen: Sequence[int], places: np.ndarray, turns: np.ndarray) -> None:
        """Put rigid bodies somewhere while they are simulated."""
        assert carriers.view is not None
        rows = [(int(carriers.body[i]), n) for n, i in enumerate(chosen) if carriers.own[i]]
        data = np.zeros((carriers.view.count, 7))
        data[:, 6] = 1.0
        for row, n in rows:
            data[row] = [*(places[n] * self._unit), *turns[n, 1:], turns[n, 0]]
        carriers.view.set_transforms(data, np.array([row for row, _ in rows]))

    # -- poses below others ----------------------------------------------------------------------------------

    def _rows_of(self, found: Any, indices: Any) -> Any:
        rows = self._backend.rows(indices, self.count)
        return found if rows is None else found[rows]

    def _poses_of(self, transforms: Any, indices: Any) -> Poses:
        """Positions and orientations of rows of a tensor view's transforms (count, 7)."""
        pose = self._rows_of(transforms, indices)
        places = pose[:, :3] if self._unit == 1.0 else pose[:, :3] / self._unit
        return self._backend.give(places), self._backend.give(pose[:, WXYZ])

    def _with_poses(self, transforms: Any, positions: Any, orientations: Any, indices: Any) -> tuple[Any, Any]:
        """A tensor view's transforms (count, 7) with what is not ``None`` written to them, and the rows of it."""
        rows = self._backend.rows(indices, self.count)
        count = self.count if rows is None else len(rows)
        some = slice(None) if rows is None else rows
        if positions is not None:
            places = shaped("positions", self._backend.take(positions), (count, 3))
            transforms[some, :3] = places * self._unit if self._unit != 1.0 else places
        if orientations is not None:
            turns = shaped("orientations", self._backend.take(orientations), (count, 4))
            transforms[some, 3:] = turns[:, [1, 2, 3, 0]]
        return transforms, rows

    def get_local_poses(self, indices: Any = None) -> Poses:
        """Translations (M, 3) and orientations (M, 4) in the frames of the prims above, without scale."""
        self._check_valid()
        chosen = self._chosen(indices)
        carriers = self._carried()
        if carriers is None:
            found = [UsdGeom.Xformable(self._placed[i]).GetLocalTransformation() for i in chosen]
            matrices = np.array([Gf.Matrix4d(one) for one in found], float).reshape(-1, 4, 4).swapaxes(1, 2)
            places, turns = live_poses.poses(matrices)
        else:
            return self._below_parents(chosen, *live_poses.poses(self._transforms(chosen)))
        return self._backend.give(places), self._backend.give(turns)

    def _below_parents(self, chosen: Sequence[int], positions: Any, orientations: Any) -> Poses:
        """Poses in the world as those in the frames of the prims above."""
        above = self._transforms(chosen, above=True)
        places, turns = _local(above, on_host(positions, float), on_host(orientations, float))
        return self._backend.give(places), self._backend.give(turns)

    def set_local_poses(self, translations: Any = None, orientations: Any = None, indices: Any = None) -> None:
        """Put prims somewhere in the frames of the prims above, at once; see :meth:`set_world_poses`."""
        self._check_valid()
        chosen = self._chosen(indices)
        places = turns = None
        if translations is not None:
            places = shaped("translations", on_host(translations, float), (len(chosen), 3))
        if orientations is not None:
            turns = _unit(shaped("orientations", on_host(orientations, float), (len(chosen), 4)))
        if not self._is_moved_by_physics(chosen):
            self._write_local(chosen, places, turns)
            return
        above = self._transforms(chosen, above=True)
        now = _local(above, *(on_host(each, float) for each in self.get_world_poses(indices)))
        places, turns = now[0] if places is None else places, now[1] if turns is None else turns
        self.set_world_poses(*_world(above, places, turns), indices)

    def _is_moved_by_physics(self, chosen: Sequence[int]) -> bool:
        """Whether some of the prims are bodies that are simulated."""
        carriers = self._carried()
        return carriers is not None and bool(carriers.own[chosen].any())

    def _write_local(self, chosen: Sequence[int], places: np.ndarray | None, turns: np.ndarray | None) -> None:
        """Write poses into the prims' own operations."""
        moved = None if places is None else places.tolist()
        turned = None if turns is None else turns.tolist()
        with Sdf.ChangeBlock():
            for n, i in enumerate(chosen):
                prim = self._placed[i]
                if moved is not None and (attribute := self._operation(prim, "translate")):
                    attribute.Set(_vector(attribute, moved[n]))
                if turned is not None and (attribute := self._operation(prim, "orient")):
                    w, x, y, z = turned[n]
                    kind = {"quatf": Gf.Quatf, "quath": Gf.Quath}.get(str(attribute.GetTypeName()), Gf.Quatd)
                    attribute.Set(kind(w, x, y, z))

    def _operation(self, prim: Any, name: str) -> Any:
        attribute = prim.GetAttribute(f"xformOp:{name}")
        if not attribute:
            log.error(
                "%s has no xformOp:%s, so that it cannot be set; make the view with reset_xform_properties=True",
                prim.GetPath(),
                name,
            )
        return attribute

    # -- scales ----------------------------------------------------------------------------------------------

    def get_world_scales(self, indices: Any = None) -> Any:
        """(M, 3): by what prims are scaled along their own axes, with the scale of the prims above them."""
        self._check_valid()
        found = live_poses.transforms([self._placed[i] for i in self._chosen(indices)], None)
        return self._backend.give(np.linalg.norm(found[:, :3, :3], axis=1))

    def get_local_scales(self, indices: Any = None) -> Any:
        """(M, 3): by what prims are scaled along their own axes; 1 for those that are not."""
        self._check_valid()
        found = []
        for i in self._chosen(indices):
            attribute = self._placed[i].GetAttribute("xformOp:scale")
            found.append(tuple(attribute.Get()) if attribute and attribute.Get() is not None else (1.0, 1.0, 1.0))
        return self._backend.give(np.array(found, float).reshape(-1, 3))

    def set_local_scales(self, scales: Any, indices: Any = None) -> None:
        """Scale prims along their own axes, (M, 3). What is simulated keeps its size until the next reset."""
        self._check_valid()
        chosen = self._chosen(indices)
        values = shaped("scales", on_host(scales, float), (len(chosen), 3)).tolist()
        with Sdf.ChangeBlock():
            for n, i in enumerate(chosen):
                if attribute := self._operation(self._placed[i], "scale"):
                    attribute.Set(_vector(attribute, values[n]))

    # -- visibility ------------------------------------------------------------------------------------------

    def set_visibilities(self, visibilities: Any, indices: Any = None) -> None:
        """Show or hide prims, (M,); showing one also shows what is above it."""
        self._check_valid()
        chosen = self._chosen(indices)
        wanted = shaped("visibilities", on_host(visibilities), (len(chosen),)).tolist()
        for visible, i in zip(wanted, chosen, strict=True):
            image = UsdGeom.Imageable(self._prims[i])
            (image.MakeVisible if visible else image.MakeInvisible)()

    def get_visibilities(self, indices: Any = None) -> Any:
        """(M,), bool: whether prims are shown, as those above them say, too."""
        self._check_valid()
        found = [UsdGeom.Imageable(self._prims[i]).ComputeVisibility() != "invisible" for i in self._chosen(indices)]
        return self._backend.give(np.array(found, bool))

    # -- default state ---------------------------------------------------------------------------------------

    def get_default_state(self) -> XFormPrimViewState | None:
        """Where :meth:`post_reset` puts the prims; ``None``, with a warning, for links that joints carry."""
        if self._non_root_link:
            log.warning("%s is a link that joints carry, and has no default state", self._prim_paths[0])
        return self._default_state

    def set_default_state(self, positions: Any = None, orientations: Any = None, indices: Any = None) -> None:
        """Set where :meth:`post_reset` puts prims in the world, (M, 3) and (M, 4); what is ``None`` stays."""
        if self._non_root_link:
            log.warning("%s is a link that joints carry, and has no default state", self._prim_paths[0])
            return
        if self._default_state is None:
            self._default_state = XFormPrimViewState(*self.get_world_poses())
        state, chosen = self._default_state, self._chosen(indices)
        for name, values, width in (("positions", positions, 3), ("orientations", orientations, 4)):
            if values is not None:
                old = on_host(getattr(state, name), float).copy()
                old[chosen] = shaped(name, on_host(values, float), (len(chosen), width))
                setattr(state, name, self._backend.give(old))
        self._default_on_bodies = self._places_on_bodies()

    def _on_bodies(self) -> np.ndarray:
        """Numbers of the prims that lie below bodies which are simulated, and are none themselves."""
        carriers = self._carried()
        return np.zeros(0, int) if carriers is None else np.flatnonzero((carriers.body >= 0) & ~carriers.own)

    def _places_on_bodies(self, simulated: bool = True) -> tuple[np.ndarray, np.ndarray] | None:
        """The default state of prims on bodies as poses below the prims above; ``None`` if there are no such prims.

        ``simulated``: the prims above are where the simulation has them, else where the stage has them.
        """
        chosen, state = self._on_bodies(), self._default_state
        if not len(chosen) or state is None or state.positions is None or state.orientations is None:
            return None
        prims = [self._placed[i].GetParent() for i in chosen]
        carriers = live_poses.of([str(prim.GetPath()) for prim in prims]) if simulated else None
        places, turns = (on_host(each, float)[chosen] for each in (state.positions, state.orientations))
        return _local(live_poses.transforms(prims, carriers), places, turns)

    def _on_post_reset(self, event: Any) -> None:
        """Prims on bodies go to where they were on them by default, wherever the bodies are after the reset."""
        if self._default_state is None or self._non_root_link or not self.is_valid():
            return
        places, turns, chosen = self._default_state.positions, self._default_state.orientations, self._on_bodies()
        if not len(chosen):
            self.set_world_poses(places, turns)
            return
        held = self._default_on_bodies or self._places_on_bodies(simulated=False)
        if held is not None:
            self._write_local(chosen.tolist(), *held)
        rest = np.setdiff1d(np.arange(self.count), chosen)
        if len(rest):
            some = [None if each is None else on_host(each, float)[rest] for each in (places, turns)]
            self.set_world_poses(*some, indices=rest)


def _vector(attribute: Any, value: Sequence[float]) -> Any:
    kind = {"float3": Gf.Vec3f, "half3": Gf.Vec3h}.get(str(attribute.GetTypeName()), Gf.Vec3d)
    return kind(*value)


def _unit(quaternions: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(quaternions, axis=-1, keepdims=True)
    if not (length > 1e-6).all():
        raise ValueError("orientations have a quaternion of zero length; they must be (w, x, y, z)")
    return quaternions / length


def _local(above: np.ndarray, places: np.ndarray, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses in the world as those below frames (n, 4, 4), whose scale counts for places and not for turns."""
    inverse = np.linalg.inv(above)
    moved = (inverse[:, :3, :3] @ places[..., None])[..., 0] + inverse[:, :3, 3]
    turned = live_poses.rigid(above)[:, :3, :3].swapaxes(1, 2) @ matrix(turns)
    return moved, from_matrix(turned)


def _world(above: np.ndarray, places: np.ndarray, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The other way round."""
    moved = (above[:, :3, :3] @ places[..., None])[..., 0] + above[:, :3, 3]
    return moved, from_matrix(live_poses.rigid(above)[:, :3, :3] @ matrix(turns))


__all__ = ["XFormPrim"]
