"""Compares what Phalanx made of an MJCF file with what MuJoCo made of it, number by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from oracles.mjcf_oracle import MjcfOracle, matrix
from phalanx.io.formats.mjcf.scene import Scene
from phalanx.io.formats.mjcf.tree import JointNode, Node
from phalanx.models.robot_model import Body, Joint, Shape

MESH = 2e-4
"""Of the greatest moment: MuJoCo keeps vertices in single precision."""
BITS = (1 << 32) - 1
PLANE, HFIELD, ELLIPSOID, MESH_TYPE = 0, 1, 4, 7
KINDS = {2: "sphere", 3: "capsule", 5: "cylinder", 6: "box"}
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3}


def nodes_of(scene: Scene) -> list[Node]:
    """All bodies but the world, in MuJoCo's order."""
    return [node for tree in scene.trees.values() for node in tree.nodes]


def joints_of(scene: Scene) -> list[tuple[str, JointNode]]:
    """All joints in MuJoCo's order, with the trees that they belong to."""
    return [(tree.name, joint) for tree in scene.trees.values() for node in tree.nodes for joint in node.joints]


def bodies_of(scene: Scene) -> list[Body]:
    """Models of all bodies but the world, in MuJoCo's order."""
    found = {body.name: body for tree in scene.trees.values() for body in tree.model.bodies}
    return [found[node.name] for node in nodes_of(scene)]


def check_bodies(oracle: MjcfOracle, scene: Scene) -> None:
    """The tree of bodies, and mass, centre and inertia of each."""
    nodes, m = nodes_of(scene), oracle.model
    assert len(nodes) == m.nbody - 1
    numbers = {id(node): n for n, node in enumerate(nodes, 1)}
    kinematic = {tree.name for tree in scene.trees.values() if tree.kind == "kinematic"}
    for n, (node, body) in enumerate(zip(nodes, bodies_of(scene), strict=True), 1):
        assert oracle.body_names[n] in ("", node.name)
        assert numbers.get(id(node.parent), 0) == m.body_parentid[n]
        if body.name in kinematic:
            continue
        np.testing.assert_allclose(body.mass, m.body_mass[n], rtol=1e-6, atol=1e-14, err_msg=node.name)
        if body.mass > 0.0:
            meshes = any(shape.kind == "mesh" for shape in [*body.collisions, *body.visuals])
            scale = float(np.abs(body.inertia).max())
            np.testing.assert_allclose(body.com, m.body_ipos[n], atol=1e-6 if meshes else 1e-9, err_msg=node.name)
            np.testing.assert_allclose(
                body.inertia, oracle.inertia(n), rtol=1e-7, atol=(MESH if meshes else 1e-8) * scale, err_msg=node.name
            )


def check_joints(oracle: MjcfOracle, scene: Scene) -> None:
    """Names, types, limits and passive properties of joints."""
    m = oracle.model
    found = joints_of(scene)
    assert len(found) == m.njnt
    models = {joint.name: joint for tree in scene.trees.values() for joint in tree.model.joints}
    for j, (_, node) in enumerate(found):
        assert oracle.joint_names[j] in ("", node.name)
        assert ["free", "spherical", "prismatic", "revolute"][int(m.jnt_type[j])] == node.kind
        if node.kind == "free":
            continue
        joint: Joint = models[node.name]
        dof = int(m.jnt_dofadr[j])
        for ours, theirs in (
            (joint.damping, m.dof_damping),
            (joint.armature, m.dof_armature),
            (joint.friction, m.dof_frictionloss),
        ):
            np.testing.assert_allclose(ours, theirs[dof], rtol=1e-6, atol=1e-12, err_msg=node.name)
        if node.kind == "spherical":
            continue
        np.testing.assert_allclose(joint.stiffness, m.jnt_stiffness[j], rtol=1e-6, err_msg=node.name)
        if joint.stiffness:
            rest = float(m.qpos_spring[int(m.jnt_qposadr[j])])
            np.testing.assert_allclose(joint.rest_position, rest, atol=1e-12, err_msg=node.name)
        want = m.jnt_range[j] if m.jnt_limited[j] else (-np.inf, np.inf)
        if joint.lower != joint.upper:  # which an equality constraint makes of it
            np.testing.assert_allclose((joint.lower, joint.upper), want, atol=1e-12, err_msg=node.name)
        np.testing.assert_allclose(
            scene.trees[_].model.joint_pos.get(node.name, 0.0), m.qpos0[int(m.jnt_qposadr[j])], atol=1e-12
        )


