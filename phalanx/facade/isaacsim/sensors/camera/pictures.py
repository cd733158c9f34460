"""What cameras of a stage see, drawn by ray casting."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host
from phalanx.facade.isaaclab.sensors.camera.segmentation import Segmentation
from phalanx.facade.isaacsim.core.prims.xform_prim import XFormPrim
from phalanx.facade.isaacsim.sensors.camera import camera_axes, distortions
from phalanx.facade.stage_world import StageWorld
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, UsdGeom

PRODUCTS = "/Render"


class Pictures:
    """Pictures of cameras that have one size.

    Of environments that hold the same, a camera in one of them sees that one and what is outside of all; others see
    everything.

    Args:
        view: of the cameras: a ``XFormPrim``.
        resolution: width and height, pixels.

    Attributes:
        types: what is drawn; see :class:`phalanx.images.ImageSensor`.
        scene: what is seen; ``None`` before the first picture.
    """

    def __init__(self, view: Any, resolution: Sequence[int]) -> None:
        self._view = view
        self.types: frozenset[str] = frozenset()
        self.scene: Any = None
        self._engine: Any = None
        self._key: Any = None
        self._optics: Any = None
        self._lights: Any = None
        self._world: StageWorld | None = None
        self._tables: dict[Any, tuple[np.ndarray, list[Any]]] = {}
        self.resolution = resolution

    @property
    def resolution(self) -> tuple[int, int]:
        """Width and height, pixels."""
        return self._size

    @resolution.setter
    def resolution(self, value: Sequence[int]) -> None:
        width, height = (int(each) for each in value)
        if width < 1 or height < 1:
            raise ValueError(f"a picture of {width} by {height} pixels has none; at least 1 by 1 is needed")
        self._size = width, height
        self._key = None

    @property
    def prims(self) -> list[Prim]:
        """The cameras."""
        return self._view.prims

    @property
    def has_any(self) -> bool:
        """Whether there are pictures."""
        return self._key is not None

    def capture(self) -> bool:
        """Draw all of :attr:`types` as the world is now; whether there is a world, and anything to draw.

        Raises:
            NotImplementedError: the stage is not in metres with z up, or a lens is not drawn.
            ValueError: a camera has numbers that it cannot have.
        """
        world = simulation.stage_world()
        if world is None or not self.types:
            return False
        self._prepare(world)
        places, turns = self.poses()
        self._at[...], self._turned[...] = (self._xp.asarray(each, np.float32) for each in (places, turns))
        self._engine.capture(self._at, self._turned)
        return True

    def forget(self) -> None:
        """Have no motion in the next pictures."""
        if self._engine is not None:
            self._engine.forget()

    def output(self, name: str) -> Any:
        """(n, height, width, ...): the last pictures of a type; the engine's own array, written anew each time."""
        return self._engine.output[name]

    def rays(self, camera: int) -> distortions.Rays:
        """Where the pixels of a camera look, in its frame, x right, y down, z forward."""
        width, height = self._size
        prim = self.prims[camera]
        found = distortions.lens_rays(prim, height, width)
        if found is not None:
            return found
        return distortions.pinhole_rays(distortions.pinhole(prim, height, width), height, width), None

    def numbers(self, kind: str, types: Sequence[str] | None, colorize: bool) -> tuple[np.ndarray, list[Any]]:
        """What pixels stand for, by labels or prims, on the host.

        Args:
            kind: ``"semantic_segmentation"``, ``"instance_segmentation_fast"`` or ``"instance_id_segmentation_fast"``.
            types: kinds of labels that count; all by default.
            colorize: colours instead of numbers.

        Returns:
            (n, height, width) int32 or (n, height, width, 4) uint8; and what they mean for each camera, as
            ``Camera`` of ``isaaclab.sensors`` tells it.
        """
        key = kind, None if types is None else tuple(types), colorize
        if key not in self._tables:
            cfg = SimpleNamespace(
                data_types=[kind],
                semantic_filter="*: *" if types is None else list(types),
                semantic_segmentation_mapping={},
                **{f"colorize_{kind.removesuffix('_fast')}": colorize},
            )
            made = Segmentation(self.scene, cfg)
            told = [made.info(camera)[kind] for camera in range(len(self.prims))]
            self._tables[key] = made.tables[kind], told
        table, told = self._tables[key]
        ids = self.scene.scene.device.to_host(self._engine.output["ids"])
        found = table[ids[..., 1] + 1]
        return (found if colorize else found[..., 0]), told

    # -- inside ----------------------------------------------------------------------------------------------

    def _prepare(self, world: StageWorld) -> None:
        """Have an engine that draws the scene as it is now, with the cameras' optics of now."""
        from phalanx.facade.visible.scene import VisibleScene

        stage = stages.get_stage()
        if UsdGeom.GetStageMetersPerUnit(stage) != 1.0 or str(UsdGeom.GetStageUpAxis(stage)) != "Z":
            raise NotImplementedError(
                "cameras see stages in metres with z up only: World(stage_units_in_meters=1.0) makes one"
            )
        if self._world is not world:
            self._world, self._key = world, None
            paths = [str(prim.GetPath()) for prim in self.prims]
            places = [world.prototype(path)[1] for path in paths] if world.env_paths else [None]
            envs = None if None in places else [int(env) for env in places if env is not None]
            self.scene = VisibleScene.of(world, stage, envs, len(paths))
        self.scene.update()
        near, far = UsdGeom.Camera(self.prims[0]).GetClippingRangeAttr().Get()
        key = self.scene.version, self.types, float(near), float(far)
        if key != self._key:
            self._renew(float(near), float(far))
            self._key = key
        elif self.scene.lights is not self._lights:
            self._engine.set_lights(self.scene.lights)
            self._lights = self.scene.lights
        told = [_optics(prim) for prim in self.prims]
        if told != self._optics:
            self._set_optics()
            self._optics = told

    def _renew(self, near: float, far: float) -> None:
        from phalanx.images import ImageSensor

        if not 0.0 <= near < far:
            raise ValueError(
                f"<{self.prims[0].GetPath()}>: clippingRange {near:g}, {far:g}: the first must be the less"
            )
        width, height = self._size
        seen = self.scene
        self._engine = ImageSensor(
            seen.scene,
            height,
            width,
            types=sorted(self.types),
            looks=seen.looks,
            lights=seen.lights,
            near=near,
            far=far,
        )
        self._lights, self._optics = seen.lights, None
        self._tables.clear()
        self._xp = seen.scene.device.xp
        with seen.scene.device.active():
            self._at = self._xp.zeros((len(self.prims), 3), np.float32)
            self._turned = self._xp.zeros((len(self.prims), 4), np.float32)

    def _set_optics(self) -> None:
        width, height = self._size
        lenses = [distortions.lens_rays(prim, height, width) for prim in self.prims]
        if all(lens is None for lens in lenses):
            matrices = np.array([distortions.pinhole(prim, height, width) for prim in self.prims], np.float32)
            fx, fy, cx, cy = (matrices[:, i, j] for i, j in ((0, 0), (1, 1), (0, 2), (1, 2)))
            self._engine.set_pinhole(fx, fy, cx, cy)
            return
        rays = [self.rays(camera) for camera in range(len(self.prims))]
        begins = None
        if any(origins is not None for _, origins in rays):
            begins = np.stack([np.zeros_like(way) if origins is None else origins for way, origins in rays])
        self._engine.set_directions(np.stack([way for way, _ in rays]), begins)

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, 3) and (n, 4): where the cameras are, x right, y down, z forward."""
        places, turns = (on_host(each, float) for each in XFormPrim.get_world_poses(self._view))
        return places, camera_axes.from_usd(turns, "ros")


def _optics(prim: Prim) -> list[tuple[str, str]]:
    """What says how a camera projects; all that is written but its place."""
    return [
        (name, str(attribute.Get()))
        for attribute in prim.GetAuthoredAttributes()
        if not (name := attribute.GetName()).startswith("xformOp")
    ]


def render_product(name: str, path: str, resolution: Sequence[int]) -> str:
    """The path of a prim, which is made if it is not there, that says that a camera is rendered in a resolution."""
    layer = stages.get_stage().GetEditTarget().GetLayer()
    at = f"{PRODUCTS}/{name}"
    with Sdf.ChangeBlock():
        scope = Sdf.CreatePrimInLayer(layer, PRODUCTS)
        scope.specifier, scope.typeName = Sdf.SpecifierDef, "Scope"
        spec = Sdf.CreatePrimInLayer(layer, at)
        spec.specifier, spec.typeName = Sdf.SpecifierDef, "RenderProduct"
        if "resolution" not in spec.properties:
            Sdf.RelationshipSpec(spec, "camera", False)
            Sdf.AttributeSpec(spec, "resolution", Sdf.ValueTypeNames.Int2)
        spec.properties["camera"].targetPathList.explicitItems = [Sdf.Path(path)]
        spec.properties["resolution"].default = Gf.Vec2i(*(int(each) for each in resolution))
    return at
