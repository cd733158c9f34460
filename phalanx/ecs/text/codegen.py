"""From a system's source to a module that Numba compiles: one source, two targets.

The generated module is self-contained (the system, every helper it reaches, every constant) and is kept as
:mod:`phalanx.ecs.cache.modules` says. A few rewrites make kernel sources plain:

* the environment index of a field that all environments share becomes 0;
* the environment index is unsigned, since Numba's wrap-around of negative ones turns vector loads into gathers;
* float literals get the world's float type (a bare ``0.5`` is float64 and would turn float32 kernels into
  float64 ones);
* on the GPU, address arithmetic is made short (:mod:`phalanx.ecs.text.addresses`), and threads may share the
  environment (:mod:`phalanx.ecs.text.teams`);
* the loops over rows and environments are put around the body, or, on the GPU, the thread's row and environment.

Helpers without loops are inlined into the kernel; those with loops stay functions. Scratch arrays (``local``) live on
the stack; a kernel with scratch runs lane after lane, since its lanes share it.
"""

from __future__ import annotations

import ast
import math
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phalanx.ecs.cache.answers import recalled
from phalanx.ecs.cache.identity import Meaning, meanings, of_system, reached
from phalanx.ecs.cache.modules import CORE, Generated, Target, fingerprinted, kept
from phalanx.ecs.declare import Field, System
from phalanx.ecs.errors import DeclarationError
from phalanx.ecs.source.functions import LANE_LOOP, MISSING, forbid_deep_returns, parse, reach, without_docstring
from phalanx.ecs.source.walk import walk
from phalanx.ecs.text import addresses, row_sums, teams
from phalanx.ecs.text.in_step import in_step
from phalanx.ecs.text.literals import BlockMemory, Literals, Scratch, definitions
from phalanx.ecs.text.padding import END, looping, without_padding
from phalanx.ecs.text.team_fields import private_arguments
from phalanx.ecs.text.unswitch import unswitched

BACK_END: dict[Target, tuple[Path, ...]] = {
    "cpu": (
        CORE / "cpu/kernels.py",
        CORE / "cpu/lowering.py",
        CORE / "text/vectorise.py",
        CORE / "cpu/numba_compilers.py",
    ),
    "cuda": (CORE / "cuda/kernels.py",),
}
"""Files that decide how kernels are compiled."""

TEAMS = CORE / "cuda/teams.py"
"""The same for systems that are written for teams of GPU threads."""


@dataclass
class _Text:
    """A kernel's text, what it was made for, and what names meant in what it was made from."""

    source: str
    entry: str
    system: System
    meanings: list[Meaning]

    @property
    def holds(self) -> bool:
        """Whether constants and helpers are still what they were; a notebook may define them anew."""
        return all(names.get(name, MISSING) is value for names, name, value in self.meanings)


_texts: dict[tuple[Any, ...], _Text] = {}
"""Texts that this process has made or recalled: worlds mostly need the same."""


def generate(system: System, shared: frozenset[str], dtype: str, target: Target) -> Generated:
    """Write the module for ``system``.

    Args:
        shared: names of the arguments whose field has an environment axis of length 1.
        dtype: ``"float32"`` or ``"float64"``.
        target: back end.
    """
    if system.program is not None:
        return system.program.module(system, shared, dtype)
    system = system.whole or system
    accesses = tuple((name, access.mode, id(access.target)) for name, access in system.arguments.items())
    how = (system.order, system.leading, system.one_lane, system.used, system.registers, system.in_step, system.sums)
    kind = (system.function, id(system.over), *how, accesses)
    key = (*kind, shared, dtype, target)
    text = _texts.get(key)
    if text is None or not text.holds:
        names = [name for one in reached(system.function) for name in meanings(one)]
        made_from = (of_system(system), *sorted(shared), dtype, target)
        source, entry = recalled("text", made_from, lambda: _write(system, shared, dtype, target))
        text = _texts[key] = _Text(source, entry, system, names)
    return kept(text.entry, text.source)


