"""Mass properties of an actor's bodies, each by itself, that users may change between steps."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.maths.arrays import inverse, matrix, rotate
from phalanx.models.actor_spec import Part
from phalanx.world.handle import Handle, on_device
from phalanx.world.layout.fill import Rows

FULL = np.array([0, 1, 2, 1, 3, 4, 2, 4, 5])
"""Entries of a symmetric matrix in xx xy xz yy yz zz."""

PACKED = np.array([0, 1, 2, 4, 5, 8])
"""Places of xx xy xz yy yz zz in a row-major 3 x 3 matrix."""


class BodyMasses(Handle):
    """The part of an actor that knows what each of its bodies weighs, those that are fixed to another one included.

    The engine moves links: bodies that joints carry, with all that is fixed to them. A body that has its link to itself
    is what the link is; of the others the world remembers the shares.
    """

    part: Part

    @property
    @abstractmethod
    def _bound(self) -> Rows: ...

    @property
    @on_device
    def body_mass(self) -> Any:
        """(n, num_bodies), kg: of each body alone."""
        return self._own("mass")

    @property
    @on_device
    def body_com(self) -> Any:
        """(n, num_bodies, 3), m: centre of mass of each body alone, in its own frame."""
        place, turn = self._frames()
        return rotate(inverse(turn, self._xp), self._own("com") - place, self._xp)

    @property
    @on_device
    def body_inertia(self) -> Any:
        """(n, num_bodies, 3, 3), kg·m^2: of each body alone about its centre of mass, in its own axes."""
        turn = matrix(self._frames()[1], self._xp)
        packed = self._own("inertia")
        full = packed[..., FULL].reshape(*packed.shape[:2], 3, 3)
        return self._xp.swapaxes(turn, -1, -2) @ full @ turn

    @on_device
    def set_body_mass_properties(
        self, mass: Any = None, com: Any = None, inertia: Any = None, env_ids: Any = None
    ) -> None:
        """Set masses, kg, centres of mass, m, and inertias, kg·m^2, of bodies; links become what their bodies make.

        What is not given stays. Environments may differ; from then on the world keeps a value for each, and the kernels
        that read it are compiled once more. A body's frame keeps its velocity.

        Args:
            mass: (n, num_bodies), above 0; 0 is allowed where it is 0 already.
            com: (n, num_bodies, 3), in the bodies' own frames.
            inertia: (n, num_bodies, 3, 3), symmetric, about the centres of mass in the bodies' own axes.
            env_ids: some environments.
        """
        bodies = len(self.part.articulation.frames)
        given = {
            name: self._input(f"body {name}", value, shape, env_ids, negative=name != "mass")
            for name, value, shape in (
                ("mass", mass, (bodies,)),
                ("com", com, (bodies, 3)),
                ("inertia", inertia, (bodies, 3, 3)),
            )
            if value is not None
        }
        if not given:
            return
        xp, envs = self._xp, next(iter(given.values()))[1]
        pick = slice(None) if envs is None else xp.asarray(envs)
        own = {name: self._own(name)[pick] for name in ("mass", "com", "inertia")}
        if "mass" in given and not self.engine.device.is_cuda and ((given["mass"][0] <= 0) & (own["mass"] > 0)).any():
            raise ValueError(f"{self}: body masses must be above 0; got {given['mass'][0].min()}")
        place, turn = (values[pick] for values in self._frames())
        if "mass" in given:
            own["mass"] = xp.array(given["mass"][0], own["mass"].dtype)
        if "com" in given:
            own["com"] = place + rotate(turn, xp.asarray(given["com"][0], place.dtype), xp)
        if "inertia" in given:
            turned = matrix(turn, xp)
            full = turned @ xp.asarray(given["inertia"][0], place.dtype) @ xp.swapaxes(turned, -1, -2)
            own["inertia"] = full.reshape(*full.shape[:2], 9)[..., PACKED]
        for name in given:
            self._write(getattr(c.BodyInertia, name), self._bound.bodies, own[name], envs)
        self._join(own, tuple(given), envs)
        self.engine.touch_state()

    def _join(self, own: dict[str, Any], given: tuple[str, ...], envs: np.ndarray | None) -> None:
        """Write links from their bodies' mass properties, link axes, parallel axes and all."""
        xp, links = self._xp, self._bound.links
        pick = slice(None) if envs is None else xp.asarray(envs)
        carried = np.array([frame.link for frame in self.part.articulation.frames])
        found = {name: self._read(getattr(c.LinkInertia, name), links)[pick] for name in own}
        joined = False
        for link in range(links.stop - links.start):
            members = np.flatnonzero(carried == link)
            if len(members) == 1:
                for name in given:
                    found[name][:, link] = own[name][:, members[0]]
            elif len(members):
                joined = True
                _sum_up(xp, own, members.tolist(), found, link)
        for name in found if joined else given:
            self._write(getattr(c.LinkInertia, name), links, found[name], envs)

    def _own(self, name: str) -> Any:
        """A field of BodyInertia of all bodies, from the link where a body has one to itself."""
        rows, carried = self._bound, np.array([frame.link for frame in self.part.articulation.frames])
        found = self._read(getattr(c.BodyInertia, name), rows.bodies)
        alone = np.flatnonzero(np.bincount(carried)[carried] == 1)
        if len(alone):
            found[:, alone] = self._read(getattr(c.LinkInertia, name), rows.links.start + carried[alone])
        return found

    def _frames(self) -> tuple[Any, Any]:
        """(n, num_bodies, 3) and (n, num_bodies, 4): the bodies' frames in their links."""
        rows = self._bound.bodies
        return self._read(c.BodyFrame.position, rows), self._read(c.BodyFrame.orientation, rows)


def _sum_up(xp: Any, own: dict[str, Any], members: list[int], found: dict[str, Any], link: int) -> None:
    """Mass properties of a link that has several bodies."""
    mass, com = own["mass"], own["com"]
    total, moment = 0.0 * mass[:, 0], 0.0 * com[:, 0]
    for b in members:
        total = total + mass[:, b]
        moment = moment + mass[:, b, None] * com[:, b]
    heavy = total > 0
    middle = xp.where(heavy[:, None], moment / xp.where(heavy, total, 1.0)[:, None], found["com"][:, link])
    inertia = 0.0 * own["inertia"][:, 0]
    for b in members:
        x, y, z = ((com[:, b] - middle)[:, k] for k in range(3))
        parallel = xp.stack([y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y], axis=-1)
        inertia = inertia + own["inertia"][:, b] + mass[:, b, None] * parallel
    found["mass"][:, link], found["com"][:, link], found["inertia"][:, link] = total, middle, inertia
