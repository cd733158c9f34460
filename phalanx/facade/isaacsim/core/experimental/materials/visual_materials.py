"""Materials that are seen."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.isaacsim.core.api import materials as core
from phalanx.facade.isaacsim.core.experimental.prims.prim import Prim, require
from phalanx.facade.isaacsim.core.experimental.utils.ops import place
from phalanx.io.formats.usd.bindings import Gf, Sdf, UsdShade

_UV = {
    "project_uvw": "Bool",
    "world_or_object": "Bool",
    "uv_space_index": "Int",
    "texture_translate": "Float2",
    "texture_rotate": "Float",
    "texture_scale": "Float2",
}


class VisualMaterial(Prim):
    """What materials that are seen have in common.

    Args:
        paths: a path or several, or expressions for paths of materials that are there.

    Raises:
        AssertionError: a prim is no material of this kind.
        ValueError: some paths have prims and others none, or an expression matches none.
    """

    kind: ClassVar[Any] = None
    """The class of one such material."""

    _inputs: ClassVar[dict[str, str]] = {}
    """Types of inputs of its shader by name."""

    def __init__(self, paths: str | list[str], *, resolve_paths: bool = True) -> None:
        existing, missing = self.resolve_paths(paths) if resolve_paths else ([], list(paths))
        for path in missing:
            self.kind(path)
        found = [_known(path) for path in existing or missing]
        for path, one in zip(existing or missing, found, strict=True):
            require(type(one) is self.kind, f"the prim at {path} is no material of the kind {self.kind.__name__}")
        super().__init__(existing or missing, resolve_paths=False)
        self._found = found

    @property
    def materials(self) -> list[Any]:
        """The prims as ``UsdShade.Material``."""
        return [one.material for one in self._found]

    @property
    def shaders(self) -> list[Any]:
        """Their shaders, ``UsdShade.Shader``."""
        return [one.shaders_list[0] for one in self._found]

    @classmethod
    def are_of_type(cls, paths: Any) -> Any:
        """(N, 1), bool: whether prims, or those at paths, are materials of this kind."""
        given = paths if isinstance(paths, list | tuple) else [paths]
        return place([[type(_known(each)) is cls.kind] for each in given], dtype=bool, device="cpu")

    @staticmethod
    def fetch_instances(paths: Any) -> list[Any]:
        """A wrapper of each of some prims, or those at paths; ``None`` where a prim is no such material."""
        wrappers = {one.kind: one for one in (OmniGlassMaterial, OmniPbrMaterial, PreviewSurfaceMaterial)}
        found = [_known(each) for each in (paths if isinstance(paths, list | tuple) else [paths])]
        return [None if one is None else wrappers[type(one)](one.prim_path) for one in found]

    def _type(self, name: str) -> str:
        if name not in self._inputs:
            raise ValueError(f"name={name!r} is no input of {type(self).__name__}; there are {', '.join(self._inputs)}")
        return self._inputs[name]

    def set_input_values(self, name: str, values: Any, *, indices: Any = None) -> None:
        """Set an input of the shaders.

        Args:
            name: of the input.
            values: (M, 1), colours (M, 3), pairs (M, 2); of pictures a path, or one for each.
            indices: of materials.

        Raises:
            ValueError: there is no such input.
        """
        kind = self._type(name)
        self._check_valid()
        chosen = self._chosen(indices)
        if kind == "Asset":
            given: list[Any] = [values] if isinstance(values, str) else list(values)
            require(len(given) in (1, len(chosen)), f"there are {len(given)} paths for {len(chosen)} materials")
            rows = given * len(chosen) if len(given) == 1 else given
        else:
            width = {"Float2": 2, "Float3": 3}.get(kind, 1)
            vector = {2: Gf.Vec2f, 3: Gf.Vec3f}.get(width)
            numbers = self._on_host(values, len(chosen), width).tolist()
            plain: Any = {"Bool": bool, "Int": int, "Float": float}.get(kind)
            rows = [plain(row[0]) if vector is None else vector(*map(float, row)) for row in numbers]
        for i, value in zip(chosen, rows, strict=True):
            found = self.shaders[i].GetInput(name)
            if not found:
                found = self.shaders[i].CreateInput(name, getattr(Sdf.ValueTypeNames, kind))
            found.Set(value)

    def get_input_values(self, name: str, *, indices: Any = None) -> Any:
        """An input of the shaders, as :meth:`set_input_values` takes it.

        Raises:
            ValueError: there is no such input.
            RuntimeError: it was never set.
        """
        kind = self._type(name)
        self._check_valid()
        found = []
        for i in self._chosen(indices):
            given = self.shaders[i].GetInput(name)
            value = given.Get() if given else None
            if value is None:
                raise RuntimeError(f"the input {name!r} of {self.paths[i]} was never set")
            found.append(value)
        if kind == "Asset":
            return [each.path for each in found]
        dtype: Any = {"Bool": bool, "Int": np.int32}.get(kind, np.float32)
        return self._given(np.array([list(each) if hasattr(each, "__len__") else [each] for each in found], dtype))


class PreviewSurfaceMaterial(VisualMaterial):
    """Materials of USD's own; see :class:`VisualMaterial`."""

    kind = core.PreviewSurface
    _inputs: ClassVar[dict[str, str]] = {
        "diffuseColor": "Float3",
        "emissiveColor": "Float3",
        "specularColor": "Float3",
        "useSpecularWorkflow": "Int",
        "metallic": "Float",
        "roughness": "Float",
        "clearcoat": "Float",
        "clearcoatRoughness": "Float",
        "opacity": "Float",
        "opacityThreshold": "Float",
        "ior": "Float",
        "normal": "Float3",
        "displacement": "Float",
    }


