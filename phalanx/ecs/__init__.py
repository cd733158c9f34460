"""The data-oriented core: tables of entities, components, systems and their schedule, on CPU and CUDA.

It knows nothing of physics and imports nothing else of the package. Where things are:

* what is said: :mod:`~phalanx.ecs.declare`;
* what holds data, where they live, and the order of systems: :mod:`~phalanx.ecs.store`, :mod:`~phalanx.ecs.device`,
  :mod:`~phalanx.ecs.schedule`;
* from a system's source to the text of a kernel: :mod:`~phalanx.ecs.text.codegen`, with
  :mod:`~phalanx.ecs.source.functions` (what a function says and reaches) and :mod:`~phalanx.ecs.text.literals`
  (literals and scratch arrays); kept in the kernel cache by
  :mod:`~phalanx.ecs.cache.modules`;
* the same for GPUs: :mod:`~phalanx.ecs.text.addresses` (short addresses), :mod:`~phalanx.ecs.text.teams` (threads that
  share loops, with :mod:`~phalanx.ecs.text.statements` and :mod:`~phalanx.ecs.text.sums`),
  :mod:`~phalanx.ecs.text.team_language` (systems that are written for teams);
* what runs in place of a sequence of systems: :mod:`~phalanx.ecs.sequences.fusion`,
  :mod:`~phalanx.ecs.sequences.stand_ins`, and programs that are recorded: :mod:`~phalanx.ecs.recorded.recorder`,
  :mod:`~phalanx.ecs.recorded.grouping`;
* what processes before have worked out: :mod:`~phalanx.ecs.cache.answers`, by :mod:`~phalanx.ecs.cache.identity`;
* compiling: :mod:`~phalanx.ecs.cpu.kernels` with :mod:`~phalanx.ecs.cpu.numba_compilers` and
  :mod:`~phalanx.ecs.text.in_step`,
  :mod:`~phalanx.ecs.cuda.kernels` with :mod:`~phalanx.ecs.cuda.teams`; in other processes:
  :mod:`~phalanx.ecs.ahead.precompile`,
  :mod:`~phalanx.ecs.ahead.compiler`;
* running: :mod:`~phalanx.ecs.cpu.program` with :mod:`~phalanx.ecs.cpu.threads`, :mod:`~phalanx.ecs.cuda.program` with
  :mod:`~phalanx.ecs.cuda.streams`; watched by :mod:`~phalanx.ecs.trace`.
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
    start,
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
    "start",
    "system",
    "update",
    "write",
]