def _write(system: System, shared: frozenset[str], dtype: str, target: Target) -> tuple[str, str]:
    """Text and entry."""
    helpers, constants = reach(system.function)
    body = parse(system.function)
    forbid_deep_returns(system, body)
    floats: dict[float, str] = {}
    if system.is_native and target == "cpu":
        raise DeclarationError(f"system {system.name} is written for teams of GPU threads; a CPU cannot run it")
    shared_out = target == "cuda" and teams.is_team(system)
    provided = [h.__name__ for h in helpers if hasattr(h, "__phalanx_primitive__")]
    helpers = [h for h in helpers if h.__name__ not in provided]
    if provided and not system.is_native:
        raise DeclarationError(f"system {system.name}: {provided[0]}() is for systems that are made by @team_system")
    few = target == "cuda" and system.registers > 0
    parts = [
        _prelude(dtype, target, shared_out, provided, few) + f"\n# arguments: {_argument_types(system, dtype, target)}"
    ]
    scratch = Scratch(constants, target)
    trees = []
    for helper in helpers:
        tree = scratch.visit(Literals(floats).visit(parse(helper)))
        if tree.args.defaults or tree.args.kwonlyargs or tree.args.vararg:
            raise DeclarationError(
                f"{helper.__qualname__}: a helper takes plain positional arguments, without defaults"
            )
        tree.decorator_list = []
        tree.args.defaults, tree.returns = [], None
        for argument in tree.args.args:
            argument.annotation = None
        tree.body = without_docstring(tree.body)
        decorator = "routine" if any(isinstance(n, ast.For | ast.While) for n in walk(tree)) else "helper"
        if target == "cuda":
            tree.body = addresses.while_loops(tree.body)
        trees.append(tree)
        parts.append(f"@{decorator}\n{ast.unparse(tree)}")
    statements = without_docstring(body.body)
    rewrite = _Body(system, shared, floats, target)
    statements = [scratch.visit(rewrite.visit(statement)) for statement in statements]
    if system.spreads and system.over is not None:
        raise DeclarationError(f"system {system.name}: spread loops are for systems over lanes")
    if system.is_native:
        statements = [BlockMemory(statements).visit(statement) for statement in statements]
    elif shared_out:
        statements = teams.Team(system).rewrite(statements)
    elif target == "cuda" and system.sums:
        statements = row_sums.share_out(system, statements, dtype)
    elif target == "cuda" and system.spreads:
        statements = teams.over_blocks(statements)
    else:
        statements = teams.in_turn(statements)
    decorator = "@scalar_kernel" if system.one_lane or scratch.used else "@kernel"
    decorator = "@team_kernel" if shared_out or system.is_native else decorator
    decorator = f"@kernel_of({system.registers})" if few else decorator
    if target == "cpu":
        assembled = _assemble_cpu(system, statements, shared, looping(trees, constants), constants)
    else:
        assembled = _assemble_cuda(system, statements, shared)
    parts.append(assembled.replace("@kernel", decorator))
    parts.insert(1, definitions(constants, floats))
    source = "\n\n".join(part for part in parts if part) + "\n"
    entry, source = fingerprinted(system.name, source, [*BACK_END[target], *([TEAMS] if provided else [])])
    return source, entry


def _prelude(dtype: str, target: Target, team: bool, provided: list[str], few: bool) -> str:
    module = "phalanx.ecs.cpu.kernels" if target == "cpu" else "phalanx.ecs.cuda.kernels"
    more = (
        "fixed as _fixed",
        "place as _place",
        "scratch",
        *(("joined as _joined", "wait as _wait") if team else ()),
        *(("team_kernel",) if team or provided else ()),
        *(("kernel_of",) if few else ()),
    )
    return (
        "# Generated by phalanx.ecs.text.codegen; do not edit.\n"
        "import math\nimport numpy as np\n"
        f"from {module} import helper, routine, kernel, scalar_kernel, entry, array, carray, stack, cuda\n"
        + (f"from phalanx.ecs.cuda.kernels import {', '.join(more)}\n" if target == "cuda" else "")
        + (f"from phalanx.ecs.cuda.teams import {', '.join(provided)}\n" if provided else "")
        + f"real = np.{dtype}\nunsigned = np.uint64\nsigned = np.int64"
    )


def _argument_types(system: System, dtype: str, target: Target) -> str:
    """Type and dimensions of each argument, for compiling without arrays."""
    types = []
    is_flat = addresses.flat_arguments(system) if target == "cuda" else ()
    for name, access in system.arguments.items():
        if access.mode == "rows":
            types.append("int64")
        else:
            kind = dtype if access.target.dtype == "real" else "int32"
            types.append(f"{kind}:{1 if name in is_flat else 2 + len(access.target.shape)}")
    return " ".join(types)


