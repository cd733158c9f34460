"""Sleep: trees at rest that are not moved until something wakes them. Only in worlds where something may sleep."""

from phalanx.components.contact import Contact
from phalanx.components.dof import Coord, Dof
from phalanx.components.link import Link
from phalanx.components.loop import Loop
from phalanx.components.tree import Tree
from phalanx.ecs import Component, Field


class TreeSleep(Component, table=Tree):
    """Whether a tree sleeps, and what decides on it."""

    threshold = Field(
        unit="m^2/s^2", doc="kinetic energy per mass below which it is quiet; 0: never", role="parameter", shared=True
    )
    stabilization_threshold = Field(
        unit="m^2/s^2",
        doc="kinetic energy per mass below which it is damped while it touches anything; 0: never",
        role="parameter",
        shared=True,
    )
    asleep = Field(dtype="int32", doc="1: it sleeps", role="state")
    quiet = Field(unit="s", doc="how long it has been quiet without a break", role="state")
    gravity = Field(3, unit="m/s^2", doc="Settings.gravity in the substep before", role="state")
    way = Field(unit="m^2/s^2", doc="the same of the way that a free root's origin went in a substep", role="state")
    stirred = Field(dtype="int32", doc="1: something wakes it in this substep; or it moves by itself, or was moved")
    energy = Field(unit="m^2/s^2", doc="most kinetic energy per mass of its links, and of its root's way")
    touched = Field(dtype="int32", doc="1: it touches something")
    island = Field(dtype="int32", doc="a tree among all those that touch or are joined, the same for all of them")
    waking = Field(dtype="int32", doc="1: trees of this island are awake from now on")


class ContactTouch(Component, table=Contact):
    """Whether surfaces meet, rather than being near."""

    touching = Field(dtype="int32", doc="1 if they touch or will in this substep", role="state")


class SeenCoordinate(Component, table=Coord):
    """Coordinates as the last substep left them."""

    value = Field(unit="rad", doc="as Coordinate.value", role="state")


class SeenDof(Component, table=Dof):
    """What drives were asked for in the substep before."""

    request = Field(5, unit="rad, rad/s, N m", doc="targets of position, velocity, effort; two gains", role="state")


class SeenLink(Component, table=Link):
    """What acted on links in the substep before."""

    load = Field(7, unit="N, N m, 1", doc="external force and torque; share of gravity", role="state")


class SeenLoop(Component, table=Loop):
    """Loop joints in the substep before."""

    broken = Field(dtype="int32", doc="as LoopState.broken", role="state")
    bounds = Field(2, unit="m", doc="as LoopFrame.nearest, .farthest", role="state")
