"""The data-oriented core: tables of entities, components, systems and their schedule, on CPU and CUDA.

It knows nothing of physics and imports nothing else of the package.
"""

from phalanx.ecs.declare import (
    Component,
    DeclarationError,
    Field,
    System,
    Table,
    function,
    local,
    local_int,
    read,
    real,
    rows,
    spread,
    system,
    update,
    write,
)
from phalanx.ecs.device import Device
from phalanx.ecs.schedule import Schedule, ScheduleError
from phalanx.ecs.store import Store

__all__ = [
    "Component",
    "DeclarationError",
    "Device",
    "Field",
    "Schedule",
    "ScheduleError",
    "Store",
    "System",
    "Table",
    "function",
    "local",
    "local_int",
    "read",
    "real",
    "rows",
    "spread",
    "system",
    "update",
    "write",
]