def check_geoms(oracle: MjcfOracle, scene: Scene) -> None:
    """Sizes and places of the shapes that collide, and friction."""
    m, data = oracle.model, oracle.data
    oracle.poses(np.array(m.qpos0))
    oracle.place()
    bodies: dict[int, Any] = dict(enumerate(bodies_of(scene), 1))
    if "world" in scene.trees:
        bodies[0] = scene.trees["world"].model.bodies[0]
    solid = [
        g
        for g in range(m.ngeom)
        if (m.geom_contype[g] or m.geom_conaffinity[g] or g in oracle.paired)
        and m.geom_type[g] != PLANE
        and not oracle.contact_is_off
    ]
    for number, body in bodies.items():
        mine = [g for g in solid if m.geom_bodyid[g] == number]
        assert len(mine) == len(body.collisions), body.name
        turned, at = data.xmat[number].reshape(3, 3), data.xpos[number]
        for g, shape in zip(mine, body.collisions, strict=True):
            _check_shape(oracle, g, shape, turned, at)


def _check_shape(oracle: MjcfOracle, g: int, shape: Shape, turned: np.ndarray, at: np.ndarray) -> None:
    m, data = oracle.model, oracle.data
    kind = int(m.geom_type[g])
    bits = shape.contact_type & BITS, shape.contact_affinity & BITS  # those of explicit pairs are above
    assert bits == (m.geom_contype[g], m.geom_conaffinity[g])
    assert shape.material is not None
    slide = 0.0 if m.geom_condim[g] == 1 else m.geom_friction[g, 0]
    np.testing.assert_allclose(shape.material["dynamic_friction"], slide)
    np.testing.assert_allclose(shape.rest_offset or 0.0, m.geom_margin[g])
    rotation = turned @ matrix(np.array(shape.orientation))
    place = at + turned @ np.array(shape.position)
    if kind in (MESH_TYPE, ELLIPSOID):
        points = place + np.asarray(shape.vertices) @ rotation.T
        frame, centre = data.geom_xmat[g].reshape(3, 3), data.geom_xpos[g]
        if kind == MESH_TYPE:
            number = int(m.geom_dataid[g])
            start = int(m.mesh_vertadr[number])
            theirs = centre + m.mesh_vert[start : start + int(m.mesh_vertnum[number])] @ frame.T
            low, high = theirs.min(axis=0), theirs.max(axis=0)
        else:
            reach = np.linalg.norm(frame * m.geom_size[g], axis=1)
            low, high = centre - reach, centre + reach
        far = float((high - low).max())
        slack = 1e-5 * far if kind == MESH_TYPE else 0.05 * far  # points on an ellipsoid stay inside it
        np.testing.assert_allclose(points.min(axis=0), low, atol=slack)
        np.testing.assert_allclose(points.max(axis=0), high, atol=slack)
        return
    # Frames that agree with the inertia's to 1e-6 are taken from there in MuJoCo.
    np.testing.assert_allclose(place, data.geom_xpos[g], atol=1e-6 if m.geom_sameframe[g] else 1e-9)
    np.testing.assert_allclose(rotation, data.geom_xmat[g].reshape(3, 3), atol=5e-6 if m.geom_sameframe[g] else 1e-9)
    if kind == HFIELD:
        assert shape.heights is not None
        number = int(m.geom_dataid[g])
        rows, columns = int(m.hfield_nrow[number]), int(m.hfield_ncol[number])
        start, (half_x, half_y, top, _) = int(m.hfield_adr[number]), m.hfield_size[number]
        theirs = top * m.hfield_data[start : start + rows * columns].reshape(rows, columns)
        np.testing.assert_allclose(shape.heights, theirs.T, atol=1e-6 * top)
        np.testing.assert_allclose(shape.size, (2 * half_x / (columns - 1), 2 * half_y / (rows - 1)))
        return
    assert shape.kind == KINDS[kind]
    np.testing.assert_allclose(shape.size, m.geom_size[g, : SIZES[shape.kind]], rtol=1e-12)


