"""Numba compilers: for kernels, which say that lanes are independent, for what kernels call, and for their entries.

A kernel's loop over lanes touches rows of the same array at offsets only known at run time, so LLVM must assume that
one lane's store feeds another lane's load and gives up ("unsafe dependent memory operations"). Lanes are
environments, which never interact; this compiler says so with the metadata that LLVM has for it
(``llvm.loop.parallel_accesses``), as OpenMP's ``simd`` does in C. Lane loops are known by their line in the generated
source.
"""

from __future__ import annotations

import linecache
from types import CodeType
from typing import Any

from llvmlite import ir as llvm
from llvmlite.binding import Linkage
from numba._dynfunc import make_function
from numba.core import ir
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import IRLegalization, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from phalanx.ecs.cpu.lowering import ConciseLowering
from phalanx.ecs.source.functions import LANE_LOOP
from phalanx.ecs.text.vectorise import is_dense


class _DistinctMetadata(llvm.MDValue):
    """A metadata node that is unlike any other, which identifies a loop or a group of accesses."""

    def descr(self, buf: Any) -> None:
        operands = ", ".join(operand.get_reference() for operand in self.operands)
        buf += (f"distinct !{{ {operands} }}", "\n")

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


def _distinct(module: Any, operands: tuple[Any, ...], refers_to_itself: bool = False) -> Any:
    node = _DistinctMetadata(module, (), name=str(len(module.metadata)))
    node.operands = ((node,) if refers_to_itself else ()) + operands
    return node


class _LaneLowering(ConciseLowering):
    """Lowers a kernel, and marks loops over lanes and all memory accesses."""

    unbounded = True

    def lower_block(self, block: ir.Block) -> None:
        super().lower_block(block)
        jump = block.body[-1]
        header = self.blocks.get(jump.target) if isinstance(jump, ir.Jump) else None
        if header is None or self._lane_loop(header) is None or not self._jumps_back(block, jump.target):
            return
        builder: Any = self.builder
        builder.block.terminator.set_metadata("llvm.loop", self._loop(jump.target))

    def lower_function_body(self) -> Any:
        result = super().lower_function_body()
        group = getattr(self, "_group", None)
        if group is not None:
            for block in self.function.blocks:
                for instruction in block.instructions:
                    if isinstance(instruction, llvm.LoadInstr | llvm.StoreInstr):
                        instruction.set_metadata("llvm.access.group", group)
        return result

    def _loop(self, header: int) -> Any:
        """The one node that all jumps back to a loop's header must carry."""
        if not hasattr(self, "_loops"):
            self._loops: dict[int, Any] = {}
        if header not in self._loops:
            module = self.module
            text = llvm.MetaDataString(module, "llvm.loop.parallel_accesses")
            parallel = module.add_metadata([text, self._access_group()])
            hints = [parallel]
            where = self._lane_loop(self.blocks[header])
            if where is not None and is_dense(where.filename, where.line):
                enable = llvm.MetaDataString(module, "llvm.loop.vectorize.enable")
                hints.append(module.add_metadata([enable, llvm.Constant(llvm.IntType(1), 1)]))
            self._loops[header] = _distinct(module, tuple(hints), refers_to_itself=True)
        return self._loops[header]

    def _access_group(self) -> Any:
        if not hasattr(self, "_group"):
            self._group = _distinct(self.module, ())
        return self._group

    def _lane_loop(self, header: ir.Block) -> Any:
        """Where the loop over lanes is in the generated text, if this is one."""
        if len(header.body) == 1 and isinstance(header.body[0], ir.Jump):  # Python 3.11 jumps to a jump
            header = self.blocks[header.body[0].target]
        steps = [
            s.loc
            for s in header.body
            if isinstance(s, ir.Assign) and isinstance(s.value, ir.Expr) and s.value.op == "iternext"
        ]
        is_lanes = bool(steps) and LANE_LOOP in linecache.getline(steps[0].filename, steps[0].line)
        return steps[0] if is_lanes else None

    def _jumps_back(self, block: ir.Block, target: int) -> bool:
        label = next(label for label, known in self.blocks.items() if known is block)
        return label > target


