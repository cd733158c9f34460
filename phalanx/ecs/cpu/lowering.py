"""From typed Numba IR to LLVM's, in fewer instructions than Numba writes.

Kernels consist of elements, ranges and extrema, for each of which Numba writes some forty instructions, that LLVM then
reads, checks and takes away again: a third of the time of compiling a kernel (docs/decisions/0034-concise-ir.md).
Lowered here is what kernels use most; the rest is left to Numba. The meaning is the same, but for rows of components,
which are not counted from the last one:

* elements of contiguous arrays at integers: an address and a load or a store;
* ``range``: a number that is compared with the end;
* ``max`` and ``min`` of two numbers: a comparison and a selection, in Python's order, so that NaN comes out the same;
* variables: no references are counted, since kernels own no memory, and what is not needed any more is left as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from llvmlite import ir as llvm
from numba.core import cgutils, errors, ir, types
from numba.core.lowering import Lower
from numba.np.arrayobj import load_item, store_item

NUMBERS = (types.Integer, types.Float)


class ConciseLowering(Lower):
    """Lowers a function that is part of a kernel."""

    unbounded = False
    """Whether arrays that are arguments are fields, which have no last row to count from."""

    def pre_lower(self) -> None:
        """Look where variables are set and used, and take arrays apart that are arguments."""
        super().pre_lower()
        self._arguments: dict[str, Any] = {}
        self._indices: dict[str, list[tuple[Any, Any]]] = {}
        self._layouts: dict[str, tuple[Any, list[Any], list[Any]]] = {}
        assignments = [s for block in self.blocks.values() for s in block.body if isinstance(s, ir.Assign)]
        times = Counter(s.target.name for s in assignments)
        once = [s for s in assignments if times[s.target.name] == 1]
        for assignment in once:
            name, value = assignment.target.name, assignment.value
            if isinstance(value, ir.Arg) and self.typeof(name) == self.typeof(f"arg.{value.name}"):
                self._arguments[name] = self.fnargs[value.index]
                if _is_plain(self.typeof(name)):
                    self._layouts[name] = self._layout(self.fnargs[value.index], self.typeof(name))
        self._only_indices = self._find_indices(once)

    # -- variables

    def incref(self, typ: types.Type, val: Any) -> None:
        """Nothing."""

    def decref(self, typ: types.Type, val: Any) -> None:
        """Nothing."""

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        """Set a variable."""
        self._alloca_var(name, self.typeof(name))
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def loadvar(self, name: str) -> Any:
        """Get a variable."""
        return self._arguments[name] if name in self._arguments else super().loadvar(name)

    # -- instructions and expressions

    def lower_block(self, block: ir.Block) -> None:
        """One block; where in the text it is matters only if something is wrong."""
        self.pre_block(block)
        for inst in block.body:
            self.loc = inst.loc
            try:
                self.lower_inst(inst)
            except Exception:
                report: Any = errors
                mistake = partial(errors.LoweringError, loc=self.loc)
                with report.new_error_context('lowering "{inst}" at {loc}', inst=inst, loc=self.loc, errcls_=mistake):
                    raise
        self.post_block(block)

    def lower_inst(self, inst: Any) -> Any:
        """One instruction."""
        if isinstance(inst, ir.Del):
            return None
        if isinstance(inst, ir.Assign):
            name = inst.target.name
            if name in self._only_indices:
                made: Any = inst.value
                self._indices[name] = [(self.loadvar(v.name), self.typeof(v.name)) for v in made.items]
                return None
            if name in self._arguments:
                return None
        elif isinstance(inst, ir.SetItem | ir.StaticSetItem):
            at = self._element(inst)
            if at is not None:
                kind, address = at
                value = self._cast(self.loadvar(inst.value.name), self.typeof(inst.value.name), kind.dtype)
                store_item(self.context, self.builder, kind, value, address)
                return None
        return super().lower_inst(inst)

    def lower_expr(self, resty: types.Type, expr: Any) -> Any:
        """The value of an expression."""
        if expr.op in ("getitem", "static_getitem"):
            at = self._element(expr)
            if at is not None:
                kind, address = at
                return self._cast(load_item(self.context, self.builder, kind, address), kind.dtype, resty)
        elif expr.op == "getiter" and isinstance(self.typeof(expr.value.name), types.RangeType):
            return self._start(self.loadvar(expr.value.name), resty)
        elif expr.op == "iternext" and isinstance(self.typeof(expr.value.name), types.RangeIteratorType):
            return self._next(self.loadvar(expr.value.name), resty)
        elif expr.op in ("binop", "inplace_binop", "unary") and isinstance(resty, types.Array):
            remedy = "kernels own no memory; use a field of a component, or local() for a few numbers"
            raise errors.UnsupportedError(f"arithmetic with whole arrays: {remedy}", loc=self.loc)
        return super().lower_expr(resty, expr)

    def _lower_call_normal(self, fnty: Any, expr: Any, signature: Any) -> Any:
        function: Any = getattr(fnty, "typing_key", None)
        kind = signature.return_type
        plain = (
            not expr.kws and expr.vararg is None and all(isinstance(self.typeof(v.name), NUMBERS) for v in expr.args)
        )
        if plain and function is range:
            return self._range([self._as(v, kind.dtype) for v in expr.args], kind)
        if plain and function in (max, min) and len(expr.args) == 2:
            return self._extremum(function is max, [self._as(v, kind) for v in expr.args], kind)
        return super()._lower_call_normal(fnty, expr, signature)

    def _as(self, variable: ir.Var, kind: types.Type) -> Any:
        return self._cast(self.loadvar(variable.name), self.typeof(variable.name), kind)

    def _cast(self, value: Any, of: types.Type, to: types.Type) -> Any:
        return value if of == to else self.context.cast(self.builder, value, of, to)

    # -- elements

    def _find_indices(self, once: Sequence[ir.Assign]) -> set[str]:
        """Names of tuples that only ever say which element is meant."""
        items: dict[str, list[ir.Var]] = {}
        for assignment in once:
            made: Any = assignment.value
            is_tuple = isinstance(made, ir.Expr) and made.op == "build_tuple"
            if is_tuple and all(isinstance(self.typeof(v.name), types.Integer) for v in made.items):
                items[assignment.target.name] = made.items
        for statement in (s for block in self.blocks.values() for s in block.body if not isinstance(s, ir.Del)):
            used = [v.name for v in statement.list_vars() if v.name in items]
            if not used or (isinstance(statement, ir.Assign) and used == [statement.target.name]):
                continue
            array, index = _access(statement.value if isinstance(statement, ir.Assign) else statement)
            kind: Any = self.typeof(array.name) if array is not None else None
            for name in used:
                if index is None or name != index.name or not _is_plain(kind) or kind.ndim != len(items[name]):
                    items.pop(name, None)
        return set(items)

    def _element(self, access: Any) -> tuple[Any, Any] | None:
        """An array's type and the address of its element; None if that is left to Numba."""
        array, index = _access(access)
        kind: Any = self.typeof(array.name)
        if not _is_plain(kind):
            return None
        if isinstance(access, ir.StaticSetItem) or getattr(access, "op", "") == "static_getitem":
            numbers = access.index if isinstance(access.index, tuple) else (access.index,)
            if any(type(number) is not int for number in numbers):
                return None
            items = [(self.context.get_constant(types.intp, number), types.intp) for number in numbers]
        elif index.name in self._indices:
            items = self._indices[index.name]
        else:
            value, of = self.loadvar(index.name), self.typeof(index.name)
            items = [(value, of)]
            if isinstance(of, types.BaseTuple):
                parts: Any = of.types  # pyright: ignore[reportAttributeAccessIssue]
                items = list(zip(cgutils.unpack_tuple(self.builder, value), parts, strict=True))
        if len(items) != kind.ndim or not all(isinstance(of, types.Integer) for _, of in items):
            return None
        is_argument = array.name in self._layouts
        data, sizes, steps = self._layouts[array.name] if is_argument else self._layout(self.loadvar(array.name), kind)
        builder: Any = self.builder
        place = None
        for axis, (value, of) in enumerate(items):
            at = self._cast(value, of, types.intp if of.signed else types.uintp)
            if of.signed and not (axis == 0 and self.unbounded and is_argument):
                at = self._from_the_end(at, sizes[axis])
            offset = at if axis == kind.ndim - 1 else builder.mul(at, steps[axis])
            place = offset if place is None else builder.add(place, offset)
        return kind, builder.gep(data, [place])

    def _layout(self, array: Any, kind: Any) -> tuple[Any, list[Any], list[Any]]:
        """An array's address, its sizes, and how many elements lie between neighbours along each axis but the last."""
        builder: Any = self.builder
        model = self.context.data_model_manager[kind]
        data = model.get(builder, array, "data")
        sizes = cgutils.unpack_tuple(builder, model.get(builder, array, "shape"), kind.ndim)
        steps = sizes[1:]
        for axis in range(kind.ndim - 3, -1, -1):
            steps[axis] = builder.mul(steps[axis], steps[axis + 1])
        return data, sizes, steps

    def _from_the_end(self, index: Any, size: Any) -> Any:
        builder: Any = self.builder
        if isinstance(index, llvm.Constant):
            return index if index.constant >= 0 else builder.add(size, index)
        return builder.select(builder.icmp_signed("<", index, index.type(0)), builder.add(size, index), index)

    # -- ranges and extrema

    def _range(self, ends: list[Any], kind: Any) -> Any:
        number = self.context.get_value_type(kind.dtype)
        low = ends[0] if len(ends) > 1 else number(0)
        high = ends[1] if len(ends) > 1 else ends[0]
        return self._struct(kind, [low, high, ends[2] if len(ends) > 2 else number(1)])

    def _start(self, ends: Any, kind: Any) -> Any:
        """A range's iterator, as Numba's: where the next number is, the end, the step; its count is not needed."""
        low, high, step = cgutils.unpack_tuple(self.builder, ends, 3)
        place = cgutils.alloca_once(self.builder, low.type)
        self.builder.store(low, place)
        return self._struct(kind, [place, high, step])

    def _next(self, iterator: Any, kind: Any) -> Any:
        """The next number, and whether there is one."""
        builder: Any = self.builder
        place, high, step = (builder.extract_value(iterator, n) for n in range(3))
        number = builder.load(place)
        if kind.first_type.signed:
            up, down = (builder.icmp_signed(sign, step, step.type(0)) for sign in "><")
            before, behind = (builder.icmp_signed(sign, number, high) for sign in "<>")
            there = builder.or_(builder.and_(up, before), builder.and_(down, behind))
        else:
            there = builder.icmp_unsigned("<", number, high)
        builder.store(builder.add(number, step), place)
        return self._struct(kind, [number, there])

    def _struct(self, kind: Any, members: list[Any]) -> Any:
        value: Any = llvm.Constant(self.context.get_value_type(kind), llvm.Undefined)
        for n, member in enumerate(members):
            value = self.builder.insert_value(value, member, n)
        return value

    def _extremum(self, most: bool, numbers: list[Any], kind: Any) -> Any:
        builder: Any = self.builder
        first, second = numbers
        if isinstance(kind, types.Float):
            compare = builder.fcmp_ordered
        else:
            compare = builder.icmp_signed if kind.signed else builder.icmp_unsigned
        return builder.select(compare(">" if most else "<", second, first), second, first)


def _is_plain(kind: Any) -> bool:
    """Whether elements of such an array are contiguous numbers."""
    return isinstance(kind, types.Array) and kind.layout == "C" and isinstance(kind.dtype, (*NUMBERS, types.Boolean))


def _access(node: Any) -> tuple[Any, Any]:
    """The array and the index of what reads or writes an item, else none."""
    if isinstance(node, ir.SetItem):
        return node.target, node.index
    if isinstance(node, ir.StaticSetItem):
        return node.target, node.index_var
    op = node.op if isinstance(node, ir.Expr) else None
    if op == "getitem":
        return node.value, node.index
    if op == "static_getitem":
        return node.value, node.index_var
    return None, None
