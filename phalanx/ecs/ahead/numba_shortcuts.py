"""What Numba does many times over while it compiles, done once or not at all: the longest kernel for GPUs takes half
of the time (docs/decisions/0034-concise-ir.md).

Only for processes that do nothing but compile (:mod:`phalanx.ecs.ahead.compiler`, :mod:`phalanx.ecs.ahead.precompile`):
each function here changes Numba for the rest of the process. Machine code stays the same, but for the numbers in its
names.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from numba.core import types
from numba.core.types.functions import BaseFunction

CPU, CUDA = "numba.core", "numba.cuda.core"
"""Packages of the two compilers; the one for GPUs has copies of the other's modules."""


def take_all(core: str = CPU) -> None:
    """All of them, for the compiler in a package."""
    remember_types()
    list_variables_by_type(core)
    forget_lifetimes(core)
    pass_over_blocks(core)
    log_nothing(core)


def remember_types() -> None:
    """Find out only once what an operator makes of numbers and arrays of given types: a fifth of the time."""
    known: dict[Any, Any] = {}
    remembered = types.Number | types.Boolean | types.Array | types.BaseTuple
    find: Any = BaseFunction.get_call_type

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not all(isinstance(kind, remembered) for kind in args):
            return find(self, context, args, kws)
        key = self, tuple(args)
        if key not in known:
            known[key] = find(self, context, args, kws)
        return known[key]

    BaseFunction.get_call_type = get_call_type


def list_variables_by_type(core: str = CPU) -> None:
    """Tell by its type whether something holds variables, and list those of nested parts in one list."""
    ir: Any = import_module(f"{core}.ir")
    variable, expression, instruction = ir.Var, ir.Expr, ir.Inst
    plain = frozenset((str, int, float, bool, type(None), ir.Loc))
    complete = instruction._rec_list_vars

    def collect(inst: Any, value: Any, found: list[Any]) -> None:
        kind = type(value)
        if kind is variable:
            found.append(value)
        elif kind in plain:
            return
        elif kind is expression:
            for part in value._kws.values():
                collect(inst, part, found)
        elif kind is list or kind is tuple:
            for part in value:
                collect(inst, part, found)
        elif kind is dict:
            for part in value.values():
                collect(inst, part, found)
        else:
            found.extend(complete(inst, value))

    def rec_list_vars(self: Any, value: Any) -> list[Any]:
        found: list[Any] = []
        collect(self, value, found)
        return found

    instruction._rec_list_vars = rec_list_vars


def forget_lifetimes(core: str = CPU) -> None:
    """Leave out which variables are alive where, which is for interpreted Python and for generators."""
    postproc: Any = import_module(f"{core}.postproc")
    process = postproc.PostProcessor
    complete = process.run

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        function = self.func_ir
        if emit_dels or function.is_generator:
            complete(self, emit_dels, extend_lifetimes)
            return
        function.blocks = postproc.transforms.canonicalize_cfg(function.blocks)
        function.variable_lifetime = postproc.VariableLifetime(function.blocks)
        function.generator_info = None

    process.run = run


def pass_over_blocks(core: str = CPU) -> None:
    """When a variable gets a name for each assignment, rewrite only blocks in which it occurs: all take turns."""
    ssa: Any = import_module(f"{core}.ssa")
    complete = ssa._run_block_rewrite

    def occurs(name: str, block: Any) -> bool:
        names = getattr(block, "_phalanx_names", None)
        if names is None:  # names that are added later are new ones, which take no turn
            names = block._phalanx_names = {v.name for s in block.body for v in s.list_vars()}
        return name in names

    def run_block_rewrite(blocks: Any, states: Any, handler: Any) -> Any:
        rewritten = complete({k: b for k, b in blocks.items() if occurs(states["varname"], b)}, states, handler)
        return {label: rewritten.get(label, block) for label, block in blocks.items()}

    ssa._run_block_rewrite = run_block_rewrite


def log_nothing(core: str = CPU) -> None:
    """Make no text for a log of each statement that nobody reads."""

    class Silent:
        def debug(self, *_: object, **__: object) -> None: ...

    ssa: Any = import_module(f"{core}.ssa")
    ssa._logger = Silent()
