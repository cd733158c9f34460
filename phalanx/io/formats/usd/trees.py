"""Which bodies make robots, which joints are in their trees, and which hold bodies together on top of that."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from phalanx.io.formats.usd.bindings import Prim, UsdPhysics
from phalanx.io.formats.usd.bodies import Found, RigidBody
from phalanx.io.formats.usd.joints import JointPrim
from phalanx.io.formats.usd.values import Reading

HELD = ("fixed", "revolute", "spherical", "distance")
"""Kinds of joints that can hold bodies of different trees, or of the same one."""


@dataclass
class Edge:
    """A joint of a tree; ``backwards`` if its second body is nearer to the root, or the world.

    ``after`` says that it comes after another joint between the same bodies and moves what that one moves.
    """

    joint: JointPrim
    parent: RigidBody | None
    child: RigidBody
    backwards: bool
    after: bool = False


@dataclass
class Tree:
    """Bodies that become one robot, the root first.

    ``fixed``: the root cannot move. ``hinged``: the first edge connects it to the world. ``marker`` is the prim that
    says that it is an articulation, if one does.
    """

    root: RigidBody
    bodies: list[RigidBody]
    edges: list[Edge] = field(default_factory=list)
    fixed: bool = False
    marker: Prim | None = None

    @property
    def hinged(self) -> bool:
        """Whether a joint that moves connects the root to the world."""
        return bool(self.edges) and self.edges[0].parent is None


@dataclass
class Grouped:
    """Robots, bodies on their own, and joints that are in no tree."""

    trees: list[Tree]
    loose: list[RigidBody]
    held: list[JointPrim]

    def rigid(self) -> dict[RigidBody | None, RigidBody | None]:
        """For each body of a tree, and the world, the one that stands for all that is fixed to it."""
        found: dict[RigidBody | None, RigidBody | None] = {None: None}
        for tree in self.trees:
            found[tree.root] = None if tree.fixed and not tree.hinged else tree.root
            for edge in tree.edges:
                found[edge.child] = found[edge.parent] if edge.joint.kind == "fixed" else edge.child
        return found


def group(reading: Reading, found: Found, joints: list[JointPrim]) -> Grouped:
    """Sort bodies and joints.

    Bodies that joints connect make a robot if one of them, one of the joints or a prim above is an articulation root,
    or if one of the joints is of a sort that only a tree can have. Others stay rigid objects.
    """
    moving = [body for body in found.bodies.values() if not body.kinematic]
    usable = [one for one in joints if not one.excluded and one.kind != "distance" and _in_tree(one)]
    islands = _islands(moving, usable)
    trees, loose, used = [], [], set()
    for bodies in islands:
        mine = [one for one in usable if any(body in bodies for body in one.bodies)]
        marker = _marker(reading, found, bodies, mine)
        if marker is None and not any(_needs_tree(reading, one) for one in mine):
            loose += bodies
            continue
        if marker is None:
            text = "it needs coordinates of its own, so the bodies that it connects become a robot though none is an "
            first = next(one for one in mine if _needs_tree(reading, one))
            reading.notes.add(first.prim, text + "articulation root.")
        tree = _grow(reading, found, bodies, mine, marker)
        trees.append(tree)
        used |= {edge.joint.path for edge in tree.edges}
        if tree.fixed and not tree.hinged:
            used |= {one.path for one in mine if one.kind == "fixed" and _to_world(one) is tree.root}
    loose += [body for body in found.bodies.values() if body.kinematic]
    order = {body: n for n, body in enumerate(found.bodies.values())}
    loose.sort(key=order.__getitem__)
    return Grouped(trees, loose, [one for one in joints if one.path not in used])


def _in_tree(joint: JointPrim) -> bool:
    """Whether both ends are bodies that forces move, or one is and the other is the world."""
    return all(body is None or not body.kinematic for body in joint.bodies)


def _to_world(joint: JointPrim) -> RigidBody | None:
    """The body of a joint that connects one to the world."""
    a, b = joint.bodies
    return b if a is None else (a if b is None else None)


def _needs_tree(reading: Reading, joint: JointPrim) -> bool:
    """Whether a joint slides, is generic, driven or (Newton says; PhysX has that in articulations only) resists."""
    resists = any(reading.number(joint.prim, f"newton:{name}", 0.0) for name in ("armature", "damping", "friction"))
    return joint.kind not in HELD or resists or bool(reading.applied(joint.prim, "PhysicsDriveAPI"))


def _islands(bodies: list[RigidBody], joints: list[JointPrim]) -> list[list[RigidBody]]:
    """Bodies that joints connect, directly or by others, in the order of the stage."""
    neighbours: dict[str, list[RigidBody]] = {body.path: [] for body in bodies}
    for joint in joints:
        a, b = joint.bodies
        if a is not None and b is not None:
            neighbours[a.path].append(b)
            neighbours[b.path].append(a)
    order = {body: n for n, body in enumerate(bodies)}
    seen: set[RigidBody] = set()
    found = []
    for body in bodies:
        if body in seen:
            continue
        seen.add(body)
        island, waiting = [], deque([body])
        while waiting:
            one = waiting.popleft()
            island.append(one)
            for other in neighbours[one.path]:
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        found.append(sorted(island, key=order.__getitem__))
    return found


def _marker(reading: Reading, found: Found, bodies: list[RigidBody], joints: list[JointPrim]) -> Prim | None:
    """The prim that makes bodies an articulation: one of them, one of their joints, or one that they are below."""
    paths = {body.path for body in bodies} | {one.path for one in joints}
    mine = []
    for root in found.roots:
        path = str(root.GetPath())
        below = path.rstrip("/") + "/"
        if root.IsA(UsdPhysics.Joint):  # also one that is switched off, as that of a base that is let go
            counts = any(end in bodies for end in _ends(reading, found, root))
        else:
            counts = path in paths or (_is_group(root) and any(one.startswith(below) for one in paths))
        if counts and reading.flag(root, "physxArticulation:articulationEnabled", True):
            mine.append(root)
    if len(mine) > 1:
        reading.notes.add(mine[1], "its bodies already belong to an articulation, so it makes none of its own.")
    return mine[0] if mine else None


def _ends(reading: Reading, found: Found, joint: Prim) -> list[RigidBody | None]:
    """The bodies that a joint names, whether it is switched on or not."""
    return [found.owner(path) for n in (0, 1) for path in reading.targets(joint, f"physics:body{n}")]


def _is_group(prim: Prim) -> bool:
    """Whether an articulation root stands for all that is below it."""
    return not prim.HasAPI(UsdPhysics.RigidBodyAPI) and not prim.IsA(UsdPhysics.Joint)


def _grow(
    reading: Reading, found: Found, bodies: list[RigidBody], joints: list[JointPrim], marker: Prim | None
) -> Tree:
    """The tree of an island, breadth first, joints in the order of the stage; joints that close loops are left.

    Several joints between two bodies leave what they all allow, or, if the root says so by an attribute of Newton's,
    add up: each moves what the one before it moves.
    """
    anchors = [one for one in joints if _to_world(one) is not None]
    welds = [one for one in anchors if one.kind == "fixed"]
    anchor = welds[0] if welds else (anchors[0] if anchors else None)
    root = _to_world(anchor) if anchor is not None else None
    if root is None:
        root = _first(reading, found, bodies, joints, marker)
    tree = Tree(root, [root], fixed=anchor is not None, marker=marker)
    add = marker is not None and reading.flag(marker, "newton:jointsAddMobility", False)
    if anchor is not None and not welds:
        for one in anchors if add else [anchor]:
            if _to_world(one) is root:
                tree.edges.append(Edge(one, None, root, one.bodies[1] is None, one is not anchor))
    reached = {root.path}
    waiting = deque([root])
    while waiting:
        parent = waiting.popleft()
        for joint in joints:
            a, b = joint.bodies
            if a is None or b is None or parent not in (a, b):
                continue
            child = b if parent is a else a
            if child.path in reached:
                continue
            reached.add(child.path)
            for one in joints if add else [joint]:
                if {*one.bodies} == {parent, child}:
                    tree.edges.append(Edge(one, parent, child, parent is one.bodies[1], one is not joint))
            tree.bodies.append(child)
            waiting.append(child)
    used = {edge.joint.path for edge in tree.edges} | ({anchor.path} if anchor is not None else set())
    for joint in joints:
        if joint.path not in used and not (joint.kind == "fixed" and _to_world(joint) is root):
            reading.notes.add(joint.prim, "it closes a loop, which physics:excludeFromArticulation should say.")
    return tree


def _first(
    reading: Reading, found: Found, bodies: list[RigidBody], joints: list[JointPrim], marker: Prim | None
) -> RigidBody:
    """The root: the body that says so, or whose joint does, or that is no joint's second body, or the first."""
    if marker is not None:
        said = [found.bodies.get(str(marker.GetPath())), *_ends(reading, found, marker)]
        for body in said:
            if body is not None and body in bodies:
                return body
    seconds = {one.bodies[1].path for one in joints if one.bodies[0] is not None and one.bodies[1] is not None}
    return next((body for body in bodies if body.path not in seconds), bodies[0])
