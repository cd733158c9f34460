"""The body of a kernel from the text of a straight-line program (:mod:`phalanx.ecs.recorded.parts`), as LLVM has it.

Numba types and lowers a line of Python in a millisecond or more, and there are ten thousand; so the kernel is one call,
which writes LLVM's instructions itself.

Which product a sum rounds together with itself is decided here, by what was recorded, not by the compiler, which looks
at all of a program: so results do not depend on which systems are recorded together.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir as llvm
from numba.core import cgutils
from numba.cuda.extending import intrinsic

_WORD, _LONG = llvm.IntType(32), llvm.IntType(64)


def straight_line(program: str) -> Any:
    """The intrinsic for a program: ``run(environment, part, stride, fields)``, of a tuple of flat arrays.

    The text has lines ``real TYPE``, ``stride NUMBER`` (0: that of the launch), one for each argument, ``field each``
    or ``shared`` and ``read`` or ``write``, then for each class of parts ``class COUNT``, ``base FIELD FIRST ...``
    (items before a part's first row, for each part) and its operations.
    """

    @intrinsic
    def run(typing_context: Any, environment: Any, part: Any, stride: Any, fields: Any) -> Any:
        del typing_context

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            lane, number, step, packed = arguments
            types = list(signature.args[3])
            arrays = cgutils.unpack_tuple(builder, packed)
            data = [context.make_array(t)(context, builder, a).data for t, a in zip(types, arrays, strict=True)]
            kinds = [t.dtype for t in types]
            _Emitter(context, builder, data, kinds, lane, number, step).program(program)
            return context.get_dummy_value()

        return numba.void(numba.uint64, numba.uint64, numba.int64, fields), emit

    return run


class _Emitter:
    """Writes a program."""

    def __init__(
        self, context: Any, builder: Any, data: list[Any], kinds: list[Any], lane: Any, part: Any, step: Any
    ) -> None:
        self.context, self.builder, self.part = context, builder, builder.trunc(part, _WORD)
        self.kinds = kinds
        self.types = [context.get_value_type(kind) for kind in kinds]
        self.sizes = [kind.bitwidth // 8 for kind in kinds]
        self.data = [builder.ptrtoint(pointer, _LONG) for pointer in data]
        self.lane, self.step = lane, step
        self.nothing = builder.module.add_metadata([])
        self.real: Any = None

    def program(self, text: str) -> None:
        """All classes; each for the numbers of its parts."""
        head, *found = text.split("\nclass ")
        (_, real), (_, stride), *fields = (line.split(maxsplit=1) for line in head.strip().splitlines())
        self.fields = [words.split() for _, words in fields]
        self.real = {"float32": llvm.FloatType(), "float64": llvm.DoubleType()}[real]
        self.literal = int(stride)
        begin = 0
        for one in found:
            count, *lines = one.splitlines()
            end = begin + int(count)
            builder = self.builder
            inside = builder.and_(
                builder.icmp_unsigned(">=", self.part, _WORD(begin)), builder.icmp_unsigned("<", self.part, _WORD(end))
            )
            with builder.if_then(inside if len(found) > 1 else llvm.Constant(llvm.IntType(1), 1)):
                self._class(lines, builder.sub(self.part, _WORD(begin)))
            begin = end

    def _class(self, lines: list[str], number: Any) -> None:
        bases: dict[int, Any] = {}
        values: list[Any] = []
        self.pointers: dict[int, Any] = {}
        self.products: dict[int, tuple[Any, Any]] = {}
        for line in lines:
            word, *rest = line.split()
            if word == "base":
                bases[int(rest[0])] = self._base([int(r) for r in rest[1:]], number)
                continue
            if word == "mul" and rest[0] == "r":
                self.products[len(values)] = (values[int(rest[1])], values[int(rest[2])])
            values.append(self._operation(word, rest, values, bases))

    def _base(self, items: list[int], number: Any) -> Any:
        """Of so many items, the one for a part: the first and a multiple of their distance, or out of a table."""
        distance = items[1] - items[0] if len(items) > 1 else 0
        if all(item == items[0] + k * distance for k, item in enumerate(items)):
            return self.builder.add(_WORD(items[0]), self.builder.mul(number, _WORD(distance)))
        kind = llvm.ArrayType(_WORD, len(items))
        module = self.builder.module
        table = llvm.GlobalVariable(module, kind, module.get_unique_name("bases"), addrspace=4)
        table.global_constant, table.linkage = True, "internal"
        table.initializer = llvm.Constant(kind, items)  # pyright: ignore[reportAttributeAccessIssue]
        return self.builder.load(self.builder.gep(table, [_WORD(0), number]))

    def _pointer(self, field: int, item: int, bases: dict[int, Any]) -> Any:
        """Where an item of a field is, counted from the part's first row."""
        builder, size = self.builder, self.sizes[field]
        shared = self.fields[field][0] == "shared"
        if field not in self.pointers:
            base = bases.get(field, _WORD(0))
            if shared:
                offset = builder.zext(base, _LONG)
            else:
                offset = builder.add(builder.mul(builder.zext(base, _LONG), self.step), self.lane)
            self.pointers[field] = builder.add(self.data[field], builder.mul(offset, _LONG(size)))
        if shared:
            place = builder.add(self.pointers[field], _LONG(item * size))
        elif self.literal or item == 0:
            place = builder.add(self.pointers[field], _LONG(item * size * self.literal))
        else:
            # as an instruction: LLVM would compute each place from another one, in longer and longer chains
            kind = llvm.FunctionType(_LONG, [_WORD, _WORD, _LONG])
            text = llvm.InlineAsm(kind, "mad.wide.u32 $0, $1, $2, $3;", "=l,r,n,l")
            step = builder.trunc(builder.mul(self.step, _LONG(size)), _WORD)
            place = builder.call(text, [step, _WORD(item), self.pointers[field]], attrs=("readnone", "nounwind"))
        return builder.inttoptr(place, llvm.PointerType(self.types[field], addrspace=1))

    def _operation(self, name: str, words: list[str], values: list[Any], bases: dict[int, Any]) -> Any:
        kind, *rest = words
        builder = self.builder
        if name == "load":
            field, item = map(int, rest)
            found = builder.load(self._pointer(field, item, bases), align=self.sizes[field])
            if self.fields[field][1] == "read":
                found.set_metadata("invariant.load", self.nothing)
            return found
        if name == "store":
            value, field, item = map(int, rest)
            builder.store(values[value], self._pointer(field, item, bases), align=self.sizes[field])
            return None
        if name == "const":
            if kind == "r":
                return llvm.Constant(self.real, float(rest[0]))
            return llvm.Constant(_WORD if kind == "i" else llvm.IntType(1), int(rest[0]))
        if kind == "r" and name in ("add", "sub"):
            return self._sum(name == "sub", int(rest[0]), int(rest[1]), values)
        return self._computed(name, kind, [values[int(r)] for r in rest])

    def _sum(self, less: bool, first: int, second: int, values: list[Any]) -> Any:
        """a + b or a - b; if one of them is a product, with one rounding: of two products the second."""
        a, b = values[first], values[second]
        if second in self.products:
            x, y = self.products[second]
            return self._called("llvm.nvvm.fma.rn", self._minus(x) if less else x, y, a)
        if first in self.products:
            return self._called("llvm.nvvm.fma.rn", *self.products[first], self._minus(b) if less else b)
        return self._called("llvm.nvvm.add.rn", a, self._minus(b) if less else b)

    def _computed(self, name: str, kind: str, operands: list[Any]) -> Any:
        """Any other operation; ``kind`` is that of the result."""
        builder = self.builder
        a = operands[0]
        if name == "kept":  # a number that was stored and read again, as it is
            return a
        if name in _COMPARISONS:
            sign = _COMPARISONS[name]
            if a.type != self.real:
                return builder.icmp_signed(sign, *operands)
            return (builder.fcmp_unordered if sign == "!=" else builder.fcmp_ordered)(sign, *operands)
        if name == "real":
            return builder.sitofp(a, self.real)
        if name == "int":
            return builder.fptosi(a, _WORD)
        if kind != "r" or name == "select":
            return getattr(builder, _PLAIN[name])(*operands)
        if name == "neg":
            return self._minus(a)
        if name == "div":
            return self._quotient(*operands)
        if name == "sqrt" and isinstance(self.real, llvm.FloatType):
            return self._root(a)
        # what compilers would fuse with a sum has a name for its rounding; the rest is libdevice's, as Numba has it
        return self._called("llvm.nvvm.mul.rn" if name == "mul" else f"__nv_{name}", *operands)

    def _minus(self, a: Any) -> Any:
        return self.builder.fsub(llvm.Constant(self.real, -0.0), a)

    def _quotient(self, a: Any, b: Any) -> Any:
        """In float32 to two units in the last place: an exact quotient takes a branch, which loads cannot pass."""
        if not isinstance(self.real, llvm.FloatType):
            return self.builder.fdiv(a, b)
        text = llvm.InlineAsm(llvm.FunctionType(self.real, [self.real] * 2), "div.full.f32 $0, $1, $2;", "=f,f,f")
        return self.builder.call(text, [a, b], attrs=("readnone", "nounwind"))

    def _root(self, x: Any) -> Any:
        """A square root in float32, rounded to nearest as CUDA's, without its branch for very small ones."""
        builder, number = self.builder, lambda value: llvm.Constant(self.real, value)
        is_small = builder.fcmp_ordered("<", x, number(2.0**-100))
        scaled = builder.select(is_small, self._called("llvm.nvvm.mul.rn", x, number(2.0**100)), x)
        text = llvm.InlineAsm(llvm.FunctionType(self.real, [self.real]), "rsqrt.approx.ftz.f32 $0, $1;", "=f,f")
        reciprocal = builder.call(text, [scaled], attrs=("readnone", "nounwind"))
        root = self._called("llvm.nvvm.mul.rn", scaled, reciprocal)
        half = self._called("llvm.nvvm.mul.rn", reciprocal, number(0.5))
        left = self._called("llvm.nvvm.fma.rn", self._minus(root), root, scaled)
        root = self._called("llvm.nvvm.fma.rn", left, half, root)
        root = builder.select(is_small, self._called("llvm.nvvm.mul.rn", root, number(2.0**-50)), root)
        is_itself = builder.fcmp_ordered("==", x, self._called("llvm.nvvm.add.rn", x, x))  # 0 and infinity
        return builder.select(is_itself, x, root)

    def _called(self, name: str, *operands: Any) -> Any:
        """A function of reals: an instruction of NVVM or a function of libdevice, by the name of its float type's."""
        single = isinstance(self.real, llvm.FloatType)
        suffix = (".f" if single else ".d") if name.startswith("llvm.") else "f" if single else ""
        kind = llvm.FunctionType(self.real, [self.real] * len(operands))
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name + suffix), operands)


_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}

_PLAIN = {
    "add": "add",
    "sub": "sub",
    "neg": "neg",
    "bitand": "and_",
    "bitor": "or_",
    "shr": "ashr",
    "both": "and_",
    "any": "or_",
    "not": "not_",
    "select": "select",
}
"""The builder's names of operations of whole numbers and truth values, and of selections."""
