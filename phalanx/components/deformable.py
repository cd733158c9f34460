"""Deformable bodies: nodes that carry mass, the elements between them, and what is known of each body as a whole.

Positions of nodes are offsets from their body's origin, which follows its centre of mass from step to step, so that
small bodies far from the world's origin keep their digits in float32. Everything is in world axes.
"""

from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

Deformable = Table("deformable", "a deformable body")
Node = Table("node", "a point of a deformable body that carries mass; those of a body are consecutive")
Corner = Table("corner", "a tetrahedron as one of its nodes sees it; those of a node are consecutive")
NodeGroup = Table("node group", "a run of nodes of one body, for sums; after them rows for sections")
NodeSection = Table("node section", "a run of groups of one body that has many of them, for sums")


class DeformableSettings(Component, table=World):
    """How deformable bodies are stepped."""

    small_steps = Field(dtype="int32", doc="small steps that a substep is cut into", role="parameter", shared=True)
    total = Field(dtype="int32", doc="small steps of a step", role="parameter", shared=True)
    done = Field(dtype="int32", doc="small steps of this step that have been made", role="state")


class DeformableTopology(Component, table=Deformable):
    """Which rows are a body's."""

    first_node = Field(dtype="int32", doc="its first node", constant=True)
    end_node = Field(dtype="int32", doc="one past its last node, or collision point", constant=True)
    first_group = Field(dtype="int32", doc="its first group of nodes", constant=True)
    end_group = Field(dtype="int32", doc="one past its last group of nodes", constant=True)
    first_sum = Field(dtype="int32", doc="the first of the groups or sections that add up to it", constant=True)
    end_sum = Field(dtype="int32", doc="one past the last of these", constant=True)
    loose = Field(dtype="int32", doc="1: its nodes are particles, which nothing ties together", constant=True)
    rope = Field(dtype="int32", doc="its row among ropes, -1: it is none", constant=True)


class DeformableMaterial(Component, table=Deformable):
    """What a body is made of."""

    youngs_modulus = Field(unit="Pa", doc="Young's modulus", role="parameter", shared=True)
    poissons_ratio = Field(doc="Poisson's ratio, below 0.5", role="parameter", shared=True)
    corotational = Field(dtype="int32", doc="1: corotational elasticity, 0: the stable Neo-Hookean one", constant=True)


class DeformableDynamics(Component, table=Deformable):
    """What acts on a body besides elasticity and contacts."""

    gravity_scale = Field(doc="share of gravity that acts on it", role="parameter", shared=True, initial=1)
    damping = Field(unit="1/s", doc="decay of all velocities, d in 1 / (1 + d h)", role="parameter", shared=True)


class DeformableMotion(Component, table=Deformable):
    """Where a body is."""

    origin = Field(3, unit="m", doc="where positions of nodes start from, relative to the environment's", role="state")


class DeformableElasticity(Component, table=Deformable):
    """Constants of the energy ``shear / 2 |F|^2 + bulk / 2 (J - rest)^2``, from the material.

    Of the stable Neo-Hookean one they are mu, lambda + mu and 1 + mu / (lambda + mu) with Lame's parameters; of the
    corotational one, which has a force of rotations besides, 2 mu, lambda and 1.
    """

    shear = Field(unit="Pa", doc="factor of |F|^2 / 2")
    bulk = Field(unit="Pa", doc="factor of (J - rest)^2 / 2")
    rest = Field(doc="ratio of volumes at which the volumetric part vanishes")
    mu = Field(unit="Pa", doc="Lame's second parameter, the shear modulus for small strains")
    first_lame = Field(unit="Pa", doc="Lame's first parameter, lambda")


class DeformableModes(Component, table=Deformable):
    """Motion of a body as a rigid one."""

    move = Field(6, unit="m, rad", doc="translation, and rotation about the origin, that the small step adds")
    broken = Field(dtype="int32", doc="1: its motion is no longer finite")
    middle = Field(3, unit="m", doc="centre of mass at the start of the small step, from the origin")
    ahead = Field(3, unit="m", doc="the same at its end")


class DeformableMomentum(Component, table=Deformable):
    """Momentum of a body."""

    middle = Field(3, unit="m", doc="centre of mass, from the origin")
    mass = Field(unit="kg", doc="mass")
    held = Field(dtype="int32", doc="number of its nodes that the user moves")
    inertia = Field(6, unit="kg m^2", doc="xx xy xz yy yz zz about the centre of mass")
    linear = Field(3, unit="kg m/s", doc="momentum")
    angular = Field(3, unit="kg m^2/s", doc="angular momentum about the centre of mass")
    impulse = Field(6, unit="N s, N m s", doc="of contacts in this substep, and its moment about the centre of mass")
    before = Field(6, unit="kg m/s, kg m^2/s", doc="linear, angular momentum at the start of the substep")
    gain = Field(6, unit="m/s, rad/s", doc="velocity, and spin about the centre of mass, that the substep must add")
    shift = Field(3, unit="m", doc="by how much the origin moves at the end of the substep")


