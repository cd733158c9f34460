"""Poses, scales and visibility of many prims of the stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import accept
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.namespaces import array
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, Stage, Usd, UsdGeom


class XformPrimView:
    """The prims that a path stands for, as they are on the stage, which the simulation does not move.

    Poses, scales and visibility are read from the stage and written to it. Indices are lists, arrays or slices;
    ``None`` stands for all prims.

    Args:
        prim_path: an expression segment by segment.
        device: of the arrays that it hands out.
        validate_xform_ops: whether to refuse prims that do not keep their place as translation, orientation and scale.
        sync_usd_on_fabric_write: no effect: what is written is always on the stage.
        stage: the current one by default.

    Raises:
        ValueError: a prim does not keep its place so; ``sim_utils.standardize_xform_ops`` lets it.
    """

    def __init__(
        self,
        prim_path: str,
        device: str = "cpu",
        validate_xform_ops: bool = True,
        sync_usd_on_fabric_write: bool = False,
        stage: Stage | None = None,
    ) -> None:
        self._prim_path, self._device = prim_path, device
        self._stage = utils.get_current_stage() if stage is None else stage
        for prim in self.prims if validate_xform_ops else ():
            if not utils.validate_standard_xform_ops(prim):
                raise ValueError(
                    f"XformPrimView: <{prim.GetPath()}>, a {prim.GetTypeName() or 'prim without a type'}, is not a "
                    "xformable prim with translation, orientation and scale in this order; call "
                    "sim_utils.standardize_xform_ops(prim) before, or set validate_xform_ops=False to read only"
                )

    @property
    def prims(self) -> list[Prim]:
        """The prims, in the order of the stage."""
        return utils.find_matching_prims(self._prim_path, self._stage)

    @property
    def prim_paths(self) -> list[str]:
        """Their paths."""
        return utils.find_matching_prim_paths(self._prim_path, self._stage)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.prims)

    @property
    def device(self) -> str:
        """Of the arrays that it hands out."""
        return self._device

    # -- reading ---------------------------------------------------------------------------------------------

    def get_world_poses(self, indices: Sequence[int] | None = None) -> tuple[Any, Any]:
        """Positions (n, 3), m, and orientations (n, 4), (w, x, y, z), in the world.

        Args:
            indices: of which prims.
        """
        cache = UsdGeom.XformCache(Usd.TimeCode.Default())
        return self._poses([cache.GetLocalToWorldTransform(prim) for prim in self._chosen(indices)])

    def get_local_poses(self, indices: Sequence[int] | None = None) -> tuple[Any, Any]:
        """Positions (n, 3), m, and orientations (n, 4), (w, x, y, z), in the frames of the prims above.

        Args:
            indices: of which prims.
        """
        cache = UsdGeom.XformCache(Usd.TimeCode.Default())
        return self._poses([cache.GetLocalTransformation(prim)[0] for prim in self._chosen(indices)])

    def get_scales(self, indices: Any = None) -> Any:
        """Scales (n, 3) along the prims' own axes, without those of the prims above; 1 where none is said.

        Args:
            indices: of which prims.
        """
        found = [prim.GetAttribute("xformOp:scale") for prim in self._chosen(indices)]
        return self._numbers([list(one.Get()) if one and one.Get() else [1.0] * 3 for one in found], 3)

    def get_visibility(self, indices: Sequence[int] | None = None) -> Any:
        """(n), bool: whether prims are shown; those below a hidden one are not.

        Args:
            indices: of which prims.
        """
        shown = [
            UsdGeom.Imageable(prim).ComputeVisibility() != UsdGeom.Tokens.invisible for prim in self._chosen(indices)
        ]
        return array(np.array(shown, bool), self._device)

    # -- writing ---------------------------------------------------------------------------------------------

    def set_world_poses(self, positions: Any = None, orientations: Any = None, indices: Any = None) -> None:
        """Put prims somewhere in the world.

        Args:
            positions: (n, 3), m; as they are by default.
            orientations: (n, 4), (w, x, y, z); as they are by default.
            indices: which prims.

        Raises:
            ValueError: there are not as many numbers.
        """
        prims = self._chosen(indices)
        places, turns = (
            _given("positions", positions, len(prims), 3),
            _given("orientations", orientations, len(prims), 4),
        )
        cache, poses = UsdGeom.XformCache(Usd.TimeCode.Default()), []
        for i, prim in enumerate(prims):
            frame = Gf.Matrix4d(cache.GetLocalToWorldTransform(prim))
            frame.Orthonormalize()
            if turns is not None:
                frame.SetRotateOnly(_quaternion(turns[i]))
            if places is not None:
                frame.SetTranslateOnly(Gf.Vec3d(*places[i]))
            frame = frame * cache.GetLocalToWorldTransform(prim.GetParent()).GetInverse()
            place = frame.ExtractTranslation()
            frame.Orthonormalize()
            poses.append((place, frame.ExtractRotationQuat()))
        with Sdf.ChangeBlock():
            for prim, (place, turn) in zip(prims, poses, strict=True):
                _write(prim, "xformOp:translate", place)
                _write(prim, "xformOp:orient", turn)

    def set_local_poses(self, translations: Any = None, orientations: Any = None, indices: Any = None) -> None:
        """Put prims somewhere in the frames of the prims above.

        Args:
            translations: (n, 3), m; as they are by default.
            orientations: (n, 4), (w, x, y, z); as they are by default.
            indices: which prims.

        Raises:
            ValueError: there are not as many numbers.
        """
        prims = self._chosen(indices)
        places = _given("translations", translations, len(prims), 3)
        turns = _given("orientations", orientations, len(prims), 4)
        with Sdf.ChangeBlock():
            for i, prim in enumerate(prims):
                if places is not None:
                    _write(prim, "xformOp:translate", Gf.Vec3d(*places[i]))
                if turns is not None:
                    _write(prim, "xformOp:orient", _quaternion(turns[i]))

    def set_scales(self, scales: Any, indices: Any = None) -> None:
        """Scale prims along their own axes.

        Args:
            scales: (n, 3).
            indices: which prims.

        Raises:
            ValueError: there are not as many numbers.
        """
        prims = self._chosen(indices)
        given = _given("scales", scales, len(prims), 3)
        with Sdf.ChangeBlock():
            for prim, scale in zip(prims, () if given is None else given, strict=True):
                _write(prim, "xformOp:scale", Gf.Vec3d(*scale))

    def set_visibility(self, visibility: Any, indices: Any = None) -> None:
        """Show prims, or hide them with all that is below.

        Args:
            visibility: (n), bool.
            indices: which prims.

        Raises:
            ValueError: there are not as many.
        """
        prims = self._chosen(indices)
        shown = np.asarray(accept(visibility, "cpu"))
        if shown.shape != (len(prims),):
            raise ValueError(f"Expected visibility shape ({len(prims)},), got {shown.shape}.")
        for prim, show in zip(prims, shown.tolist(), strict=True):
            one = UsdGeom.Imageable(prim)
            one.MakeVisible() if show else one.MakeInvisible()

    # -- inside ----------------------------------------------------------------------------------------------

    def _chosen(self, indices: Any) -> list[Prim]:
        prims = self.prims
        if indices is None:
            return prims
        if isinstance(indices, slice):
            return prims[indices]
        return [prims[int(i)] for i in indices]

    def _numbers(self, rows: list[Any], width: int) -> Any:
        return array(np.array(rows, np.float32).reshape(-1, width), self._device)

    def _poses(self, frames: list[Any]) -> tuple[Any, Any]:
        places, turns = [], []
        for frame in frames:
            place = list(frame.ExtractTranslation())
            frame.Orthonormalize()
            turn = frame.ExtractRotationQuat()
            places.append(place)
            sign = -1.0 if turn.GetReal() < 0.0 else 1.0  # w is not negative
            turns.append([sign * x for x in (turn.GetReal(), *turn.GetImaginary())])
        return self._numbers(places, 3), self._numbers(turns, 4)


def _given(name: str, values: Any, count: int, width: int) -> list[list[float]] | None:
    """Rows of numbers as lists; ValueError if there are not as many."""
    if values is None:
        return None
    found = np.asarray(accept(values, "cpu"), float)
    if found.shape != (count, width):
        raise ValueError(f"Expected {name} shape ({count}, {width}), got {found.shape}.")
    return found.tolist()


def _quaternion(wxyz: list[float]) -> Any:
    return Gf.Quatd(wxyz[0], Gf.Vec3d(*wxyz[1:])).GetNormalized()


def _write(prim: Prim, name: str, value: Any) -> None:
    """Set an attribute of a prim's place, with the precision that it has."""
    attribute = prim.GetAttribute(name)
    if not attribute:
        raise ValueError(f"<{prim.GetPath()}> has no {name}; call sim_utils.standardize_xform_ops(prim) before")
    attribute.Set(type(attribute.Get())(value) if attribute.Get() is not None else value)
