"""Eight numbers at once on the CPU, as Numba's types over vectors of LLVM: what :mod:`phalanx.rays.lanes` declares."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic, models, register_model
from numba.core.imputils import lower_builtin
from numba.core.typing import templates
from numba.core.typing.templates import AbstractTemplate, signature

_infer: Any = templates.infer_global

_LONG, _WORD, _REAL, _BIT = ir.IntType(64), ir.IntType(32), ir.FloatType(), ir.IntType(1)


class Eight(types.Type):
    """The type of eight numbers, or flags."""

    def __init__(self, name: str, lane: Any, one: Any) -> None:
        self.one = one
        self.vector = ir.VectorType(lane, 8)
        super().__init__(name)


reals = Eight("eight float32", _REAL, types.float32)
ints = Eight("eight int32", _WORD, types.int32)
flags = Eight("eight flags", _BIT, types.boolean)


@register_model(Eight)
class _Model(models.PrimitiveModel):
    """A vector is kept as it is."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)


def _operation(function: Any, kinds: tuple[Eight, ...], result: Eight | None, emit: Any) -> None:
    """Have an operator take two eights of the same kind."""

    @_infer(function)
    class _Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if not kws and len(args) == 2 and args[0] in kinds and args[0] == args[1]:
                return signature(result or args[0], *args)
            return None

    for kind in kinds:

        @lower_builtin(function, kind, kind)
        def _lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return emit(builder, signature.args[0], *arguments)


def _compared(relation: str) -> Any:
    def emit(builder: Any, kind: Eight, a: Any, b: Any) -> Any:
        if kind == reals:
            return builder.fcmp_ordered(relation, a, b)
        return builder.icmp_signed(relation, a, b)

    return emit


for _function, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _operation(_function, (reals,), None, lambda builder, kind, a, b, name=_name: getattr(builder, name)(a, b))
for _function, _name in ((operator.and_, "and_"), (operator.or_, "or_")):
    _operation(_function, (flags,), None, lambda builder, kind, a, b, name=_name: getattr(builder, name)(a, b))
for _function, _relation in (
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.eq, "=="),
):
    _operation(_function, (reals, ints), flags, _compared(_relation))


@_infer(operator.neg)
class _Negative(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(reals, reals) if args == (reals,) else None


@lower_builtin(operator.neg, reals)
def _negative(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.fneg(arguments[0])


def all_lanes(builder: Any, value: Any) -> Any:
    """A vector of eight times the same."""
    kind = ir.VectorType(value.type, 8)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(_WORD, 0))
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), ir.Constant(ir.VectorType(_WORD, 8), [0] * 8))


def _address(context: Any, builder: Any, kind: Any, array: Any, index: Any, pointee: Any) -> Any:
    """Where numbers of an array are, as a pointer."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), pointee.as_pointer())


@intrinsic
def eight(typing_context: Any, number: Any) -> Any:
    """See :mod:`~.lanes`."""
    kind = reals if isinstance(number, types.Float) else ints

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return all_lanes(builder, arguments[0])

    return kind(kind.one), emit


@intrinsic
def lanes_at(typing_context: Any, array: Any, row: Any) -> Any:
    """See :mod:`~.lanes`."""
    kind = reals if isinstance(array.dtype, types.Float) else ints

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at = builder.mul(arguments[1], ir.Constant(_LONG, 8))
        return builder.load(_address(context, builder, signature.args[0], arguments[0], at, kind.vector), align=4)

    return kind(array, types.int64), emit


@intrinsic
def put_lanes(typing_context: Any, array: Any, row: Any, numbers: Any) -> Any:
    """See :mod:`~.lanes`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at = builder.mul(arguments[1], ir.Constant(_LONG, 8))
        kind = signature.args[2].vector
        builder.store(arguments[2], _address(context, builder, signature.args[0], arguments[0], at, kind), align=4)
        return context.get_dummy_value()

    return types.void(array, types.int64, numbers), emit


