"""What is drawn beside bodies: points, lines, and copies of meshes, such as markers, rays and trails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from viser import ViserServer

    from phalanx.world.world import World


@dataclass(frozen=True)
class Points:
    """Dots.

    Attributes:
        places: (n, 3), m.
        colors: (3,), or (n, 3), uint8, sRGB.
        size: m.
    """

    places: np.ndarray
    colors: np.ndarray
    size: float = 0.015


@dataclass(frozen=True)
class Lines:
    """Straight lines.

    Attributes:
        ends: (n, 2, 3), m.
        colors: (3,), or (n, 2, 3) of the ends, uint8, sRGB.
        thickness: m, or pixels if ``pixels`` is set.
    """

    ends: np.ndarray
    colors: np.ndarray
    thickness: float = 0.006
    pixels: bool = False


@dataclass(frozen=True)
class Copies:
    """Copies of a mesh.

    Attributes:
        vertices, faces: (v, 3), m, and (f, 3).
        positions, orientations, scales: (n, 3), m; (n, 4), w x y z; and (n, 3).
        color: (3,) uint8, sRGB.
        opacity: 1 is opaque.
    """

    vertices: np.ndarray
    faces: np.ndarray
    positions: np.ndarray
    orientations: np.ndarray
    scales: np.ndarray
    color: np.ndarray
    opacity: float = 1.0


Drawing = Points | Lines | Copies

Read = Callable[[np.ndarray, np.ndarray], Sequence[Drawing]]
"""Of environments (k,) and of where they stand in the scene (k, 3), m: what to draw, in the scene's coordinates."""


class Drawings:
    """The nodes of a viser server for what is drawn by name.

    Args:
        server: of viser.
        path: the node below which they are.
    """

    def __init__(self, server: ViserServer, path: str) -> None:
        self._server, self._path = server, path
        self._reads: dict[str, Read] = {}
        self._taken: dict[str, Sequence[Drawing]] = {}
        self._nodes: dict[str, list[_Node]] = {}
        self.hidden: set[str] = set()

    @property
    def names(self) -> list[str]:
        """Of all that is drawn."""
        return [*self._reads]

    def add(self, name: str, read: Read) -> None:
        """Draw what ``read`` returns; of a name that there is already, instead of it."""
        self._reads[name] = read

    def remove(self, name: str) -> None:
        """Draw it no longer."""
        self._reads.pop(name, None)

    def take(self, envs: np.ndarray, offsets: np.ndarray, obey: Callable[[Callable[[World], object]], object]) -> None:
        """Ask for what is to be drawn; called where the world may be read. ``obey`` tells of what fails."""
        taken: dict[str, Sequence[Drawing]] = {}
        for name, read in [*self._reads.items()]:
            if name not in self.hidden:
                obey(lambda _, name=name, read=read: taken.update({name: read(envs, offsets)}))
        self._taken = taken

    def show(self) -> None:
        """Draw what was taken."""
        taken = self._taken
        for name in [*self._nodes, *taken]:
            drawn = [each for each in taken.get(name, ()) if _count(each)]
            nodes = self._nodes.setdefault(name, [])
            for node in nodes[len(drawn) :]:
                node.remove()
            del nodes[len(drawn) :]
            for number, drawing in enumerate(drawn):
                if number == len(nodes):
                    nodes.append(_Node(self._server, f"{self._path}/{name}/{number}"))
                nodes[number].show(drawing)


