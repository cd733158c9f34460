"""MuJoCo's own reading of an MJCF file, beside what Phalanx made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from phalanx.io.formats.mjcf.scene import Scene

mj: Any = mujoco  # its type information does not cover what it binds
FREE, BALL = 0, 1
ROTATION = [f"{{}}:r{axis}" for axis in "xyz"]


class MjcfOracle:
    """A file, or the text of one, in MuJoCo."""

    def __init__(self, file: str | Path | None = None, text: str | None = None) -> None:
        self.model = mj.MjModel.from_xml_path(str(file)) if file else mj.MjModel.from_xml_string(text)
        self.data = mj.MjData(self.model)

    def name(self, kind: int, number: int) -> str:
        """Name of an object, empty if it has none."""
        return mj.mj_id2name(self.model, kind, number) or ""

    @property
    def body_names(self) -> list[str]:
        """Names of all bodies, the world first."""
        return [self.name(mj.mjtObj.mjOBJ_BODY, i) for i in range(self.model.nbody)]

    @property
    def joint_names(self) -> list[str]:
        """Names of all joints."""
        return [self.name(mj.mjtObj.mjOBJ_JOINT, i) for i in range(self.model.njnt)]

    def inertia(self, body: int) -> np.ndarray:
        """(3, 3) about the centre of mass, axes of the body."""
        turned = matrix(self.model.body_iquat[body])
        return turned @ np.diag(self.model.body_inertia[body]) @ turned.T

    def random_state(self, rng: np.random.Generator) -> np.ndarray:
        """Positions of all joints within their limits, quaternions of length 1."""
        model = self.model
        q = np.array(model.qpos0)
        for j in range(model.njnt):
            at = int(model.jnt_qposadr[j])
            kind = int(model.jnt_type[j])
            if kind in (FREE, BALL):
                if kind == FREE:
                    q[at : at + 3] += rng.normal(size=3)
                    at += 3
                q[at : at + 4] = unit(rng.normal(size=4))
            elif model.jnt_limited[j]:
                q[at] = rng.uniform(*model.jnt_range[j])
            else:
                q[at] += rng.uniform(-1.0, 1.0)
        return q

    def poses(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (nbody, 3) and rotations (nbody, 3, 3) of all bodies."""
        self.data.qpos[:] = q
        mj.mj_kinematics(self.model, self.data)
        return self.data.xpos.copy(), self.data.xmat.reshape(-1, 3, 3).copy()

    def place(self) -> None:
        """Geoms where the bodies are."""
        mj.mj_comPos(self.model, self.data)
        mj.mj_kinematics(self.model, self.data)

    @property
    def contact_is_off(self) -> bool:
        """Whether the file's flags switch contact off."""
        flags = int(self.model.opt.disableflags)
        return bool(flags & (mj.mjtDisableBit.mjDSBL_CONTACT | mj.mjtDisableBit.mjDSBL_CONSTRAINT))

    @property
    def gravity_is_off(self) -> bool:
        """Whether the file's flags switch gravity off."""
        return bool(int(self.model.opt.disableflags) & mj.mjtDisableBit.mjDSBL_GRAVITY)

    @property
    def actuator_names(self) -> list[str]:
        """Names of all actuators."""
        return [self.name(mj.mjtObj.mjOBJ_ACTUATOR, i) for i in range(self.model.nu)]

    def joint_efforts(self, q: np.ndarray, qd: np.ndarray, controls: np.ndarray) -> np.ndarray:
        """(nv,) what actuators give."""
        self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = q, qd, controls
        for i in range(self.model.nu):
            if self.model.actuator_actadr[i] >= 0:  # a lag that is over
                low, high = (
                    self.model.actuator_ctrlrange[i] if self.model.actuator_ctrllimited[i] else (-np.inf, np.inf)
                )
                self.data.act[int(self.model.actuator_actadr[i])] = np.clip(controls[i], low, high)
        mj.mj_forward(self.model, self.data)
        return self.data.qfrc_actuator.copy()

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """(nv, nv) in the velocities of :meth:`velocity_map`, armature included."""
        self.data.qpos[:] = q
        mj.mj_fwdPosition(self.model, self.data)
        full = np.zeros((self.model.nv, self.model.nv))
        mj.mj_fullM(self.model, self.data, full)
        x = self.velocity_map(q)
        return x.T @ full @ x

    def velocity_map(self, q: np.ndarray) -> np.ndarray:
        """X in ``qvel = X v``: v has angular velocities in axes of the world (free) or of the parent (ball)."""
        found = np.eye(self.model.nv)
        for j in range(self.model.njnt):
            kind, at, dof = (int(a[j]) for a in (self.model.jnt_type, self.model.jnt_qposadr, self.model.jnt_dofadr))
            if kind in (FREE, BALL):
                start, quaternion = (dof + 3, q[at + 3 : at + 7]) if kind == FREE else (dof, q[at : at + 4])
                found[start : start + 3, start : start + 3] = matrix(quaternion).T
        return found

    @property
    def paired(self) -> set[int]:
        """Geoms of explicit pairs."""
        return {int(g) for g in (*self.model.pair_geom1, *self.model.pair_geom2)}

    def pairs(self) -> set[tuple[int, int]]:
        """Pairs of geoms that its filters let collide, and explicit ones."""
        m = self.model
        if self.contact_is_off:
            return set()
        weld, parent = m.body_weldid, m.body_parentid
        excluded = {tuple(sorted((int(s) >> 16, int(s) & 0xFFFF))) for s in m.exclude_signature}
        explicit = zip(m.pair_geom1.tolist(), m.pair_geom2.tolist(), strict=True)
        found = {(min(pair), max(pair)) for pair in explicit}
        for a in range(m.ngeom):
            for b in range(a + 1, m.ngeom):
                bits = m.geom_contype[a] & m.geom_conaffinity[b] | m.geom_contype[b] & m.geom_conaffinity[a]
                i, j = int(m.geom_bodyid[a]), int(m.geom_bodyid[b])
                u, v = (0 if m.body_mocapid[k] >= 0 else int(weld[k]) for k in (i, j))  # contacts move neither
                related = (u and v) and (u == int(weld[parent[v]]) or v == int(weld[parent[u]]))
                if bits and u != v and not related and tuple(sorted((i, j))) not in excluded:
                    found.add((a, b))
        return found

    def joint_state(self, scene: Scene, q: np.ndarray) -> dict[str, dict[str, float]]:
        """For each tree of a scene the positions of its dofs by name; ``"root"`` is not among them."""
        found: dict[str, dict[str, float]] = {name: {} for name in scene.trees}
        number = 0
        for tree in scene.trees.values():
            for node in tree.nodes:
                for joint in node.joints:
                    at = int(self.model.jnt_qposadr[number])
                    number += 1
                    if joint.kind == "spherical":
                        vector = rotation_vector(q[at : at + 4])
                        names = [name.format(joint.name) for name in ROTATION]
                        found[tree.name] |= dict(zip(names, vector.tolist(), strict=True))
                    elif joint.kind != "free":
                        found[tree.name][joint.name] = float(q[at])
        return found

    def root_pose(self, scene: Scene, tree: str, q: np.ndarray) -> np.ndarray:
        """Pose (7,) of a tree's root: of its free joint, or as the file has it."""
        number = 0
        for other in scene.trees.values():
            for node in other.nodes:
                for joint in node.joints:
                    if other.name == tree and joint.kind == "free":
                        at = int(self.model.jnt_qposadr[number])
                        return q[at : at + 7].copy()
                    number += 1
        model = scene.trees[tree].model
        return np.array([*(model.position or (0, 0, 0)), *(model.orientation or (1, 0, 0, 0))], float)


def unit(vector: np.ndarray) -> np.ndarray:
    """Of length 1."""
    return vector / np.linalg.norm(vector)


def matrix(quaternion: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) of a quaternion (w, x, y, z)."""
    found = np.zeros(9)
    mj.mju_quat2Mat(found, np.asarray(quaternion, float))
    return found.reshape(3, 3)


def rotation_vector(quaternion: np.ndarray) -> np.ndarray:
    """(3,) of a quaternion, at most pi long."""
    found = np.zeros(3)
    mj.mju_quat2Vel(found, np.asarray(quaternion, float), 1.0)
    return found
