"""A deformable body in a world: what handles on soft bodies and cloth have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.maths.arrays import rotate
from phalanx.world.engine.engine import Engine
from phalanx.world.handle import Handle, on_device
from phalanx.world.handles.declared import Owners, assign
from phalanx.world.layout.deformable import DeformableRows
from phalanx.world.layout.parts import DeformablePart


class DeformableBody(Handle):
    """Nodes that carry mass, in every environment.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours: they do not change when the world
    steps. Positions are in the world, relative to the environment's origin.
    """

    KIND = "deformable body"

    def __init__(self, engine: Engine, name: str, part: DeformablePart, pose: np.ndarray) -> None:
        super().__init__(engine, name)
        self.part = part
        self.default_pose = pose
        """(7,): [x y z qw qx qy qz] of its frame."""
        self.default_node_pos = pose[:3] + rotate(pose[3:], part.mesh.nodes)
        """(nodes, 3): where nodes are after a reset, m."""
        self._rows: DeformableRows | None = None

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.part.mesh.nodes)

    def bind(self, rows: DeformableRows) -> None:
        """Called by the world once its tables are filled."""
        self._rows = rows

    def write_defaults(self, envs: np.ndarray | None) -> None:
        """Default shape and pose, at rest, all nodes free, of environments (n,) by their indices; called by a reset."""
        count = self.engine.num_envs if envs is None else len(envs)
        self._put_positions(np.broadcast_to(self.default_node_pos, (count, self.num_nodes, 3)), envs)
        zero = np.zeros((count, self.num_nodes, 3))
        self._write(c.NodeState.velocity, self._nodes, zero, envs)
        held = zero[..., 0] + float(self.part.kinematic)
        self._write(c.NodeTarget.held, self._nodes, held, envs)
        targets = np.broadcast_to(self.default_node_pos, zero.shape) if self.part.kinematic else zero
        self._write(c.NodeTarget.position, self._nodes, targets, envs)

    @property
    def rows(self) -> DeformableRows:
        """Where its nodes are in the tables of the engine."""
        return self._bound

    @property
    def _bound(self) -> DeformableRows:
        if self._rows is None:
            self.engine.build()
            assert self._rows is not None
        return self._rows

    @property
    def _nodes(self) -> slice:
        return self._bound.nodes

    @property
    def _body(self) -> slice:
        return slice(self._bound.body, self._bound.body + 1)

    _of_nodes = Owners("num_nodes", lambda body: body._nodes)
    _of_particles = Owners("num_nodes", lambda body: body._bound.particles)
    _of_body = Owners("", lambda body: body._body)

    # -- state -------------------------------------------------------------------------------------------

    @property
    @on_device
    def node_pos(self) -> Any:
        """(n, nodes, 3): where nodes are, m."""
        return self._read(c.DeformableMotion.origin, self._body) + self._read(c.NodeState.position, self._nodes)

    origin = _of_body(c.DeformableMotion.origin)
    """(n, 3): where offsets of nodes start, m. It follows the centre of mass now and then."""

    node_offset = _of_nodes(c.NodeState.position)
    """(n, num_nodes, 3): where nodes are from :attr:`origin`, m; the digits that the engine computes with."""

    node_vel = _of_nodes(c.NodeState.velocity, what="node velocity")
    """(n, num_nodes, 3): how nodes move, m/s."""

    @on_device
    def set_node_state(self, pos: Any = None, vel: Any = None, env_ids: Any = None) -> None:
        """Set positions and velocities of nodes, (n, nodes, 3) each, m and m/s."""
        shape = (self.num_nodes, 3)
        velocities = None if vel is None else self._input("node velocity", vel, shape, env_ids)
        if pos is not None:
            self._put_positions(*self._input("node position", pos, shape, env_ids))
        if velocities is not None:
            self._write(c.NodeState.velocity, self._nodes, *velocities)
        self.engine.touch_state()

    def _put_positions(self, pos: Any, envs: np.ndarray | None) -> None:
        """Positions, from an origin near their middle: a multiple of 1/1024 m, whose subtraction rounds nothing."""
        xp = self._xp
        pos = xp.asarray(pos, self.engine.dtype)
        origin = xp.asarray(xp.rint(pos.mean(axis=1, keepdims=True) * 1024) / 1024, self.engine.dtype)
        self._write(c.DeformableMotion.origin, self._body, origin, envs)
        self._write(c.NodeState.position, self._nodes, pos - origin, envs)

    # -- nodes that the user moves -----------------------------------------------------------------------

    node_targets = _of_nodes(c.NodeTarget.position, what="node target")
    """(n, num_nodes, 3): where held nodes go, m."""

    @property
    @on_device
    def held_nodes(self) -> Any:
        """(n, nodes): whether the user moves a node."""
        return self._read(c.NodeTarget.held, self._nodes) != 0

    @on_device
    def set_node_targets(self, pos: Any, held: Any = True, env_ids: Any = None) -> None:
        """Move nodes to places, (n, nodes, 3) in m, within the next step, whatever acts on them, and keep them there.

        Args:
            held: (n, nodes), of which nodes; the others are free.
        """
        shape = (self.num_nodes, 3)
        positions = self._input("node target", pos, shape, env_ids)
        flags, envs = self._input("held nodes", held, shape[:1], env_ids)
        self._write(c.NodeTarget.position, self._nodes, *positions)
        self._write(c.NodeTarget.held, self._nodes, flags != 0, envs)
        self.engine.touch_inputs()

    @on_device
    def release_nodes(self, env_ids: Any = None) -> None:
        """Let go of all nodes."""
        envs = None if env_ids is None else self.engine.env_indices(env_ids)
        count = self.engine.num_envs if envs is None else len(envs)
        self._write(c.NodeTarget.held, self._nodes, self._xp.zeros((count, self.num_nodes)), envs)
        self.engine.touch_inputs()

    # -- material ----------------------------------------------------------------------------------------

    node_mass = _of_nodes(c.NodeModel.mass, negative=False, above_zero=True)
    """(n, num_nodes), kg: masses of nodes."""

    def set_node_mass(self, mass: Any, env_ids: Any = None) -> None:
        """Set masses of nodes, (n, nodes), kg, above 0.

        Environments may differ; from then on the world keeps a value for each, and kernels are compiled once more.
        """
        assign(self, {"node_mass": mass}, env_ids)

    damping = _of_body(c.DeformableDynamics.damping, negative=False)
    """(n,): decay of all velocities, 1/s."""

    def set_damping(self, damping: Any, env_ids: Any = None) -> None:
        """Set the decay of all velocities, (n,), 1/s, at least 0."""
        assign(self, {"damping": damping}, env_ids)

    gravity_scale = _of_body(c.DeformableDynamics.gravity_scale)
    """(n,): share of gravity that acts on it."""

    def set_gravity_scale(self, scale: Any, env_ids: Any = None) -> None:
        """Set the share of gravity that acts on it, (n,), dimensionless."""
        assign(self, {"gravity_scale": scale}, env_ids)

    friction = _of_body(c.DeformableSurface.dynamic_friction, negative=False)
    """(n,): its dynamic coefficient of friction."""

    _static_friction = _of_body(c.DeformableSurface.static_friction, what="friction", negative=False)

    def set_friction(self, friction: Any, env_ids: Any = None) -> None:
        """Set both coefficients of friction, (n,), dimensionless, at least 0."""
        assign(self, {"friction": friction, "_static_friction": friction}, env_ids)
