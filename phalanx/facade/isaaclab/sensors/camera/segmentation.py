"""Pictures of labels and prims: numbers or colours by what was hit, and what they stand for."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.facade.isaaclab.sensors.camera.semantic_filter import Labels, SemanticFilter

if TYPE_CHECKING:
    from phalanx.facade.visible.scene import VisibleScene

Color = tuple[int, int, int, int]

TYPES = {
    "semantic_segmentation": "colorize_semantic_segmentation",
    "instance_segmentation_fast": "colorize_instance_segmentation",
    "instance_id_segmentation_fast": "colorize_instance_id_segmentation",
}
"""Types of pictures, and the field of the configuration that says whether they have colours."""

NOTHING, UNLABELLED = "BACKGROUND", "UNLABELLED"
"""What 0 and 1 stand for."""

RESERVED: tuple[Color, Color] = ((0, 0, 0, 0), (0, 0, 0, 255))
"""Colours of both."""


class Segmentation:
    """What pictures of labels and prims show of a scene.

    Numbers are given in the order of labels, or of prims on the stage, from 2 on, and are the same in all environments.

    Args:
        scene: what is seen.
        cfg: a ``CameraCfg``.

    Attributes:
        tables: by type, (objects + 1, 4) uint8 or (objects + 1, 1) int32: what pixels are by the object number that was
            hit, plus 1.
    """

    def __init__(self, scene: VisibleScene, cfg: Any) -> None:
        self._scene, self._kept = scene, SemanticFilter(cfg.semantic_filter).kept
        self._mapping = cfg.semantic_segmentation_mapping or {}
        self.tables: dict[str, np.ndarray] = {}
        self._names: dict[str, list[Color] | None] = {}
        labels = [self._kept(frozenset().union(*(own for _, own in one.chain))) for one in scene.objects]
        self._labels = sorted(set(labels) - {frozenset()}, key=sorted)
        owners = [self._owner(one.chain) for one in scene.objects]
        self._owners: list[tuple[str, bool]] = []
        of_owner: dict[str | None, int] = {None: 1}
        for one, owner in zip(scene.objects, owners, strict=True):
            if owner not in of_owner:
                of_owner[owner] = 2 + len(self._owners)
                self._owners.append((str(owner), one.own and scene.is_inside(str(owner))))
        number = {each: 2 + i for i, each in enumerate(self._labels)}
        self._owner_labels: list[Labels] = [frozenset()] * len(self._owners)
        for own, owner in zip(labels, owners, strict=True):
            if owner is not None:
                known = self._owner_labels[of_owner[owner] - 2]
                self._owner_labels[of_owner[owner] - 2] = own if not known else known & own
        numbers = {
            "semantic_segmentation": [number.get(each, 1) for each in labels],
            "instance_segmentation_fast": [of_owner[owner] for owner in owners],
            "instance_id_segmentation_fast": range(2, 2 + len(scene.objects)),
        }
        for name, field in TYPES.items():
            if name not in cfg.data_types:
                continue
            of_object = np.array([0, *numbers[name]], np.int32)
            self._names[name] = None
            if getattr(cfg, field):
                colors = self._colors(name)
                self._names[name] = colors
                self.tables[name] = np.array(colors, np.uint8)[of_object]
            else:
                self.tables[name] = of_object[:, None]

    def info(self, camera: int) -> dict[str, dict[str, Any]]:
        """By type, what pixels of a camera's pictures stand for: ``idToLabels``, and ``idToSemantics`` for prims."""
        found: dict[str, dict[str, Any]] = {}
        for name, colors in self._names.items():

            def key(i: int, colors: Sequence[Color] | None = colors) -> str:
                return str(i) if colors is None else str(colors[i])

            found[name] = self._of_type(name, camera, key)
        return found

    def _of_type(self, name: str, camera: int, key: Any) -> dict[str, Any]:
        reserved = {key(0): {"class": NOTHING}, key(1): {"class": UNLABELLED}}
        if name == "semantic_segmentation":
            return {"idToLabels": reserved | {key(2 + i): _told(each) for i, each in enumerate(self._labels)}}
        paths = {key(0): NOTHING, key(1): UNLABELLED}
        if name == "instance_id_segmentation_fast":
            places = [(one.path, one.own) for one in self._scene.objects]
        else:
            places = self._owners
        paths |= {key(2 + i): self._scene.path_of(path, own, camera) for i, (path, own) in enumerate(places)}
        if name == "instance_id_segmentation_fast":
            return {"idToLabels": paths}
        told = {key(2 + i): _told(each) for i, each in enumerate(self._owner_labels)}
        return {"idToLabels": paths, "idToSemantics": reserved | told}

    def _owner(self, chain: Any) -> str | None:
        """The nearest prim at or above one that has labels that count."""
        return next((at for at, own in reversed(chain) if self._kept(own)), None)

    def _colors(self, name: str) -> list[Color]:
        """Of each number."""
        count = {
            "semantic_segmentation": len(self._labels),
            "instance_segmentation_fast": len(self._owners),
            "instance_id_segmentation_fast": len(self._scene.objects),
        }[name]
        found = [*RESERVED, *distinct_colors(count)]
        if name == "semantic_segmentation":
            for i, own in enumerate([{("class", NOTHING)}, {("class", UNLABELLED)}, *self._labels]):
                given = _given(own, self._mapping)
                found[i] = found[i] if given is None else given
        return found


def distinct_colors(count: int) -> list[Color]:
    """Colours that are far from each other; the first ones stay the same however many there are."""
    found: list[Color] = []
    taken: set[Color] = set(RESERVED)
    step = 0
    while len(found) < count:
        hue, level = (0.02 + step * 0.61803398875) % 1.0, step // 12
        r, g, b = colorsys.hsv_to_rgb(hue, (0.75, 0.5, 0.95, 0.35)[level % 4], (0.95, 0.8, 0.65)[level % 3])
        color = round(255 * r), round(255 * g), round(255 * b), 255
        step += 1
        if color not in taken:
            taken.add(color)
            found.append(color)
        elif step > 8 * count + 1000:  # hues repeat to 8 bits: number the rest
            n = len(found) + 1
            color = n % 251 + 2, n // 251 % 251 + 2, n // 63001 % 251 + 2, 255
            found.append(color)
    return found


def _told(labels: Labels) -> dict[str, str]:
    """Labels by kind; several of a kind are parted by commas."""
    return {kind: ",".join(sorted(label for each, label in labels if each == kind)) for kind in sorted(dict(labels))}


def _given(labels: Any, mapping: Mapping[str, Sequence[int]]) -> Color | None:
    """The colour that a mapping has for labels."""
    names = [f"{kind}:{text}" for kind, text in _told(labels).items()]
    names += [f"{kind}:{label}" for kind, label in sorted(labels)]
    for name in names:
        if name in mapping:
            r, g, b, a = (*(int(part) for part in mapping[name]), 255)[:4]
            return r, g, b, a
    return None
