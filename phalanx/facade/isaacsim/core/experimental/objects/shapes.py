"""Shapes that USD knows. They are seen; ``GeomPrim`` lets them collide, and ``RigidPrim`` move."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.experimental.objects.typed import Typed, instances
from phalanx.io.formats.usd.bindings import Gf

AXES = ("X", "Y", "Z")


class Shape(Typed):
    """What shapes have in common; see :class:`.typed.Typed`."""

    @property
    def geoms(self) -> list[Any]:
        """The prims as the schema of their shape, such as ``UsdGeom.Cube``."""
        return self._made

    @classmethod
    def are_of_type(cls, paths: Any) -> Any:
        """(N,), bool: whether prims, or those at paths, are of this shape."""
        return cls._are(paths)

    @staticmethod
    def fetch_instances(paths: Any) -> list[Any]:
        """A wrapper of each of some prims, or those at paths; ``None`` where a prim is no shape."""
        return instances((Capsule, Cone, Cube, Cylinder, Plane, Sphere), paths)

    @classmethod
    def update_extents(cls, geoms: list[Any]) -> None:
        """Let extents on the stage be what the shapes' numbers say."""
        for geom in geoms:
            half = Gf.Vec3f(*cls._half(geom))
            geom.CreateExtentAttr([-half, half])

    @staticmethod
    def _half(geom: Any) -> tuple[float, float, float]:
        """Half of an extent along its own axes."""
        raise NotImplementedError("this shape has no _half(); define it in the class")

    def _set_size(self, name: str, values: Any, indices: Any) -> None:
        self._set_attribute(name, "Double", values, indices)
        self.update_extents([self.geoms[i] for i in self._chosen(indices)])

    def _set_sizes(self, **sizes: Any) -> None:
        """Call ``set_<name>`` for what is not ``None``."""
        for name, values in sizes.items():
            if values is not None:
                getattr(self, f"set_{name}")(values)


class Sphere(Shape):
    """Spheres.

    Args:
        paths: see :class:`.typed.Typed`.
        radii: (N, 1).
        placed: ``positions``, ``translations``, ``orientations``, ``scales``, ``reset_xform_op_properties``.
    """

    schema = "Sphere"

    def __init__(self, paths: str | list[str], *, radii: Any = None, **placed: Any) -> None:
        super().__init__(paths, **placed)
        self._set_sizes(radii=radii)

    @staticmethod
    def _half(geom: Any) -> tuple[float, float, float]:
        return (geom.GetRadiusAttr().Get(),) * 3

    def set_radii(self, radii: Any, *, indices: Any = None) -> None:
        """Set radii, (M, 1)."""
        self._set_size("radius", radii, indices)

    def get_radii(self, *, indices: Any = None) -> Any:
        """Radii, (M, 1)."""
        return self._get_attribute("radius", 1.0, indices)


class Cube(Shape):
    """Cubes.

    Args:
        paths: see :class:`.typed.Typed`.
        sizes: edges, (N, 1).
        placed: ``positions``, ``translations``, ``orientations``, ``scales``, ``reset_xform_op_properties``.
    """

    schema = "Cube"

    def __init__(self, paths: str | list[str], *, sizes: Any = None, **placed: Any) -> None:
        super().__init__(paths, **placed)
        self._set_sizes(sizes=sizes)

    @staticmethod
    def _half(geom: Any) -> tuple[float, float, float]:
        return (0.5 * geom.GetSizeAttr().Get(),) * 3

    def set_sizes(self, sizes: Any, *, indices: Any = None) -> None:
        """Set edges, (M, 1)."""
        self._set_size("size", sizes, indices)

    def get_sizes(self, *, indices: Any = None) -> Any:
        """Edges, (M, 1)."""
        return self._get_attribute("size", 2.0, indices)


class _Axial(Shape):
    """Shapes with an axis."""

    def set_axes(self, axes: str | list[str], *, indices: Any = None) -> None:
        """Set axes, ``"X"``, ``"Y"`` or ``"Z"``: a letter, or one for each."""
        self._set_words("axis", "Token", axes, indices, AXES)
        self.update_extents([self.geoms[i] for i in self._chosen(indices)])

    def get_axes(self, *, indices: Any = None) -> list[str]:
        """Axes, (M,) letters."""
        return self._get_words("axis", "Z", indices)


