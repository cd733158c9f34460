"""Springs in joints."""

from phalanx.components.dof import Dof
from phalanx.ecs import Component, Field


class DofSpring(Component, table=Dof):
    """A passive spring on a single-dof joint, beside whatever drives it."""

    stiffness = Field(unit="N m/rad", doc="stiffness", role="parameter", shared=True)
    rest = Field(unit="rad", doc="position without effort", role="parameter", shared=True)
