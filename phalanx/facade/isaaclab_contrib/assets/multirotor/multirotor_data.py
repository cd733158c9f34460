"""What is known about a multirotor."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.assets.articulation import ArticulationData


class MultirotorData(ArticulationData):
    """State of a multirotor in all its instances: that of an articulation, and of its thrusters.

    Attributes:
        thruster_names: of all groups, group by group in the order of the configuration.
        default_thruster_rps: (n, thrusters) speeds at first and after resets, rev/s.
        thrust_target: (n, thrusters) what is asked, N or rev/s as the thruster's group says.
        computed_thrust: (n, thrusters) N, without limits.
        applied_thrust: (n, thrusters) N, which pushes.
    """

    def __init__(self, root_physx_view: Any, device: str, gravity: Any = (0.0, 0.0, -9.81)) -> None:
        """Of the rows of a tensor view, with gravity's vector in m/s^2."""
        super().__init__(root_physx_view, device, gravity)

    thruster_names: list[str] = None  # pyright: ignore[reportAssignmentType]
    default_thruster_rps: Any = None
    thrust_target: Any = None
    computed_thrust: Any = None
    applied_thrust: Any = None