class _Tall(_Axial):
    """Shapes with an axis, a radius and a height.

    Args:
        paths: see :class:`.typed.Typed`.
        radii: (N, 1).
        heights: along their axes, (N, 1); of capsules without the caps.
        axes: ``"X"``, ``"Y"`` or ``"Z"``.
        placed: ``positions``, ``translations``, ``orientations``, ``scales``, ``reset_xform_op_properties``.
    """

    def __init__(
        self, paths: str | list[str], *, radii: Any = None, heights: Any = None, axes: Any = None, **placed: Any
    ) -> None:
        super().__init__(paths, **placed)
        self._set_sizes(radii=radii, heights=heights, axes=axes)

    @classmethod
    def _half(cls, geom: Any) -> tuple[float, float, float]:  # pyright: ignore[reportIncompatibleMethodOverride]
        across = float(geom.GetRadiusAttr().Get())
        along = 0.5 * float(geom.GetHeightAttr().Get()) + (across if cls.schema == "Capsule" else 0.0)
        letter = str(geom.GetAxisAttr().Get())
        found = [along if each == letter else across for each in AXES]
        return found[0], found[1], found[2]

    def set_radii(self, radii: Any, *, indices: Any = None) -> None:
        """Set radii, (M, 1)."""
        self._set_size("radius", radii, indices)

    def get_radii(self, *, indices: Any = None) -> Any:
        """Radii, (M, 1)."""
        return self._get_attribute("radius", 1.0, indices)

    def set_heights(self, heights: Any, *, indices: Any = None) -> None:
        """Set heights, (M, 1)."""
        self._set_size("height", heights, indices)

    def get_heights(self, *, indices: Any = None) -> Any:
        """Heights, (M, 1)."""
        return self._get_attribute("height", 2.0, indices)


class Capsule(_Tall):
    """Cylinders with round caps; see :class:`_Tall`."""

    schema = "Capsule"


class Cone(_Tall):
    """Cones; see :class:`_Tall`."""

    schema = "Cone"


class Cylinder(_Tall):
    """Cylinders; see :class:`_Tall`."""

    schema = "Cylinder"


class Plane(_Axial):
    """Planes.

    Args:
        paths: see :class:`.typed.Typed`.
        widths, lengths: of what is seen, (N, 1) each; they collide without end.
        axes: that they are square to, ``"X"``, ``"Y"`` or ``"Z"``.
        placed: ``positions``, ``translations``, ``orientations``, ``scales``, ``reset_xform_op_properties``.
    """

    schema = "Plane"

    def __init__(
        self, paths: str | list[str], *, widths: Any = None, lengths: Any = None, axes: Any = None, **placed: Any
    ) -> None:
        super().__init__(paths, **placed)
        self._set_sizes(widths=widths, lengths=lengths, axes=axes)

    @staticmethod
    def _half(geom: Any) -> tuple[float, float, float]:
        wide, long = 0.5 * float(geom.GetWidthAttr().Get()), 0.5 * float(geom.GetLengthAttr().Get())
        return {"X": (0.0, long, wide), "Y": (wide, 0.0, long)}.get(str(geom.GetAxisAttr().Get()), (wide, long, 0.0))

    def set_widths(self, widths: Any, *, indices: Any = None) -> None:
        """Set widths, (M, 1)."""
        self._set_size("width", widths, indices)

    def get_widths(self, *, indices: Any = None) -> Any:
        """Widths, (M, 1)."""
        return self._get_attribute("width", 2.0, indices)

    def set_lengths(self, lengths: Any, *, indices: Any = None) -> None:
        """Set lengths, (M, 1)."""
        self._set_size("length", lengths, indices)

    def get_lengths(self, *, indices: Any = None) -> Any:
        """Lengths, (M, 1)."""
        return self._get_attribute("length", 2.0, indices)