class _Node:
    """One drawing, made anew where its kind or what cannot be changed is another."""

    def __init__(self, server: ViserServer, path: str) -> None:
        self._server, self._path = server, path
        self._handle: Any = None
        self._key: Any = None
        self._last: Drawing | None = None

    def remove(self) -> None:
        """Take it away."""
        if self._handle is not None:
            self._handle.remove()
        self._handle = self._key = self._last = None

    def show(self, drawing: Drawing) -> None:
        """Draw it, sending what has changed."""
        if self._last is not None and _same(self._last, drawing):
            return
        key = _key(drawing)
        if key != self._key:
            self.remove()
            self._handle, self._key = self._make(drawing), key
        else:
            self._change(drawing)
        self._last = drawing

    def _make(self, drawing: Drawing) -> Any:
        scene = self._server.scene
        if isinstance(drawing, Points):
            return scene.add_point_cloud(
                self._path,
                np.asarray(drawing.places, np.float32),
                np.asarray(drawing.colors, np.uint8),
                point_size=drawing.size,
                point_shape="circle",
                precision="float32",
            )
        if isinstance(drawing, Lines):
            return scene.add_line_segments(
                self._path,
                np.asarray(drawing.ends, np.float32),
                np.asarray(drawing.colors, np.uint8),
                thickness=drawing.thickness,
                thickness_units="screen" if drawing.pixels else "world",
            )
        return scene.add_batched_meshes_simple(
            self._path,
            np.asarray(drawing.vertices, np.float32),
            np.asarray(drawing.faces, np.uint32),
            np.asarray(drawing.orientations, np.float32),
            np.asarray(drawing.positions, np.float32),
            batched_scales=np.asarray(drawing.scales, np.float32),
            batched_colors=np.asarray(drawing.color, np.uint8),
            opacity=None if drawing.opacity >= 1.0 else drawing.opacity,
            lod="off",
            side="double",
            cast_shadow=False,
        )

    def _change(self, drawing: Drawing) -> None:
        handle = self._handle
        if isinstance(drawing, Points):
            handle.points = np.asarray(drawing.places, np.float32)
            handle.colors = np.asarray(drawing.colors, np.uint8)
        elif isinstance(drawing, Lines):
            handle.points = np.asarray(drawing.ends, np.float32)
            handle.colors = np.asarray(drawing.colors, np.uint8)
        else:
            handle.batched_positions = np.asarray(drawing.positions, np.float32)
            handle.batched_wxyzs = np.asarray(drawing.orientations, np.float32)
            handle.batched_scales = np.asarray(drawing.scales, np.float32)


def _count(drawing: Drawing) -> int:
    if isinstance(drawing, Points):
        return len(drawing.places)
    return len(drawing.ends) if isinstance(drawing, Lines) else len(drawing.positions)


def _key(drawing: Drawing) -> tuple[Any, ...]:
    """What cannot be changed in a node."""
    if isinstance(drawing, Points):
        return "points", np.shape(drawing.places), np.shape(drawing.colors), drawing.size
    if isinstance(drawing, Lines):
        return "lines", np.shape(drawing.ends), np.shape(drawing.colors), drawing.thickness, drawing.pixels
    mesh = (id(drawing.vertices), id(drawing.faces))
    return "copies", mesh, len(drawing.positions), tuple(map(int, drawing.color)), drawing.opacity


def _same(a: Drawing, b: Drawing) -> bool:
    if type(a) is not type(b) or _key(a) != _key(b):
        return False
    names = ("positions", "orientations", "scales") if isinstance(a, Copies) else ("places", "ends", "colors")
    pairs = [(getattr(a, name), getattr(b, name)) for name in names if hasattr(a, name)]
    return all(np.array_equal(one, other) for one, other in pairs)


def of_environments(read: Callable[[], Any], item: tuple[int, ...], make: Callable[[np.ndarray], Drawing]) -> Read:
    """A reader of one array of all environments.

    Args:
        read: returns (num_envs, n, ...), m, in the frames of the environments, on the host or on a GPU.
        item: shape of each of them, (3,) or (2, 3).
        make: a drawing of what of the environments that are seen is finite.
    """

    def reading(envs: np.ndarray, offsets: np.ndarray) -> Sequence[Drawing]:
        value = read()
        if value.ndim != 2 + len(item) or value.shape[2:] != item:
            raise ValueError(f"what is drawn has the shape {tuple(value.shape)}; (num_envs, n, {item}) is needed")
        chosen = _host(value[envs]).astype(float)
        chosen = (chosen + offsets.reshape(-1, *(1,) * len(item), 3)).reshape(-1, *item)
        return [make(chosen[np.isfinite(chosen).reshape(len(chosen), -1).all(axis=1)].astype(np.float32))]

    return reading


def _host(value: Any) -> np.ndarray:
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return np.asarray(value.get() if hasattr(value, "get") else value)
