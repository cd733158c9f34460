"""Contacts of deformable bodies' nodes with rigid shapes.

Each node on a surface has a few slots, for the shapes that it is nearest to. A contact is a spring of the node to its
anchor, a point of the shape's surface that moves with the shape: it pushes along the normal, and along the surface it
holds within the bounds of friction.
"""

from phalanx.components.deformable import Deformable
from phalanx.components.dof import Dof
from phalanx.ecs import Component, Field, Table

SLOTS = 3
"""Contacts of a node: as many as walls meet in a corner."""

SurfaceNode = Table("surface node", "a node on the surface of a deformable body")
NodeContact = Table("node contact", "slots for contacts of surface nodes with shapes, SLOTS for each")
DeformablePair = Table(
    "deformable pair", "a deformable body and a shape that may touch; those of a body are consecutive"
)
CoupledLink = Table("coupled link", "a link that moves and has shapes that deformable bodies may touch")
CoupledBody = Table(
    "coupled body", "a coupled link and a deformable body that may touch it; those of a link are consecutive"
)
CoupledDof = Table("coupled dof", "for each coupled link the dofs that move it, from its own to the root's")


class SurfaceNodeTopology(Component, table=SurfaceNode):
    """Which node it is."""

    node = Field(dtype="int32", doc="the node", constant=True)
    body = Field(dtype="int32", doc="its body", constant=True)


class SurfaceNodeModel(Component, table=SurfaceNode):
    """What its contacts are like."""

    mass = Field(
        unit="kg", doc="what its contacts are as stiff as: its mass; of a collision point a share of its carriers'"
    )


class DeformablePairTopology(Component, table=DeformablePair):
    """Who may touch."""

    body = Field(dtype="int32", doc="the deformable body", constant=True)
    shape = Field(dtype="int32", doc="the shape", constant=True)
    plane = Field(dtype="int32", doc="the shape's plane, -1: it is none", constant=True)
    link = Field(dtype="int32", doc="the shape's coupled link, -1: it does not move", constant=True)


class DeformablePairState(Component, table=DeformablePair):
    """Result of the test of bounds."""

    near = Field(dtype="int32", doc="1 if nodes of the body may touch the shape in this substep")


class DeformableSurface(Component, table=Deformable):
    """The surface of a body."""

    first_pair = Field(dtype="int32", doc="its first pair with a shape", constant=True)
    end_pair = Field(dtype="int32", doc="one past the last", constant=True)
    contact_offset = Field(unit="m", doc="as ShapeGeometry.contact_offset", role="parameter", shared=True)
    rest_offset = Field(unit="m", doc="as ShapeGeometry.rest_offset", role="parameter", shared=True)
    static_friction = Field(doc="static friction coefficient", role="parameter", shared=True)
    dynamic_friction = Field(doc="dynamic friction coefficient", role="parameter", shared=True)
    friction_mode = Field(dtype="int32", doc="as ShapeMaterial.friction_mode", role="parameter", shared=True)


class DeformableBounds(Component, table=Deformable):
    """Axis-aligned box of a body with its contact offset and what it may travel in the substep."""

    low = Field(3, unit="m", doc="least coordinates, from the environment's origin")
    high = Field(3, unit="m", doc="greatest coordinates, from the environment's origin")


class NodeContactState(Component, table=NodeContact):
    """What a contact remembers."""

    pair = Field(dtype="int32", doc="deformable pair, -1: the slot is empty", role="state", initial=-1)
    load = Field(unit="N", doc="normal force that it has without overlap; negative: how much it lacks", role="state")
    spot = Field(3, unit="m", doc="the anchor in the shape's frame, or in the world if that is a plane", role="state")
    slides = Field(dtype="int32", doc="1 if friction has reached its bound", role="state")
    face = Field(
        dtype="int32",
        doc="of a mesh: twice its triangle, and one more if that is touched from behind; else -1",
        role="state",
        initial=-1,
    )
    impulse = Field(3, unit="N s", doc="on the node, over the substep so far", role="state")
    moment = Field(3, unit="N m s", doc="its moment about the body's centre of mass, over the substep so far")
    pulse = Field(3, unit="N s", doc="the same, over the small step")


