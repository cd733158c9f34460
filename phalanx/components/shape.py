"""Collision shapes: geometry in their links, surface, filters, and where they are.

A shape's own frame: capsule, cylinder and cone along z, the cone's apex up; the origin at the centre of a sphere,
capsule, cylinder, box, at half the height of a cone, and at the mean of a hull's vertices.
"""

from phalanx.ecs import Component, Field, Table, function

SPHERE, CAPSULE, BOX, CYLINDER, CONE, HULL, TRIANGLE, SDF, MESH, HEIGHT_FIELD, PLANE = range(11)
"""Kinds of shapes; a triangle is one of a mesh or height field. In a pair the kinds are in this order.

What several kinds have in common is asked with the functions below, which alone know that the order says it.
"""

AVERAGE, MINIMUM, MULTIPLY, MAXIMUM = range(4)
"""How the coefficients of two surfaces are combined; of two modes the one later in this list is used."""

ABSENT = -1e6
"""m, a contact offset: contacts exist below the sum of two shapes', so that a shape with this one meets nothing."""

OUT = -(2.0**40)
"""By which contact offsets of shapes that are out of the simulation are multiplied: far below :data:`ABSENT`, and
dividing by it gives the same offset again."""

Shape = Table("shape", "a collision shape")
BarredPair = Table("barred pair", "pairs of shapes that must not meet, where allowed ones are too many to list")
HullVertex = Table("hull vertex", "vertices of all convex hulls and triangle meshes")
HullFace = Table("hull face", "faces of all convex hulls")
HullCorner = Table("hull corner", "corners of all hull faces, counter-clockwise from outside, face by face")


@function
def is_round(kind):
    """Whether shapes of a kind are all that is within a radius of a point or a segment: spheres and capsules."""
    return kind <= CAPSULE


@function
def is_primitive(kind):
    """Whether a few sizes tell a shape of a kind: spheres, capsules, boxes, cylinders, cones."""
    return kind <= CONE


@function
def is_convex(kind):
    """Whether shapes of a kind are convex and have an end: primitives and hulls."""
    return kind <= HULL


@function
def is_surface(kind):
    """Whether shapes of a kind are surfaces, of which two never meet: triangle meshes, height fields, planes."""
    return kind >= MESH


class ShapeTopology(Component, table=Shape):
    """What a shape is and what carries it."""

    kind = Field(dtype="int32", doc="SPHERE, CAPSULE, ...", constant=True)
    link = Field(dtype="int32", doc="the link that carries it, -1: none (a plane)", constant=True)
    body = Field(dtype="int32", doc="the named body that forces are reported for, -1: none", constant=True)
    dof = Field(dtype="int32", doc="last dof of its link, -1 if that cannot move", constant=True)
    sole = Field(dtype="int32", doc="1: its link carries no other shape", constant=True)
    first_vertex = Field(dtype="int32", doc="of a hull or mesh: its first vertex", constant=True)
    end_vertex = Field(dtype="int32", doc="one past its last vertex", constant=True)
    first_face = Field(dtype="int32", doc="of a hull: its first face; of a mesh: its first triangle", constant=True)
    end_face = Field(dtype="int32", doc="one past its last", constant=True)


class ShapeGeometry(Component, table=Shape):
    """Geometry of a shape in its link."""

    size = Field(
        3,
        unit="m",
        doc="sphere: radius; capsule, cylinder, cone: radius, half length; box: half lengths; else: scale 1 1 1",
        role="parameter",
        shared=True,
    )
    position = Field(3, unit="m", doc="the shape's frame in its link", role="parameter", shared=True)
    orientation = Field(4, doc="the shape's frame in its link, w x y z", role="parameter", shared=True)
    low = Field(3, unit="m", doc="least coordinates in the shape's frame", role="parameter", shared=True)
    high = Field(3, unit="m", doc="greatest coordinates in the shape's frame", role="parameter", shared=True)
    contact_offset = Field(unit="m", doc="contacts exist below the sum of two shapes'", role="parameter", shared=True)
    rest_offset = Field(unit="m", doc="surfaces rest at the sum of two shapes'", role="parameter", shared=True)


