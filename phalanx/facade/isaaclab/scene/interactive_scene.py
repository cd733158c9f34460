"""Scenes: assets in many environments side by side."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.scene.entities import Entities
from phalanx.facade.isaaclab.scene.grid import grid_origins, make_environments
from phalanx.facade.isaaclab.scene.interactive_scene_cfg import InteractiveSceneCfg
from phalanx.facade.isaaclab.scene.state import read_state, write_state
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.sim.simulation_context import SimulationContext
from phalanx.facade.namespaces import array
from phalanx.facade.once import tell_once
from phalanx.facade.physics_events import Event, Subscription
from phalanx.io.formats.usd.bindings import Stage, UsdPhysics

log = logging.getLogger("phalanx.facade")


class InteractiveScene(Entities):
    """Assets in environments ``/World/envs/env_0``, ``env_1``, ..., by the names that the configuration gives them.

    With ``replicate_physics``, the first environment is filled and the others refer to it; else each is filled.

    Args:
        cfg: the scene's settings, and what is in it.

    Raises:
        RuntimeError: there is no SimulationContext.
        TypeError: something in the configuration is missing.
        ValueError: an attribute of the configuration is not that of an asset.
        NotImplementedError: an attribute is something that is not built yet.
    """

    def __init__(self, cfg: InteractiveSceneCfg) -> None:
        super().__init__()
        cfg.validate()  # pyright: ignore[reportAttributeAccessIssue]
        if cfg.num_envs < 1 or not cfg.env_spacing >= 0.0:
            raise ValueError(
                f"InteractiveSceneCfg: num_envs={cfg.num_envs} must be at least 1, and env_spacing={cfg.env_spacing} m "
                "not negative"
            )
        simulation = SimulationContext.instance()
        if simulation is None:
            raise RuntimeError("InteractiveScene: there is no SimulationContext; make one first")
        self.cfg = cfg
        self.sim = simulation
        self.stage: Stage = utils.get_current_stage()
        """The stage that it is on."""
        if cfg.clone_in_fabric:
            tell_once("InteractiveSceneCfg.clone_in_fabric has no meaning: there is no Fabric")
        self._origins = grid_origins(cfg.num_envs, cfg.env_spacing)
        # Of this name, since scripts move environments' origins by it.
        self._default_env_origins = array(self._origins, self.device, "float32")
        self._filtered = False
        self._subscription = Subscription(Event.PLAY, self._check_filtering, order=20)
        self.env_prim_paths = [f"{self.env_ns}/env_{i}" for i in range(cfg.num_envs)]
        """Paths of the environments."""
        self.stage.DefinePrim(self.env_ns, "Scope")
        self.stage.DefinePrim(self.env_prim_paths[0], "Xform")
        if not cfg.replicate_physics:
            self.clone_environments(copy_from_source=True)
        if self._add_entities(cfg, self.env_regex_ns):
            if cfg.replicate_physics:
                self.clone_environments(copy_from_source=False)
            if cfg.filter_collisions:
                self.filter_collisions(self._global_paths)

    def __del__(self) -> None:
        if hasattr(self, "_subscription"):
            self._subscription.cancel()

    def __str__(self) -> str:
        names = ", ".join(self.keys()[1:])
        return f"<InteractiveScene of {self.num_envs} environments {self.env_spacing:g} m apart: {names}>"

    # -- environments ----------------------------------------------------------------------------------------

    @property
    def num_envs(self) -> int:
        """Number of environments."""
        return self.cfg.num_envs

    @property
    def env_spacing(self) -> float:
        """Distance between neighbouring environments, m."""
        return self.cfg.env_spacing

    @property
    def env_ns(self) -> str:
        """The prim above the environments, ``"/World/envs"``."""
        return "/World/envs"

    @property
    def env_regex_ns(self) -> str:
        """The expression for the environments' prims, ``"/World/envs/env_.*"``."""
        return f"{self.env_ns}/env_.*"

    @property
    def env_origins(self) -> Any:
        """(num_envs, 3): where the environments are in the world, m; the terrain's if there is one."""
        if self._terrain is not None:
            return self._terrain.env_origins
        return self._default_env_origins

    @property
    def device(self) -> str:
        """The simulation's device, ``"cpu"`` or ``"cuda:N"``."""
        return self.sim.device

    @property
    def physics_dt(self) -> float:
        """Length of a step, s."""
        return self.sim.get_physics_dt()

    @property
    def physics_scene_path(self) -> str:
        """The prim of the physics scene.

        Raises:
            RuntimeError: there is none on the stage.
        """
        for prim in self.stage.Traverse():
            if prim.IsA(UsdPhysics.Scene):
                return str(prim.GetPath())
        raise RuntimeError("there is no prim of type PhysicsScene on the stage; make a SimulationContext first")

    def clone_environments(self, copy_from_source: bool = False) -> None:
        """Make all environments copies of the first, and put each at its origin.

        A scene that its configuration fills does so by itself; one that is filled by a script calls it afterwards.

        Args:
            copy_from_source: whether to write copies of all prims, which then may be edited each; else environments
                inherit from the first, which is many times quicker. What an environment has of its own then stays.
        """
        make_environments(self.stage, self.env_prim_paths, self._origins, copy_from_source)

    def filter_collisions(self, global_prim_paths: Sequence[str] | None = None) -> None:
        """Let environments not meet each other.

        There is nothing to write for it: environments that hold the same are worlds of their own. Where they differ, so
        that the stage is simulated as one environment, they do meet, which a warning then says when it plays.

        Args:
            global_prim_paths: what all of them meet, which is what stands outside of them in any case.
        """
        self._filtered = True
        self._global_paths = list(dict.fromkeys([*self._global_paths, *(global_prim_paths or ())]))

    def _check_filtering(self) -> None:
        if self.num_envs == 1:
            return
        apart = len(self.sim.stage_world.env_paths) == self.num_envs
        if self._filtered and not apart:
            log.warning(
                "InteractiveScene: the %d environments differ, or things outside of them move, so that they are "
                "simulated as one; they do collide with each other: keep env_spacing large enough",
                self.num_envs,
            )
        elif apart and not self._filtered:
            tell_once("InteractiveScene: environments never collide with each other, with filter_collisions or without")

    # -- from step to step -----------------------------------------------------------------------------------

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Reset the buffers of assets and sensors in some environments, or all; poses and joints are not written."""
        for one in (*self._simulated(), *self.sensors.values()):
            one.reset(env_ids)

    def write_data_to_sim(self) -> None:
        """Hand what was set in all assets to the simulation, before a step."""
        for one in self._simulated():
            one.write_data_to_sim()

    def update(self, dt: float) -> None:
        """Let all assets know that time has passed, and then all sensors.

        Args:
            dt: s.
        """
        for one in self._simulated():
            one.update(dt)
        for sensor in self.sensors.values():
            sensor.update(dt, force_recompute=not self.cfg.lazy_sensor_update)

    # -- state -----------------------------------------------------------------------------------------------

    @property
    def state(self) -> dict[str, dict[str, dict[str, Any]]]:
        """:meth:`get_state` in the world's frame."""
        return self.get_state(is_relative=False)

    def get_state(self, is_relative: bool = False) -> dict[str, dict[str, dict[str, Any]]]:
        """The state of all assets, by kind (``"articulation"``, ``"rigid_object"``, ...), name and quantity.

        Args:
            is_relative: whether positions are seen from the environments' origins, else from the world's.

        Returns:
            ``root_pose`` (n, 7), ``root_velocity`` (n, 6) of the centre of mass; of articulations ``joint_position``
            and ``joint_velocity`` (n, joints), too; of collections ``object_pose`` (n, k, 7) and ``object_velocity``
            (n, k, 6) instead.
        """
        return read_state(self, is_relative)

    def reset_to(
        self,
        state: dict[str, dict[str, dict[str, Any]]],
        env_ids: Sequence[int] | None = None,
        is_relative: bool = False,
    ) -> None:
        """Reset assets, and put them into a state that :meth:`get_state` gave.

        Args:
            state: of the chosen environments; it must have all articulations, rigid objects and collections.
            env_ids: which environments; all by default.
            is_relative: whether its positions are seen from the environments' origins.

        Raises:
            KeyError: an asset or quantity is missing; nothing is changed then.
        """
        write_state(self, state, env_ids, is_relative)
