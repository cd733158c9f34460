"""Bodies in a fluid that resists their motion, each as a box."""

from phalanx.ecs import Component, Field, Table

FluidBox = Table("fluid box", "bodies that a fluid resists, as boxes of their mass and inertia")


class FluidBoxTopology(Component, table=FluidBox):
    """Whose boxes they are."""

    link = Field(dtype="int32", doc="the link that it is part of", constant=True)
    body = Field(dtype="int32", doc="the named body", constant=True)


class FluidBoxModel(Component, table=FluidBox):
    """The box and the fluid around it."""

    mass = Field(unit="kg", doc="of the body", role="parameter", shared=True)
    moments = Field(3, unit="kg m^2", doc="principal moments of the body", role="parameter", shared=True)
    sides = Field(3, unit="m", doc="lengths of the box along the principal axes", role="parameter", shared=True)
    com = Field(3, unit="m", doc="its centre in the link frame", role="parameter", shared=True)
    axes = Field(
        9, doc="rotation matrix, row-major: from principal axes to those of the link", role="parameter", shared=True
    )
    density = Field(unit="kg/m^3", doc="of the fluid", role="parameter", shared=True)
    viscosity = Field(unit="Pa s", doc="of the fluid", role="parameter", shared=True)
    wind = Field(3, unit="m/s", doc="velocity of the fluid, world", role="parameter", shared=True)


class FluidBoxForce(Component, table=FluidBox):
    """What the fluid does."""

    wrench = Field(6, unit="N m, N", doc="torque about the link's origin and force, world, of the last substep")