class _InnerLowering(NativeLowering):
    """Lowers what is only ever linked into an entry: optimised and compiled there, once, and not callable from Python.

    Numba would optimise a function with all that it calls, again for each function on the way up to the entry, and
    make machine code of it each time; half of the time of compiling a kernel.
    """

    _name = "phalanx_inner_lowering"

    def run_pass(self, state: Any) -> bool:
        """As Numba's, but with a handle that has no code behind it."""
        flags, context = state.flags, state.targetctx
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        library = _library(state)
        library._optimize_final_module = lambda: None
        library._finalize_specific = lambda: None
        changed = super().run_pass(state)
        lowered = state["cr"]
        name = lowered.fndesc.qualname.split(".")[-1]
        handle = make_function(lowered.fndesc.lookup_module(), name, "", 0, lowered.env, (library,))
        context.insert_user_function(handle, lowered.fndesc, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = lowered._replace(cfunc=handle)
        return changed


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(_InnerLowering):
    _name = "phalanx_part_lowering"

    @property
    def lowering_class(self) -> type[ConciseLowering]:
        return ConciseLowering


@register_pass(mutates_CFG=True, analysis_only=False)
class _LaneNativeLowering(_InnerLowering):
    _name = "phalanx_lane_lowering"

    @property
    def lowering_class(self) -> type[ConciseLowering]:
        return _LaneLowering


@register_pass(mutates_CFG=True, analysis_only=False)
class _EntryLowering(NativeLowering):
    """Lowers an entry, and optimises it with all that it calls."""

    _name = "phalanx_entry_lowering"

    @property
    def lowering_class(self) -> type[ConciseLowering]:
        return ConciseLowering

    def run_pass(self, state: Any) -> bool:
        """As Numba's, but optimised once, where Numba first looks for references to count, and as the only function
        that is called from elsewhere, so that LLVM knows all callers of the others: sizes of arrays are constants in
        kernels then.
        """
        library = _library(state)

        def optimize() -> None:
            module = library._final_module
            for function in module.functions:
                if function.linkage == Linkage.linkonce_odr and not function.is_declaration:
                    function.linkage = "internal"
            passes, builder = library._codegen._module_pass_manager()
            passes.run(module, builder)

        library._optimize_final_module = optimize
        return super().run_pass(state)


def _library(state: Any) -> Any:
    """The library that a function is lowered into."""
    if state.library is None:
        state.library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        state.library.enable_object_caching()
    return state.library


class PartCompiler(Compiler):
    """Numba's compiler for functions that kernels call."""

    def define_pipelines(self) -> list[PassManager]:
        """Numba's own passes with one exchanged."""
        return [_with_lowering(self.state, _PartLowering)]


class LaneCompiler(Compiler):
    """Numba's compiler with :class:`_LaneLowering` and arguments that do not alias."""

    def define_pipelines(self) -> list[PassManager]:
        """Numba's own passes with one exchanged."""
        self.state.flags.noalias = True
        return [_with_lowering(self.state, _LaneNativeLowering)]


class EntryCompiler(Compiler):
    """Numba's compiler for entries."""

    def define_pipelines(self) -> list[PassManager]:
        """Numba's own passes with one exchanged."""
        return [_with_lowering(self.state, _EntryLowering)]


def _with_lowering(state: Any, lowering: type[NativeLowering]) -> PassManager:
    """Numba's passes, but for what finds nothing: array expressions, variables to delete, functions in functions."""
    manager = DefaultPassBuilder.define_nopython_pipeline(state)
    left_out: tuple[Any, ...] = (NopythonRewrites, IRLegalization)
    if not any(isinstance(constant, CodeType) for constant in state.func_id.code.co_consts):
        left_out += (InlineClosureLikes,)
    manager.passes = [
        (lowering if kind is NativeLowering else kind, text) for kind, text in manager.passes if kind not in left_out
    ]
    manager._finalized = False
    manager.finalize()
    return manager