class NodeTopology(Component, table=Node):
    """Where a node belongs."""

    body = Field(dtype="int32", doc="its body", constant=True)
    first_corner = Field(dtype="int32", doc="its first corner", constant=True)
    end_corner = Field(dtype="int32", doc="one past its last corner", constant=True)
    surface = Field(dtype="int32", doc="its row among surface nodes, -1: it is inside", constant=True)


class NodeOrder(Component, table=Node):
    """Nodes colour by colour: those of one colour share no element."""

    node = Field(dtype="int32", doc="number of a node", constant=True)


class NodeModel(Component, table=Node):
    """Mass and shape."""

    mass = Field(
        unit="kg",
        doc="mass; of a collision point the mean of its carriers', by weight",
        role="parameter",
        shared=True,
    )
    rest = Field(3, unit="m", doc="position where nothing is strained, in the body's own frame", constant=True)


class NodeState(Component, table=Node):
    """Where a node is and how it moves."""

    position = Field(3, unit="m", doc="from DeformableMotion.origin", role="state")
    velocity = Field(3, unit="m/s", doc="velocity", role="state")


class NodeTarget(Component, table=Node):
    """Nodes that the user moves."""

    position = Field(3, unit="m", doc="where the node is to be after the next step, world", role="input")
    held = Field(dtype="int32", doc="1: it goes to its target, whatever acts on it; 0: it is free", role="input")


class NodeStep(Component, table=Node):
    """A small step of a node."""

    start = Field(3, unit="m", doc="position at its start")
    goal = Field(3, unit="m", doc="where gravity and inertia alone would take it")


class CornerTopology(Component, table=Corner):
    """The other nodes of the tetrahedron."""

    others = Field(
        3, dtype="int32", doc="a, b, c: (b - a) x (c - a) points towards it, but where turned over", constant=True
    )


class CornerShape(Component, table=Corner):
    """The tetrahedron where nothing is strained; V is its volume, g are the gradients of its shape functions."""

    weight = Field(3, unit="m", doc="V g . g_j of this node's gradient with those of the others", constant=True)
    inverse = Field(unit="1/m^3", doc="1 / (36 V)", constant=True)
    rest = Field(unit="m^3", doc="6 V", constant=True)


class NodeGroupTopology(Component, table=NodeGroup):
    """Which nodes a group has."""

    body = Field(dtype="int32", doc="its body", constant=True)
    first_node = Field(dtype="int32", doc="its first node", constant=True)
    end_node = Field(dtype="int32", doc="one past its last node", constant=True)
    end_tied = Field(dtype="int32", doc="the same, or its first node where nodes are particles", constant=True)
    inert = Field(doc="1, or 0 for collision points, which their carriers move", constant=True)


class NodeSectionTopology(Component, table=NodeSection):
    """Which groups a section has."""

    first_group = Field(dtype="int32", doc="its first group", constant=True)
    end_group = Field(dtype="int32", doc="one past its last group", constant=True)
    row = Field(dtype="int32", doc="its row among groups, for what its groups add up to", constant=True)


class NodeGroupSums(Component, table=NodeGroup):
    """Sums over a group's nodes, or over a section's groups."""

    inertia = Field(
        21,
        unit="kg, kg m, kg m^2",
        doc="upper triangle of the 6 x 6 matrix of rigid motions, row by row: translations, rotations",
    )
    force = Field(6, unit="N, N m", doc="force, and torque about the origin, that rigid motions see")
    held = Field(dtype="int32", doc="number of nodes that the user moves")
    middle = Field(4, unit="kg, kg m", doc="mass, and first moment x y z after the sweeps")
    moments = Field(10, unit="kg, kg m, kg m^2", doc="mass; first moment x y z; second moment xx xy xz yy yz zz")
    momentum = Field(6, unit="kg m/s, kg m^2/s", doc="linear momentum, angular momentum about the origin")
    impulse = Field(6, unit="N s, N m s", doc="of contacts in this substep, and its moment about the centre of mass")
    low = Field(3, unit="m", doc="least coordinates, from the origin, of nodes now and where they are going")
    high = Field(3, unit="m", doc="greatest coordinates, likewise")
