"""Pictures of cameras on the stage by Replicator: render products, and annotators that tell what they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation, viewpoint
from phalanx.facade.backends import Backend
from phalanx.facade.isaaclab.sim.utils.stage import get_current_stage
from phalanx.facade.isaacsim.core.prims.xform_prim import XFormPrim
from phalanx.facade.isaacsim.core.utils.render_product import get_camera_prim_path, get_resolution
from phalanx.facade.isaacsim.sensors.camera.annotators import Annotator
from phalanx.facade.isaacsim.sensors.camera.pictures import Pictures, render_product
from phalanx.facade.omni.kit.app import get_app

SAME = {"LdrColor": "rgb"}
"""Names of annotators that stand for another one; a ``_fast`` at the end means nothing."""


class RenderProduct:
    """A camera and the size of its pictures. They are drawn when somebody asks, once a frame.

    Args:
        path: of its prim.

    Attributes:
        path: of its prim.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._pictures: Pictures | None = None
        self._known: tuple[Any, ...] = ()
        self._attached: list[Annotator] = []

    def destroy(self) -> None:
        """Let go of what draws, and take the prim from the stage."""
        self._pictures, self._attached = None, []
        get_current_stage().RemovePrim(self.path)

    def attach(self, name: str, options: Mapping[str, Any]) -> Annotator:
        """Let pictures have what an annotator needs.

        Raises:
            ValueError: there is no such annotator.
            NotImplementedError: it is not made.
        """
        if self._pictures is None:
            view = XFormPrim(get_camera_prim_path(self.path), reset_xform_properties=False)
            self._pictures = Pictures(view, get_resolution(self.path))
        found = Annotator(self._pictures, name, options)
        self._attached.append(found)
        return found

    def detach(self, annotator: Annotator) -> None:
        """Draw no longer what only this annotator needs."""
        self._attached = [each for each in self._attached if each is not annotator]

    def draw(self) -> bool:
        """Have the picture of the last frame; whether there is one."""
        pictures = self._pictures
        if pictures is None:
            return False
        types = frozenset().union(*(each.types for each in self._attached))
        now = get_app().get_update_number(), simulation.stage_world(), types
        if now != self._known:
            pictures.types = types
            if not pictures.capture():
                return False
            self._known = now
        return True


class AttachedAnnotator:
    """What :class:`AnnotatorRegistry` hands out: it tells something of the pictures of a render product.

    Args:
        name: see :class:`phalanx.facade.isaacsim.sensors.camera.annotators.Annotator`.
        options: of the annotator.
        device: ``"cuda"`` for arrays of Warp on the device of the world, else NumPy's.
    """

    def __init__(self, name: str, options: Mapping[str, Any], device: str | None) -> None:
        self._name = SAME.get(name, name.removesuffix("_fast"))
        self._options, self._device = dict(options), device
        self._product: RenderProduct | None = None
        self._annotator: Annotator | None = None

    def attach(self, render_products: Any) -> None:
        """Have pictures of a render product, or of the one in a list.

        Raises:
            ValueError: they are several, or there is no such annotator.
            NotImplementedError: it is not made.
        """
        given = list(render_products) if isinstance(render_products, list | tuple) else [render_products]
        if len(given) != 1:
            raise ValueError(f"the annotator {self._name!r} has pictures of one render product, not of {len(given)}")
        product = given[0] if isinstance(given[0], RenderProduct) else RenderProduct(str(given[0]))
        self.detach()
        self._product, self._annotator = product, product.attach(self._name, self._options)

    def detach(self, render_products: Any = None) -> None:
        """Have no pictures any more."""
        if self._product is not None and self._annotator is not None:
            self._product.detach(self._annotator)
        self._product = self._annotator = None

    def get_data(self, device: str | None = None, do_array_copy: bool = True) -> Any:
        """What it tells of the last frame; see :class:`phalanx.facade.isaacsim.sensors.camera.annotators.Annotator`.

        Args:
            device: see the class.
            do_array_copy: no meaning: arrays are the caller's own.

        Returns:
            An empty array before the simulation plays.

        Raises:
            RuntimeError: it is attached to no render product.
        """
        if self._product is None or self._annotator is None:
            raise RuntimeError(f"the annotator {self._name!r} is attached to no render product: call attach() first")
        if not self._product.draw():
            return np.zeros(0, np.uint8)
        asked = str(self._device if device is None else device)
        return self._annotator.data(
            Backend("warp" if asked.startswith("cuda") else "numpy", simulation.arrays().device)
        )


class AnnotatorRegistry:
    """Annotators by name."""

    @staticmethod
    def get_annotator(
        name: str,
        init_params: Mapping[str, Any] | None = None,
        render_product_idxs: Any = None,
        device: str | None = None,
        do_array_copy: bool = True,
    ) -> AttachedAnnotator:
        """An annotator that is attached to nothing yet; ``render_product_idxs`` and ``do_array_copy`` mean nothing."""
        return AttachedAnnotator(name, init_params or {}, device)


def create(camera: Any, resolution: Sequence[int], force_new: bool = False, name: str | None = None) -> Any:
    """Let pictures be made of a camera, or of several.

    Args:
        camera: path, prim, what ``create.camera`` made, or a list of such. The main window's, ``/OmniverseKit_Persp``,
            is made if it is not there.
        resolution: width and height, pixels.
        force_new: no meaning: each is a new one.
        name: of the prim below ``/Render``.

    Returns:
        A :class:`RenderProduct`, or a list of them.

    Raises:
        ValueError: there is no such camera.
    """
    if hasattr(camera, "get_output_prims"):
        camera = camera.get_output_prims()["prims"]
        camera = camera[0] if len(camera) == 1 else camera
    if isinstance(camera, list | tuple):
        return [create(each, resolution, force_new, name) for each in camera]
    stage = get_current_stage()
    path = str(camera.GetPath()) if hasattr(camera, "GetPath") else str(camera)
    prim = viewpoint.find_or_make(stage) if path == viewpoint.PATH else stage.GetPrimAtPath(path)
    if not prim or str(prim.GetTypeName()) != "Camera":
        raise ValueError(f"create.render_product: there is no camera at {path!r}")
    called, number = name or "RenderProduct" + path.replace("/", "_"), 0
    while stage.GetPrimAtPath(f"/Render/{called}" + (f"_{number:02d}" if number else "")):
        number += 1
    return RenderProduct(render_product(called + (f"_{number:02d}" if number else ""), path, resolution))


__all__ = ["AnnotatorRegistry", "AttachedAnnotator", "RenderProduct", "create"]