def check_grounds(oracle: MjcfOracle, scene: Scene) -> None:
    """Planes."""
    m, data = oracle.model, oracle.data
    oracle.poses(np.array(m.qpos0))
    oracle.place()
    planes = [g for g in range(m.ngeom) if m.geom_type[g] == PLANE and not oracle.contact_is_off]
    planes = [g for g in planes if m.geom_contype[g] or m.geom_conaffinity[g] or g in oracle.paired]
    assert len(planes) == len(scene.grounds)
    for g, ground in zip(planes, scene.grounds, strict=True):
        normal = data.geom_xmat[g].reshape(3, 3)[:, 2]
        np.testing.assert_allclose(ground.normal, normal, atol=1e-12)
        np.testing.assert_allclose(ground.distance, normal @ data.geom_xpos[g], atol=1e-12)


def check_file(oracle: MjcfOracle, scene: Scene) -> None:
    """All that needs no engine."""
    check_bodies(oracle, scene)
    check_joints(oracle, scene)
    check_geoms(oracle, scene)
    check_grounds(oracle, scene)
    np.testing.assert_allclose(scene.options.timestep, oracle.model.opt.timestep)
    if not oracle.gravity_is_off:
        np.testing.assert_allclose(scene.options.gravity, oracle.model.opt.gravity)


# -- in a world ------------------------------------------------------------------------------------------------


def set_states(world: Any, added: Any, scene: Scene, oracle: MjcfOracle, states: list[np.ndarray]) -> None:
    """Put each environment of a world into one of MuJoCo's states."""
    for name, actor in {**added.robots, **added.objects}.items():
        if not actor.fixed_base:
            actor.set_root_state(np.array([oracle.root_pose(scene, name, q) for q in states]))
        if getattr(actor, "num_dof", 0):
            values = [oracle.joint_state(scene, q)[name] for q in states]
            actor.set_joint_state(np.array([[one[joint] for joint in actor.joint_names] for one in values]))


def dofs_of(robot: Any, scene: Scene, oracle: MjcfOracle) -> list[int]:
    """MuJoCo's dofs in the order of a robot's generalised velocities."""
    root: list[int] = []
    where: dict[str, int] = {}
    for j, (tree, joint) in enumerate(joints_of(scene)):
        dof = int(oracle.model.jnt_dofadr[j])
        if tree != robot.name:
            continue
        if joint.kind == "free":
            root = list(range(dof, dof + 6))
        elif joint.kind == "spherical":
            where |= {f"{joint.name}:r{axis}": dof + k for k, axis in enumerate("xyz")}
        else:
            where[joint.name] = dof
    return [*root, *(where[joint] for joint in robot.joint_names)]


def check_poses(added: Any, scene: Scene, oracle: MjcfOracle, states: list[np.ndarray], host: Any) -> None:
    """Poses of all bodies to 1e-9."""
    numbers = {node.name: n for n, node in enumerate(nodes_of(scene), 1)}
    poses = {name: host(actor.body_pose) for name, actor in {**added.robots, **added.objects}.items()}
    for e, q in enumerate(states):
        places, turns = oracle.poses(q)
        for name, actor in {**added.robots, **added.objects}.items():
            for b, body in enumerate(actor.body_names):
                if body in numbers:
                    pose = poses[name][e, b]
                    np.testing.assert_allclose(pose[:3], places[numbers[body]], atol=1e-9, err_msg=body)
                    np.testing.assert_allclose(matrix(pose[3:]), turns[numbers[body]], atol=1e-9, err_msg=body)


def check_mass_matrices(added: Any, scene: Scene, oracle: MjcfOracle, states: list[np.ndarray], host: Any) -> None:
    """Mass matrices of all robots to 1e-8 of the greatest entry."""
    for robot in added.robots.values():
        ours, dofs = host(robot.mass_matrix()), dofs_of(robot, scene, oracle)
        for e, q in enumerate(states):
            theirs = oracle.mass_matrix(q)[np.ix_(dofs, dofs)]
            np.testing.assert_allclose(ours[e], theirs, atol=1e-8 * np.abs(theirs).max(), err_msg=robot.name)