class ShapeMaterial(Component, table=Shape):
    """Surface of a shape."""

    static_friction = Field(doc="static friction coefficient", role="parameter", shared=True)
    dynamic_friction = Field(doc="dynamic friction coefficient", role="parameter", shared=True)
    restitution = Field(doc="restitution coefficient", role="parameter", shared=True)
    friction_mode = Field(dtype="int32", doc="AVERAGE, ...: how friction is combined", role="parameter", shared=True)
    restitution_mode = Field(
        dtype="int32", doc="AVERAGE, ...: how restitution is combined", role="parameter", shared=True
    )
    torsional_patch_radius = Field(
        unit="m", doc="radius of curvature that a patch of contact has its radius from", role="parameter", shared=True
    )
    min_torsional_patch_radius = Field(
        unit="m", doc="least radius of a patch of contact", role="parameter", shared=True
    )
    contact_stiffness = Field(unit="N/m", doc="of contacts that give way; 0: rigid", role="parameter", shared=True)
    contact_damping = Field(unit="N s/m", doc="of contacts that give way", role="parameter", shared=True)
    contact_series = Field(
        dtype="int32", doc="1: stiffness and damping are one behind the other's", role="parameter", shared=True
    )
    surface_velocity = Field(
        6, unit="m/s, rad/s", doc="of a conveyor: linear, angular; link frame", role="parameter", shared=True
    )


class ShapeFilter(Component, table=Shape):
    """Which shapes may meet, where pairs are too many to list."""

    part = Field(dtype="int32", doc="robot or object that it belongs to", constant=True)
    yields = Field(dtype="int32", doc="1 if contacts can move it", constant=True)
    self_collision = Field(dtype="int32", doc="1 if shapes of its part may meet", constant=True)
    group = Field(dtype="int32", doc="collision group, 0 to 31", constant=True)
    mask = Field(dtype="int32", doc="bits of the groups that it may meet", constant=True)


class ShapeOrder(Component, table=Shape):
    """Shapes in the order of their lower bounds."""

    shape = Field(dtype="int32", doc="number of a shape")


class BarredPairKey(Component, table=BarredPair):
    """Pairs that other filters would let through."""

    key = Field(dtype="int32", doc="lower shape * number of shapes + higher shape, growing", constant=True)


class ShapePose(Component, table=Shape):
    """Where a shape is."""

    offset = Field(3, unit="m", doc="its origin from the root link's origin, world axes")
    rotation = Field(9, doc="row-major matrix, shape to world axes")


class ShapeBounds(Component, table=Shape):
    """Axis-aligned box of a shape, with its offset and what it may travel in the substep."""

    low = Field(3, unit="m", doc="least coordinates, from the environment's origin, world axes")
    high = Field(3, unit="m", doc="greatest coordinates, from the environment's origin, world axes")
    travel = Field(
        5,
        unit="m",
        doc="way of its origin in this substep, world axes; how far its points may turn: straight, and along the arc",
    )


class ShapeMotion(Component, table=Shape):
    """How a shape is expected to move in the substep, besides :class:`ShapeBounds`' ``travel``, if nothing stops it."""

    turn = Field(3, unit="rad", doc="rotation vector, world axes")
    centre = Field(3, unit="m", doc="from its origin to the point that goes straight while it turns, world axes")
    slow = Field(unit="m", doc="it is not fast if it and what it may touch come nearer by no more than this")


class HullVertexPosition(Component, table=HullVertex):
    """Vertices of hulls and meshes."""

    position = Field(3, unit="m", doc="shape frame", constant=True)


class HullFacePlane(Component, table=HullFace):
    """Faces of hulls: polygons of corners, coplanar triangles merged."""

    normal = Field(3, doc="outward unit normal, shape frame", constant=True)
    offset = Field(unit="m", doc="distance from the shape's origin", constant=True)
    first_corner = Field(dtype="int32", doc="first corner", constant=True)
    end_corner = Field(dtype="int32", doc="one past its last corner", constant=True)


class HullCornerVertex(Component, table=HullCorner):
    """Corners of hull faces."""

    vertex = Field(dtype="int32", doc="hull vertex", constant=True)
