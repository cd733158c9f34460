"""Kinematic bodies: free roots that follow targets, whatever they meet."""

from phalanx.ecs import Component, Field, Table

Kinematic = Table("kinematic", "a free root whose dofs are prescribed")


class KinematicTopology(Component, table=Kinematic):
    """Which rows are a kinematic body's."""

    first_dof = Field(dtype="int32", doc="first of its six dofs", constant=True)
    coord = Field(dtype="int32", doc="first of its seven coordinates", constant=True)
    substeps = Field(dtype="int32", doc="substeps in which it reaches a target: those of a step", constant=True)


class KinematicTarget(Component, table=Kinematic):
    """Where the user wants it after the next step."""

    pose = Field(7, unit="m, 1", doc="position and orientation (w x y z) of the link's frame, world", role="input")
    number = Field(dtype="int32", doc="number of the target; another one than was served starts a motion", role="input")


class KinematicState(Component, table=Kinematic):
    """How far it is."""

    served = Field(dtype="int32", doc="number of the target that was taken up last", role="state")
    left = Field(
        dtype="int32",
        doc="substeps until the target is reached; -1: it was just reached; 0: keeps the velocity that it has",
        role="state",
    )
