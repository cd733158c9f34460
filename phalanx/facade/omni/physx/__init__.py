"""What scripts import as ``omni.physx``: interfaces to the simulation that there is.

Physics is made of the stage when the simulation is reset, and stepped by it. What these interfaces are asked for to
prepare or to finish that needs nothing here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phalanx.facade import physics_steps, simulation
from phalanx.facade import stage as stages
from phalanx.facade.event_streams import EventSubscription
from phalanx.facade.omni.physx import pushes
from phalanx.facade.omni.physx.contact_reports import ContactData, ContactEventHeader, ContactReports
from phalanx.facade.omni.physx.scene_query import PhysXSceneQuery


class PhysXSimulationInterface:
    """Steps the simulation."""

    def attach_stage(self, stage_id: int) -> bool:
        """Whether a stage is simulated from now on: it is when the simulation is reset."""
        return True

    def detach_stage(self) -> None:
        """Nothing: nothing is attached. The simulation lets its world go when it stops."""

    def get_attached_stage(self) -> int:
        """The number by which USD's cache of stages knows the stage of the simulation; 0 without one."""
        world = simulation.stage_world()
        return 0 if world is None else stages.stage_id(world.stage)

    def simulate(self, elapsedStep: float, currentTime: float) -> None:
        """A step of the simulation.

        Raises:
            RuntimeError: there is no simulation that was reset.
            ValueError: the step's length is not the simulation's.
        """
        found = simulation.current()
        if found.world is None:
            raise RuntimeError("simulate: nothing is simulated; call reset() of a World or a SimulationContext first")
        if abs(elapsedStep - found.physics_dt) > 1e-9:
            raise ValueError(f"simulate: steps are {found.physics_dt:g} s long, as set, not {elapsedStep:g}")
        found.step()

    def fetch_results(self) -> None:
        """Nothing: results are there when a step has been made."""

    def check_results(self) -> bool:
        """Whether results are there: yes."""
        return True

    def flush_changes(self) -> None:
        """Nothing: the stage is read when the simulation is reset."""

    pause_change_tracking = flush_changes

    # -- contacts --------------------------------------------------------------------------------------------

    def subscribe_contact_report_events(
        self, fn: Callable[[list[ContactEventHeader], list[ContactData]], Any]
    ) -> EventSubscription:
        """Call a function with headers and data of contacts after each step that has some, of bodies whose prims have
        ``PhysxContactReportAPI``, as long as the subscription is held.
        """
        return _reports.subscribe(fn)

    def get_contact_report(self) -> tuple[list[ContactEventHeader], list[ContactData]]:
        """Headers and data of the contacts of the last step."""
        return _reports.report()

    # -- forces ----------------------------------------------------------------------------------------------

    def apply_force_at_pos(self, stage_id: int, body_path: int, force: Any, pos: Any, mode: str = "Force") -> None:
        """Push a body during the next step.

        Args:
            stage_id: of no meaning: there is one stage that is simulated.
            body_path: number of the path of its prim, see ``PhysicsSchemaTools.sdfPathToInt``.
            force: in the world's axes.
            pos: where it acts, in the world, m.
            mode: what ``force`` is: ``"Force"``, N, ``"Impulse"``, N s, ``"Acceleration"``, m/s^2, or
                ``"VelocityChange"``, m/s.

        Raises:
            ValueError: the prim is no rigid body that is simulated, or there is no such mode.
        """
        pushes.push(body_path, force, None, pos, mode)

    def apply_torque(self, stage_id: int, body_path: int, torque: Any) -> None:
        """Turn a body during the next step, N m, in the world's axes; see :meth:`apply_force_at_pos`."""
        pushes.push(body_path, None, torque, None, "Force")


class PhysX:
    """Loads physics and tells about its steps."""

    def force_load_physics_from_usd(self) -> None:
        """Nothing: the stage is read when the simulation is reset."""

    def start_simulation(self) -> None:
        """Nothing: the simulation starts when it is reset."""

    def update_simulation(self, elapsedStep: float, currentTime: float) -> None:
        """See :meth:`PhysXSimulationInterface.simulate`."""
        get_physx_simulation_interface().simulate(elapsedStep, currentTime)

    def update_transformations(self, *unheard: Any, **also_unheard: Any) -> None:
        """Nothing: poses are read from the simulation."""

    def reset_simulation(self) -> None:
        """Stop the simulation."""
        simulation.current().stop()

    def release_physics_objects(self) -> None:
        """Nothing: the simulation lets its world go when it stops."""

    def is_running(self) -> bool:
        """Whether the simulation plays."""
        return simulation.current().state == simulation.PLAYING

    def subscribe_physics_step_events(self, fn: Callable[[float], Any]) -> EventSubscription:
        """Call a function with the step's length, s, after each step, as long as the subscription is held."""
        return self.subscribe_physics_on_step_events(fn, pre_step=False)

    def subscribe_physics_on_step_events(
        self, fn: Callable[[float], Any], pre_step: bool = False, order: int = 0
    ) -> EventSubscription:
        """Call a function with the step's length, s, before or after each step, lower orders first."""
        stream = physics_steps.BEFORE if pre_step else physics_steps.AFTER
        return stream.create_subscription_to_pop(lambda event: fn(event.payload["dt"]), order)


_interface, _simulation_interface = PhysX(), PhysXSimulationInterface()
_queries, _reports = PhysXSceneQuery(), ContactReports()


def get_physx_interface() -> PhysX:
    """The interface that loads physics."""
    return _interface


def get_physx_simulation_interface() -> PhysXSimulationInterface:
    """The interface that steps it."""
    return _simulation_interface


def get_physx_scene_query_interface() -> PhysXSceneQuery:
    """The interface that says what is where."""
    return _queries


acquire_physx_interface, acquire_physx_simulation_interface = get_physx_interface, get_physx_simulation_interface
acquire_physx_scene_query_interface = get_physx_scene_query_interface

__all__ = [
    "PhysX",
    "PhysXSceneQuery",
    "PhysXSimulationInterface",
    "acquire_physx_interface",
    "acquire_physx_scene_query_interface",
    "acquire_physx_simulation_interface",
    "get_physx_interface",
    "get_physx_scene_query_interface",
    "get_physx_simulation_interface",
]
