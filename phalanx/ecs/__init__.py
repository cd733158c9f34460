"""The data-oriented core: tables of entities, components, systems and their schedule, on CPU and CUDA.

It knows nothing of physics and imports nothing else of the package. Where things are:

* what is said: :mod:`~phalanx.ecs.declare`;
* what holds data, where they live, and the order of systems: :mod:`~phalanx.ecs.store`, :mod:`~phalanx.ecs.device`,
  :mod:`~phalanx.ecs.schedule`;
* from a system's source to the text of a kernel: :mod:`~phalanx.ecs.codegen`, with :mod:`~phalanx.ecs.source` (what a
  function says and reaches) and :mod:`~phalanx.ecs.numbers` (literals and scratch arrays); kept in the kernel cache by
  :mod:`~phalanx.ecs.modules`;
* the same for GPUs: :mod:`~phalanx.ecs.flat` (short addresses), :mod:`~phalanx.ecs.teams` (threads that share loops,
  with :mod:`~phalanx.ecs.statements` and :mod:`~phalanx.ecs.sums`), :mod:`~phalanx.ecs.team_language` (systems that are
  written for teams);
* what runs in place of a sequence of systems: :mod:`~phalanx.ecs.fusion`, :mod:`~phalanx.ecs.substitutes`, and programs
  that are recorded: :mod:`~phalanx.ecs.straight`, :mod:`~phalanx.ecs.straight_groups`;
* what processes before have worked out: :mod:`~phalanx.ecs.recall`, by :mod:`~phalanx.ecs.identity`;
* compiling: :mod:`~phalanx.ecs.cpu` with :mod:`~phalanx.ecs.lanes`, :mod:`~phalanx.ecs.cuda` with
  :mod:`~phalanx.ecs.cuda_teams`; in other processes: :mod:`~phalanx.ecs.precompile`, :mod:`~phalanx.ecs.compiler`;
* running: :mod:`~phalanx.ecs.cpu_program` with :mod:`~phalanx.ecs.threads`, :mod:`~phalanx.ecs.cuda_program` with
  :mod:`~phalanx.ecs.branches`; watched by :mod:`~phalanx.ecs.trace`.
"""

from phalanx.ecs.declare import (
    Component,
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
from phalanx.ecs.errors import DeclarationError, ScheduleError
from phalanx.ecs.schedule import Schedule
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