class PreviousNodeContact(Component, table=NodeContact):
    """The contacts of the substep before, while new ones are looked for."""

    pair = Field(dtype="int32", doc="as NodeContactState.pair")
    load = Field(unit="N", doc="as NodeContactState.load")
    spot = Field(3, unit="m", doc="as NodeContactState.spot")
    slides = Field(dtype="int32", doc="as NodeContactState.slides")
    face = Field(dtype="int32", doc="as NodeContactState.face")


class NodeContactPoint(Component, table=NodeContact):
    """Where a contact is."""

    gap = Field(unit="m", doc="distance of the node from the shape less rest offsets, then from its anchor")
    normal = Field(3, doc="unit normal, towards the node")
    anchor = Field(3, unit="m", doc="point of the shape's surface, from DeformableMotion.origin")
    friction = Field(doc="coefficient of friction")


class CoupledLinkTopology(Component, table=CoupledLink):
    """Which link it is, and what moves it."""

    link = Field(dtype="int32", doc="the link", constant=True)
    dof = Field(dtype="int32", doc="its last dof", constant=True)
    first_dof = Field(dtype="int32", doc="its first coupled dof", constant=True)
    end_dof = Field(dtype="int32", doc="one past its last coupled dof", constant=True)
    first_body = Field(dtype="int32", doc="its first coupled body", constant=True)
    end_body = Field(dtype="int32", doc="one past its last coupled body", constant=True)


class CoupledDofTopology(Component, table=CoupledDof):
    """Which dof it is."""

    dof = Field(dtype="int32", doc="the dof", constant=True)


class CoupledBodyTopology(Component, table=CoupledBody):
    """Who it is."""

    link = Field(dtype="int32", doc="the coupled link", constant=True)
    body = Field(dtype="int32", doc="the deformable body", constant=True)
    first_surface = Field(dtype="int32", doc="first surface node of the body", constant=True)
    end_surface = Field(dtype="int32", doc="one past the last", constant=True)


class CoupledBodySums(Component, table=CoupledBody):
    """Sums over contacts of a body with a link, about the link's origin."""

    near = Field(dtype="int32", doc="1 if they may touch in this substep")
    force = Field(6, unit="N, N m", doc="force and torque on the link")
    stiffness = Field(
        21,
        unit="N/m, N, N m",
        doc="their derivative by the link's motion: upper triangle of a 6 x 6 matrix, row by row",
    )
    impulse = Field(6, unit="N s, N m s", doc="impulse of the small step on the link, and its moment")


class CoupledLinkMotion(Component, table=CoupledLink):
    """Motion of a link while deformable bodies are stepped: at its origin, linear and angular, world axes."""

    place = Field(3, unit="m", doc="its origin, from the environment's")
    begin = Field(3, unit="m", doc="the same at the start of the substep: what impulses have their moments about")
    velocity = Field(6, unit="m/s, rad/s", doc="velocity in the small step")
    change = Field(6, unit="m/s, rad/s", doc="what forces and last substep's impulses add to it in a small step")
    mobility = Field(21, unit="1/kg", doc="velocity per impulse: upper triangle of a 6 x 6 matrix, row by row")
    impulse = Field(
        6, unit="N s, N m s", doc="impulse of deformable bodies on it, over the substep so far", role="state"
    )
    pulse = Field(6, unit="N s, N m s", doc="impulse of deformable bodies on it, in the last small step", role="state")
    free = Field(unit="1/kg", doc="sum of its mobilities along axes, also of what does not give way")
    unbound = Field(
        6,
        unit="m/s, rad/s",
        doc="change of velocity in a small step that speed limits of joints undo, until it presses",
    )
    pressed = Field(doc="grains that it presses against something, in the small step")
    give = Field(6, unit="m, rad", doc="how far the forces of the small step move it within that")


class CoupledDofResponse(Component, table=CoupledDof):
    """How a dof moves its link."""

    row = Field(6, doc="velocity of the link per decoupled velocity of the dof")


class DofForecast(Component, table=Dof):
    """Where rigid bodies are going when deformable bodies are stepped: with all forces, and last substep's impulses."""

    gain = Field(unit="rad/s", doc="what the substep adds to the generalised velocity")
    change = Field(6, unit="rad/s, m/s", doc="change of velocity of the body after this dof, at the link's origin")