class _Body(Literals):
    """Rewrite a system's body for its loops."""

    def __init__(self, system: System, shared: frozenset[str], floats: dict[float, str], target: Target) -> None:
        super().__init__(floats)
        self.system, self.shared, self.target = system, shared, target
        self.lanes = {system.leading[1]} if system.over is not None else set()

    def visit_Name(self, node: ast.Name) -> ast.expr:
        access = self.system.arguments.get(node.id)
        if access is not None and access.mode != "rows":
            raise DeclarationError(
                f"system {self.system.name}, line {node.lineno}: {node.id} is used without its indices; "
                "read items here and pass those on"
            )
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Helpers may be handed whole arrays that never differ between environments."""
        for i, argument in enumerate(node.args):
            access = self.system.arguments.get(argument.id) if isinstance(argument, ast.Name) else None
            if access is None or access.mode == "rows" or not (access.target.constant or self.system.is_native):
                node.args[i] = self.visit(argument)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        field, node.value = node.value, ast.Constant(None)
        self.generic_visit(node)
        node.value = field if isinstance(field, ast.Name) else self.visit(field)
        name = node.value.id if isinstance(node.value, ast.Name) else None
        access = self.system.arguments.get(name or "")
        if access is None or access.mode == "rows":
            return node
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        wanted = 2 + len(access.target.shape)
        if len(indices) != wanted:
            raise DeclarationError(
                f"system {self.system.name}, line {node.lineno}: {name} ({access.target.key}) takes {wanted} indices "
                f"(row, {'item..., ' if wanted > 2 else ''}environment), not {len(indices)}"
            )
        if access.target.private and not (isinstance(indices[0], ast.Constant) and indices[0].value == 0):
            raise DeclarationError(
                f"system {self.system.name}, line {node.lineno}: {name} ({access.target.key}) is private and has one "
                f"row, so its first index must be 0, not {ast.unparse(indices[0])}; give the field a shape for more "
                "numbers, or declare it without private=True if rows keep theirs"
            )
        if isinstance(node.ctx, ast.Store) and not access.writes:
            raise DeclarationError(
                f"system {self.system.name}, line {node.lineno}: writes {access.target.key}, which it declares as read"
            )
        last = indices[-1]
        if self.system.over is None and ast.unparse(last) == f"{self.system.leading[0]}[0]":
            last = indices[-1] = ast.copy_location(ast.Name("_low", ast.Load()), last)
        elif not (isinstance(last, ast.Name) and last.id in self.lanes) and not (
            name in self.shared and isinstance(last, ast.Constant) and last.value == 0
        ):
            raise DeclarationError(
                f"system {self.system.name}, line {node.lineno}: the last index of {name} must be the environment "
                "(0 for what all environments share, lanes[0] for what lanes share); environments cannot see each other"
            )
        if name in self.shared:
            indices[-1] = ast.copy_location(ast.Constant(0), indices[-1])
        elif isinstance(indices[-1], ast.Name) and indices[-1].id in self.lanes:
            indices[-1] = ast.copy_location(ast.Name(f"_{indices[-1].id}", ast.Load()), indices[-1])
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        return ast.copy_location(ast.Continue(), node)

    def visit_For(self, node: ast.For) -> ast.stmt:
        is_lane_loop = (
            self.system.over is None and isinstance(node.iter, ast.Name) and node.iter.id == self.system.leading[0]
        )
        if not is_lane_loop:
            self.generic_visit(node)
            return node
        assert isinstance(node.target, ast.Name)
        name = node.target.id
        self.lanes.add(name)
        self.generic_visit(node)
        self.lanes.discard(name)
        if any(isinstance(n, ast.Name) and n.id == name for s in node.body for n in walk(s)):
            node.body.insert(0, ast.parse(f"{name} = signed(_{name})").body[0])
        node.target = ast.Name(f"_{name}", ast.Store())
        node.iter = ast.parse(LANE_LOOP, mode="eval").body
        return node


def _assemble_cpu(
    system: System,
    statements: list[ast.stmt],
    shared: frozenset[str],
    helpers: Collection[str],
    constants: Collection[str],
) -> str:
    arguments = ", ".join(system.arguments)
    if system.over is None:
        loops = statements
    else:
        row, env = system.leading[0], system.leading[1]
        lanes = ast.parse(f"for _{env} in {LANE_LOOP}: pass").body[0]
        assert isinstance(lanes, ast.For)
        if _is_named(env, statements):
            statements = [ast.parse(f"{env} = signed(_{env})").body[0], *statements]
        arrays: list[ast.stmt] = []
        if system.in_step:
            arrays, statements = in_step(system, statements, lanes)
        else:
            statements = unswitched(statements, lanes)
        over_rows = ast.parse(f"for {row} in {_rows(system)}: pass").body[0]
        assert isinstance(over_rows, ast.For)
        over_rows.body = statements
        loops = [*arrays, over_rows]
    ends = without_padding(loops, helpers, constants)
    text = textwrap.indent(_text(loops), "    ")
    if system.over is not None and system.used:
        env = f"_{system.leading[1]}"
        most = f"_used = max(_used, signed({system.used}[0, {'0' if system.used in shared else env}]))"
        clip = f"    _used = 0\n    for {env} in {LANE_LOOP}:\n        {most}\n    _rows = min(_rows, _used)\n"
        text = clip + text
    bound = ", ".join(_bind(i, name, system, shared) for i, name in enumerate(system.arguments))
    present = f"min(_high, _table[{len(system.arguments) + 2}])"
    end, given = (f", {END}", f", unsigned({present})") if ends else ("", "")
    call = f"    __ENTRY___loops(unsigned(_low), unsigned(_high){given}, _table[0], {bound})"
    if system.one_lane:
        given = ", _lane + unsigned(1)" if ends else ""
        call = (
            f"    for _lane in range(unsigned(_low), unsigned({present})):\n"
            f"        __ENTRY___loops(_lane, _lane + unsigned(1){given}, _table[0], {bound})"
        )
    return (
        f"@kernel\ndef __ENTRY___loops(_low, _high{end}, _rows, {arguments}):\n{text}\n\n"
        f"@entry\ndef __ENTRY__(_low, _high, _table):\n{call}"
    )


def _assemble_cuda(system: System, statements: list[ast.stmt], shared: frozenset[str]) -> str:
    arguments = ", ".join(system.arguments)
    statements = addresses.flatten(system, shared, statements)
    text = _text(statements)
    row, env = (system.leading[0], system.leading[1]) if system.over else ("", "")
    if env and _is_named(env, statements):
        text = f"{env} = signed(_{env})\n{text}"
    head = f"@kernel\ndef __ENTRY__(_count, _rows, _stride, {arguments}):\n{_fixed(system)}{_private(system)}"
    if teams.is_team(system) or system.is_native:
        size = system.team_size or teams.TEAM
        guard = f"    _low = unsigned(cuda.grid(1) // {size})\n    _high = _low + unsigned(1)\n"
        if not system.is_native:
            guard += f"    _rank = signed(cuda.threadIdx.x % {size})\n"
            guard += f"    _mask = {2**size - 1} << (cuda.threadIdx.x % 32 - _rank)\n"
        guard += "    if _low < unsigned(_count):\n"
        return head + guard + textwrap.indent(text, " " * 8)
    if system.over is None:
        guard = "    _low = unsigned(cuda.grid(1))\n    _high = _low + unsigned(1)\n    if _low < unsigned(_count):\n"
        return head + guard + textwrap.indent(text, " " * 8)
    end = "_rows"
    if system.used:
        end = f"min(_rows, signed({system.used}[{'0' if system.used in shared else f'_place(0, _stride, _{env})'}]))"
    rows_ = f"range(cuda.blockIdx.y, {end}, cuda.gridDim.y)" if system.order == "parallel" else _rows(system)
    if system.sums:
        each = textwrap.indent(text, " " * 8)
        return f"{head}{row_sums.head(env)}    for {row} in range(cuda.blockIdx.y, _rows, cuda.gridDim.y):\n{each}"
    if system.in_step:
        rows_ = f"range(cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y, {end}, cuda.gridDim.y * cuda.blockDim.y)"
    return (
        head
        + f"    _{env} = unsigned(cuda.grid(1))\n    if _{env} < unsigned(_count):\n        for {row} in {rows_}:\n"
        + textwrap.indent(text, " " * 12)
    )


def _is_named(env: str, statements: Sequence[ast.stmt]) -> bool:
    """Whether statements use the environment's number other than as an index."""
    return any(isinstance(n, ast.Name) and n.id == env for s in statements for n in walk(s))


