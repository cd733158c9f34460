"""What is wrong with declarations, schedules and devices."""

from __future__ import annotations


class DeclarationError(TypeError):
    """A component, system or schedule is declared in a way that cannot work."""


class ScheduleError(ValueError):
    """Systems cannot be put in an order: the message names them and the remedy."""


class DeviceError(ValueError):
    """The device asked for is not there or cannot be used."""


class CapacityError(RuntimeError):
    """What a world needs is more than the memory that it may take; the message says how much, where, and the remedy."""
