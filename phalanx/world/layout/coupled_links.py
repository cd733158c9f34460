"""Fill the tables of links that move and that deformable bodies may touch."""

from __future__ import annotations

from collections.abc import Sequence

from phalanx import components as c
from phalanx.world.layout.collision import PlacedShape
from phalanx.world.layout.columns import Columns
from phalanx.world.layout.particles import Particles


class CoupledLinks:
    """Links that move and that deformable bodies may touch."""

    def __init__(self, columns: Columns, chains: Sequence[Sequence[int]]) -> None:
        self._columns, self._chains = columns, chains
        self._rows: dict[int, int] = {}
        self._met: dict[int, list[tuple[int, int, int]]] = {}
        """Of each row: bodies, with their first surface node and one past the last."""
        self._ties: dict[tuple[int, int], tuple[int, int]] = {}
        """Of a row and a body: the first attachment and one past the last."""
        self._asked: list[int] = []

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._rows)

    def row(self, shape: PlacedShape) -> int:
        """The row of a shape's link, -1 if it cannot move; the next body that is said to meet links meets it."""
        return -1 if shape.dof < 0 else self.ask(shape.link, shape.dof)

    def ask(self, link: int, last_dof: int) -> int:
        """The row of a link whose motion is that of a dof, for the next body that is said to meet links."""
        if link not in self._rows:
            first = self._columns.count(c.CoupledDofTopology.dof)
            for dof in self._chains[last_dof]:
                self._columns.add({c.CoupledDofTopology.dof: dof})
            self._columns.add(
                {
                    c.CoupledLinkTopology.link: link,
                    c.CoupledLinkTopology.dof: last_dof,
                    c.CoupledLinkTopology.first_dof: first,
                    c.CoupledLinkTopology.end_dof: first + len(self._chains[last_dof]),
                }
            )
            self._rows[link] = len(self._rows)
        self._asked.append(self._rows[link])
        return self._asked[-1]

    def known(self, link: int) -> int:
        """The row of a link that was asked for."""
        return self._rows[link]

    def ties(self, row: int, body: int, first: int, end: int) -> None:
        """These attachments tie a body to a link; later ones follow them without a gap."""
        self._ties[row, body] = (self._ties.get((row, body), (first, end))[0], end)

    def meets(self, body: int, first_surface: int, count: int) -> None:
        """All links that were asked for since the last call may touch this body, of so many surface nodes."""
        for row in sorted(set(self._asked)):
            self._met.setdefault(row, []).append((body, first_surface, first_surface + count))
        self._asked.clear()

    def put(self, columns: Columns, particles: Particles) -> int:
        """Write which bodies each link may touch; returns how many rows that takes."""
        done = 0
        for row in range(self.count):
            met = self._met[row]
            columns.add({c.CoupledLinkTopology.first_body: done, c.CoupledLinkTopology.end_body: done + len(met)})
            for number, (body, first, end) in enumerate(met):
                particles.couple(columns, done + number, row, body, first, end)
                columns.add(
                    {
                        c.CoupledBodyTopology.link: row,
                        c.CoupledBodyTopology.body: body,
                        c.CoupledBodyTopology.first_surface: first,
                        c.CoupledBodyTopology.end_surface: first if particles.has(body) else end,
                        c.CoupledAttachments.first: self._ties.get((row, body), (0, 0))[0],
                        c.CoupledAttachments.end: self._ties.get((row, body), (0, 0))[1],
                    }
                )
            done += len(met)
        return done