def _rows(system: System) -> str:
    """How one thread goes over a system's rows."""
    return "range(_rows - 1, -1, -1)" if system.order == "reverse" else "range(_rows)"


def _text(statements: Sequence[ast.stmt]) -> str:
    return "\n".join(ast.unparse(s) for s in statements) or "pass"


def _fixed(system: System) -> str:
    """The call that names the arrays which a kernel for the GPU only reads."""
    read = [not access.writes for access in system.field_arguments.values()]
    mask = sum(1 << n for n, only in enumerate(read[:96]) if only)
    return f"    _fixed({', '.join(str(mask >> 32 * n & 0xFFFFFFFF) for n in range(3))})\n"


def _private(system: System) -> str:
    """The arrays that each thread on the GPU has to itself."""
    lines = []
    for name in private_arguments(system):
        declared = system.arguments[name].target
        lines.append(
            f"    {addresses.own_name(name)} = cuda.local.array({math.prod(declared.shape)}, {_dtype(declared)})\n"
        )
    return "".join(lines)


def _dtype(declared: Field) -> str:
    """The type of a field's numbers in generated text."""
    return "real" if declared.dtype == "real" else "np.int32"


def _bind(index: int, name: str, system: System, shared: frozenset[str]) -> str:
    """How the CPU entry gets argument ``index`` out of its table: slot 0 has the rows, 1 the stride, then a slot
    each, then the number of environments.
    """
    slot = f"_table[{index + 2}]"
    access = system.arguments[name]
    if access.mode == "rows":
        return slot
    stride = "1" if name in shared else "_table[1]"
    shape = ", ".join(["1 << 40", *map(str, access.target.shape), stride])
    return f"array({slot}, ({shape}), {_dtype(access.target)})"
