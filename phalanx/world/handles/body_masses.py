"""Mass properties of an actor's bodies, each by itself, and of its links, which bodies make.

The engine moves links: bodies that joints carry, with all that is fixed to them. A body that has its link to itself is
what the link is; of the others the world remembers the shares.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.maths.arrays import inverse, matrix, rotate
from phalanx.models.articulation import Articulation
from phalanx.world.engine.engine import Engine
from phalanx.world.engine.rows import read_rows, write_rows
from phalanx.world.layout.fill import Rows

FULL = np.array([0, 1, 2, 1, 3, 4, 2, 4, 5])
"""Entries of a symmetric matrix in xx xy xz yy yz zz."""

PACKED = np.array([0, 1, 2, 4, 5, 8])
"""Places of xx xy xz yy yz zz in a row-major 3 x 3 matrix."""

NAMES = ("mass", "com", "inertia")


class BodyMasses:
    """Mass properties of the bodies of one actor, environment-first."""

    def __init__(self, engine: Engine, rows: Rows, articulation: Articulation) -> None:
        self._engine, self._rows, self._xp = engine, rows, engine.device.xp
        self._carried = np.array([frame.link for frame in articulation.frames])

    @property
    def mass(self) -> Any:
        """(n, num_bodies), kg."""
        return self._own("mass")

    @property
    def com(self) -> Any:
        """(n, num_bodies, 3), m, in the bodies' own frames."""
        place, turn = self._frames()
        return rotate(inverse(turn, self._xp), self._own("com") - place, self._xp)

    @property
    def inertia(self) -> Any:
        """(n, num_bodies, 3, 3), kg·m^2, about the centres of mass in the bodies' own axes."""
        turn = matrix(self._frames()[1], self._xp)
        packed = self._own("inertia")
        full = packed[..., FULL].reshape(*packed.shape[:2], 3, 3)
        return self._xp.swapaxes(turn, -1, -2) @ full @ turn

    def set(self, given: dict[str, Any], envs: np.ndarray | None) -> None:
        """Set what is given by name, and make links of it.

        Raises:
            ValueError: a mass is not above 0 where it was, on a CPU.
        """
        xp = self._xp
        pick = slice(None) if envs is None else xp.asarray(envs)
        own = {name: self._own(name)[pick] for name in NAMES}
        place, turn = (values[pick] for values in self._frames())
        if "mass" in given:
            if not self._engine.device.is_cuda and ((given["mass"] <= 0) & (own["mass"] > 0)).any():
                raise ValueError(f"body masses must be above 0; got {given['mass'].min()}")
            own["mass"] = xp.array(given["mass"], own["mass"].dtype)
        if "com" in given:
            own["com"] = place + rotate(turn, xp.asarray(given["com"], place.dtype), xp)
        if "inertia" in given:
            turned = matrix(turn, xp)
            full = turned @ xp.asarray(given["inertia"], place.dtype) @ xp.swapaxes(turned, -1, -2)
            own["inertia"] = full.reshape(*full.shape[:2], 9)[..., PACKED]
        for name in given:
            write_rows(self._engine, getattr(c.BodyInertia, name), self._rows.bodies, own[name], envs)
        self._join(own, tuple(given), envs)

    def scale_links(self, numbers: list[int], mass: Any, envs: np.ndarray | None, *, scale_inertia: bool) -> None:
        """Set masses of links, (k, links); their bodies keep their shares, inertias are scaled with them or stay."""
        engine, xp = self._engine, self._xp
        links = self._rows.links.start + np.array(numbers, np.int64)
        pick = slice(None) if envs is None else xp.asarray(envs)
        ratio = mass / read_rows(engine, c.LinkInertia.mass, links)[pick]
        rows = self._rows.bodies.start + np.flatnonzero(np.isin(self._carried, numbers))
        shares = ratio[:, xp.asarray([numbers.index(link) for link in self._carried if link in numbers])]
        scaled = [(c.LinkInertia.mass, links, ratio), (c.BodyInertia.mass, rows, shares)]
        if scale_inertia:
            scaled += [(c.LinkInertia.inertia, links, ratio[..., None])]
            scaled += [(c.BodyInertia.inertia, rows, shares[..., None])]
        for field, where, factor in scaled:
            exact = field is c.LinkInertia.mass
            values = mass if exact else read_rows(engine, field, where)[pick] * factor
            write_rows(engine, field, where, values, envs)

    def _join(self, own: dict[str, Any], given: tuple[str, ...], envs: np.ndarray | None) -> None:
        """Write links from their bodies' mass properties, link axes, parallel axes and all."""
        xp, links = self._xp, self._rows.links
        pick = slice(None) if envs is None else xp.asarray(envs)
        found = {name: read_rows(self._engine, getattr(c.LinkInertia, name), links)[pick] for name in own}
        joined = False
        for link in range(links.stop - links.start):
            members = np.flatnonzero(self._carried == link)
            if len(members) == 1:
                for name in given:
                    found[name][:, link] = own[name][:, members[0]]
            elif len(members):
                joined = True
                _sum_up(xp, own, members.tolist(), found, link)
        for name in found if joined else given:
            write_rows(self._engine, getattr(c.LinkInertia, name), links, found[name], envs)

    def _own(self, name: str) -> Any:
        """A field of BodyInertia of all bodies, from the link where a body has one to itself."""
        rows, carried = self._rows, self._carried
        found = read_rows(self._engine, getattr(c.BodyInertia, name), rows.bodies)
        alone = np.flatnonzero(np.bincount(carried)[carried] == 1)
        if len(alone):
            links = rows.links.start + carried[alone]
            found[:, alone] = read_rows(self._engine, getattr(c.LinkInertia, name), links)
        return found

    def _frames(self) -> tuple[Any, Any]:
        """(n, num_bodies, 3) and (n, num_bodies, 4): the bodies' frames in their links."""
        fields = (c.BodyFrame.position, c.BodyFrame.orientation)
        position, orientation = (read_rows(self._engine, field, self._rows.bodies) for field in fields)
        return position, orientation


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