class OmniPbrMaterial(VisualMaterial):
    """Materials like NVIDIA's OmniPBR; see :class:`VisualMaterial`. What our cameras do not know has no effect."""

    kind = core.OmniPBR
    _inputs: ClassVar[dict[str, str]] = {
        "diffuse_color_constant": "Float3",
        "diffuse_texture": "Asset",
        "albedo_desaturation": "Float",
        "albedo_add": "Float",
        "albedo_brightness": "Float",
        "diffuse_tint": "Float3",
        "reflection_roughness_constant": "Float",
        "reflection_roughness_texture_influence": "Float",
        "reflectionroughness_texture": "Asset",
        "metallic_constant": "Float",
        "metallic_texture_influence": "Float",
        "metallic_texture": "Asset",
        "specular_level": "Float",
        "enable_ORM_texture": "Bool",
        "ORM_texture": "Asset",
        "ao_to_diffuse": "Float",
        "ao_texture": "Asset",
        "enable_emission": "Bool",
        "emissive_color": "Float3",
        "emissive_color_texture": "Asset",
        "emissive_mask_texture": "Asset",
        "emissive_intensity": "Float",
        "enable_opacity": "Bool",
        "opacity_texture": "Asset",
        "opacity_constant": "Float",
        "enable_opacity_texture": "Bool",
        "opacity_mode": "Int",
        "opacity_threshold": "Float",
        "geometry_normal_roughness_strength": "Float",
        "bump_factor": "Float",
        "normalmap_texture": "Asset",
        "detail_bump_factor": "Float",
        "detail_normalmap_texture": "Asset",
        "flip_tangent_u": "Bool",
        "flip_tangent_v": "Bool",
        **_UV,
        "detail_texture_translate": "Float2",
        "detail_texture_rotate": "Float",
        "detail_texture_scale": "Float2",
        "round_edges_radius": "Float",
        "round_edges_roundness": "Float",
        "round_edges_across_materials": "Bool",
    }


class OmniGlassMaterial(VisualMaterial):
    """Materials like NVIDIA's OmniGlass; see :class:`VisualMaterial`. What our cameras do not know has no effect."""

    kind = core.OmniGlass
    _inputs: ClassVar[dict[str, str]] = {
        "glass_color": "Float3",
        "glass_color_texture": "Asset",
        "depth": "Float",
        "frosting_roughness": "Float",
        "roughness_texture_influence": "Float",
        "roughness_texture": "Asset",
        "glass_ior": "Float",
        "thin_walled": "Bool",
        "reflection_color_texture": "Asset",
        "reflection_color": "Float3",
        "normal_map_texture": "Asset",
        "normal_map_strength": "Float",
        "geometry_normal_roughness_strength": "Float",
        "flip_tangent_u": "Bool",
        "flip_tangent_v": "Bool",
        "enable_opacity": "Bool",
        "cutout_opacity": "Float",
        "cutout_opacity_texture": "Asset",
        "cutout_opacity_mono_source": "Int",
        "opacity_threshold": "Float",
        **_UV,
    }


def _known(each: Any) -> Any:
    """A material on the stage by its path or prim; ``None`` if it is none that there is a class for."""
    prim = stages.get_stage().GetPrimAtPath(each) if isinstance(each, str) else each
    return core.known_visual_material(prim) if prim and prim.IsA(UsdShade.Material) else None