@intrinsic
def side_lanes(typing_context: Any, nodes: Any, index: Any) -> Any:
    """See :mod:`~.lanes`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = builder.load(_address(context, builder, signature.args[0], arguments[0], arguments[1], _WORD), align=4)
        both = all_lanes(builder, word)
        first = builder.shl(both, ir.Constant(both.type, [16] * 8))
        sides = [builder.bitcast(one, reals.vector) for one in (first, both)]
        return context.make_tuple(builder, signature.return_type, sides)

    return types.UniTuple(reals, 2)(nodes, types.int64), emit


@intrinsic
def lesser(typing_context: Any, a: Any, b: Any) -> Any:
    """See :mod:`~.lanes`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", *arguments), *arguments)

    return reals(reals, reals), emit


@intrinsic
def greater(typing_context: Any, a: Any, b: Any) -> Any:
    """See :mod:`~.lanes`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)

    return reals(reals, reals), emit


@intrinsic
def where(typing_context: Any, chosen: Any, a: Any, b: Any) -> Any:
    """See :mod:`~.lanes`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(*arguments)

    return a(flags, a, a), emit


@intrinsic
def flag_bits(typing_context: Any, chosen: Any) -> Any:
    """See :mod:`~.lanes`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.zext(builder.bitcast(arguments[0], ir.IntType(8)), _LONG)

    return types.int64(flags), emit


@intrinsic
def flags_of(typing_context: Any, bits: Any) -> Any:
    """See :mod:`~.lanes`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(builder.trunc(arguments[0], ir.IntType(8)), flags.vector)

    return flags(types.int64), emit


@intrinsic
def greatest_lane(typing_context: Any, numbers: Any) -> Any:
    """See :mod:`~.lanes`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = arguments[0]
        for step in (4, 2, 1):
            other = _chosen(builder, found, found, [(lane + step) % 8 for lane in range(8)])
            found = builder.select(builder.fcmp_ordered(">", found, other), found, other)
        return builder.extract_element(found, ir.Constant(_WORD, 0))

    return types.float32(reals), emit


def _chosen(builder: Any, a: Any, b: Any, lanes: list[int]) -> Any:
    """A vector of lanes of two, those of the second from 8 on."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_WORD, 8), lanes))


SLOTS = [0, 2, 4, 6, 1, 3, 5, 7]
"""Of the children in lanes of keys: those in last halves of words, then the others."""

_HALVES = (
    ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]),
    ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]),
    ([0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]),
)
"""How two vectors become one in which each lane has the less of two: after three steps, eight have become one."""


@intrinsic
def packet_keys(typing_context: Any, lows: Any, keys: Any, place: Any) -> Any:
    """See :mod:`~.lanes`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = builder.mul(arguments[2], ir.Constant(_LONG, 64))
        rows = _address(context, builder, signature.args[0], arguments[0], start, reals.vector)
        found = [builder.load(builder.gep(rows, [ir.Constant(_LONG, slot)]), align=4) for slot in SLOTS]
        for one, two in _HALVES:
            pairs = zip(found[::2], found[1::2], strict=True)
            halves = [(_chosen(builder, a, b, one), _chosen(builder, a, b, two)) for a, b in pairs]
            found = [builder.select(builder.fcmp_ordered("<", a, b), a, b) for a, b in halves]
        key = builder.and_(builder.bitcast(found[0], ints.vector), ir.Constant(ints.vector, [~7 & 0xFFFFFFFF] * 8))
        key = builder.or_(key, ir.Constant(ints.vector, SLOTS))
        at = builder.mul(arguments[2], ir.Constant(_LONG, 8))
        builder.store(key, _address(context, builder, signature.args[1], arguments[1], at, ints.vector), align=4)
        return least(builder, key)

    return types.int32(lows, keys, types.int64), emit


def least(builder: Any, words: Any) -> Any:
    """The least of eight."""
    name = "llvm.vector.reduce.umin.v8i32"
    declared = builder.module.globals.get(name)
    declared = declared or ir.Function(builder.module, ir.FunctionType(_WORD, [ints.vector]), name)
    return builder.call(declared, [words])
