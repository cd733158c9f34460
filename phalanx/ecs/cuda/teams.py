"""What systems written for teams of GPU threads are made of (:mod:`phalanx.ecs.text.team_language`), as CUDA has it."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir as llvm
from numba import cuda
from numba.cuda.extending import intrinsic

from phalanx.ecs.cuda.kernels import helper


@helper
def team_row():
    """See :mod:`~.team_language`."""
    return cuda.blockIdx.y


@helper
def team_count():
    """See :mod:`~.team_language`."""
    return cuda.gridDim.y


@helper
def team_rank(size):
    """See :mod:`~.team_language`."""
    return cuda.threadIdx.x % size


@helper
def team_slot(size):
    """See :mod:`~.team_language`."""
    return cuda.threadIdx.x // size


@helper
def _team(size):
    """The threads of a team, a mask in their warp."""
    return numba.uint32(((1 << size) - 1) << (cuda.threadIdx.x % 32 - cuda.threadIdx.x % size))  # pyright: ignore[reportOperatorIssue]


@helper
def team_wait(size):
    """See :mod:`~.team_language`."""
    cuda.syncwarp(_team(size))  # pyright: ignore[reportCallIssue]


@helper
def block_wait():
    """See :mod:`~.team_language`."""
    cuda.syncthreads()  # pyright: ignore[reportCallIssue]


@helper
def part_sum(size, part, x):
    """See :mod:`~.team_language`."""
    team = _team(size)
    step = part // 2
    while step > 0:
        x += cuda.shfl_xor_sync(team, x, step)
        step //= 2
    return x


@helper
def team_sum(size, x):
    """See :mod:`~.team_language`."""
    return part_sum(size, size, x)


_CHOICE_OF_PARTNER = (
    "{.reg .pred p; .reg .b32 x; setp.ne.u32 p, $5, 0; selp.b32 x, $1, $2, p; shfl.sync.bfly.b32 $0, x, $3, 31, $4;}"
)


@intrinsic
def _partner(typing_context: Any, first: Any, second: Any, bit: Any, team: Any, upper: Any) -> Any:
    """What the thread that differs in a bit gives: the first where ``upper`` is not 0 for it, else the second.

    Choice and shuffle are one text, since LLVM makes them a branch with a shuffle on either side, and threads that
    shuffle with each other from two places are brought together by the dozen instructions, each time
    (docs/decisions/0030-island-rows.md).
    """
    del typing_context

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        word = llvm.IntType(32)
        kind = llvm.FunctionType(llvm.FloatType(), [llvm.FloatType()] * 2 + [word] * 3)
        operands = [
            builder.trunc(a, word) if isinstance(a.type, llvm.IntType) and a.type.width > 32 else a for a in arguments
        ]
        text = llvm.InlineAsm(kind, _CHOICE_OF_PARTNER, "=f,f,f,r,r,r", side_effect=True)
        return builder.call(text, operands, attrs=("convergent", "nounwind"))

    return numba.float32(first, second, bit, team, upper), emit


@helper
def _halved(team, bit, first, second):
    """Of two numbers, the sum of one over a pair of threads that differ in a bit: the second where it is set."""
    upper = cuda.threadIdx.x & bit
    return (second if upper != 0 else first) + _partner(first, second, bit, team, upper)  # pyright: ignore[reportCallIssue]


@helper
def team_eight_sums(size, a, b, c, d, e, f, g, h):
    """See :mod:`~.team_language`: seven shuffles instead of 24, since pairs of threads share out what is left."""
    team = _team(size)
    a, b, c, d = _halved(team, 1, a, b), _halved(team, 1, c, d), _halved(team, 1, e, f), _halved(team, 1, g, h)
    a, b = _halved(team, 2, a, b), _halved(team, 2, c, d)
    a = _halved(team, 4, a, b)
    step = 8
    while step < size:
        a += cuda.shfl_xor_sync(team, a, step)
        step *= 2
    return a


@helper
def team_ballot(size, condition):
    """See :mod:`~.team_language`."""
    votes = cuda.ballot_sync(_team(size), condition)  # pyright: ignore[reportCallIssue]
    return (numba.int64(votes) >> (cuda.threadIdx.x % 32 - cuda.threadIdx.x % size)) & ((1 << size) - 1)  # pyright: ignore[reportOperatorIssue]


@helper
def team_from(size, x, rank):
    """See :mod:`~.team_language`."""
    return cuda.shfl_sync(_team(size), x, cuda.threadIdx.x % 32 - cuda.threadIdx.x % size + rank)  # pyright: ignore[reportOperatorIssue]


@helper
def count_bits(x):
    """See :mod:`~.team_language`."""
    return cuda.popc(numba.uint32(x))  # pyright: ignore[reportCallIssue]


@helper
def lowest_bit(x):
    """See :mod:`~.team_language`."""
    return cuda.ffs(numba.uint32(x)) - 1  # pyright: ignore[reportCallIssue, reportOperatorIssue]


@helper
def as_real(x):
    """See :mod:`~.team_language`."""
    return cuda.libdevice.int_as_float(numba.int32(x))  # pyright: ignore[reportAttributeAccessIssue]


@helper
def as_bits(x):
    """See :mod:`~.team_language`."""
    return numba.int64(numba.uint32(cuda.libdevice.float_as_int(x)))  # pyright: ignore[reportAttributeAccessIssue]


def _four_at(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Pointer to four items of a flat float32 array in global memory."""
    data = context.make_array(kind)(context, builder, array).data
    long = llvm.IntType(64)
    place = builder.add(builder.ptrtoint(data, long), builder.mul(index, llvm.Constant(long, 4)))
    return builder.inttoptr(place, llvm.PointerType(llvm.VectorType(llvm.FloatType(), 4), addrspace=1))


@intrinsic
def load_four(typing_context: Any, array: Any, index: Any) -> Any:
    """See :mod:`~.team_language`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        four = builder.load(_four_at(context, builder, signature.args[0], *arguments), align=16)
        values = [builder.extract_element(four, llvm.Constant(llvm.IntType(32), k)) for k in range(4)]
        return context.make_tuple(builder, signature.return_type, values)

    return numba.types.UniTuple(numba.float32, 4)(array, numba.int64), emit


@intrinsic
def store_four(typing_context: Any, array: Any, index: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """See :mod:`~.team_language`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        four = llvm.Constant(llvm.VectorType(llvm.FloatType(), 4), llvm.Undefined)
        for k in range(4):
            four = builder.insert_element(four, arguments[2 + k], llvm.Constant(llvm.IntType(32), k))
        builder.store(four, _four_at(context, builder, signature.args[0], arguments[0], arguments[1]), align=16)
        return context.get_dummy_value()

    return numba.void(array, numba.int64, *[numba.float32] * 4), emit


@helper
def store_one(array, index, x):
    """See :mod:`~.team_language`."""
    array[numba.uint64(index)] = x


@intrinsic
def _given_bytes(typing_context: Any) -> Any:
    """Bytes of a block's memory that the launch asked for."""
    del typing_context

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature, arguments
        kind = llvm.FunctionType(llvm.IntType(32), [])
        return builder.call(llvm.InlineAsm(kind, "mov.u32 $0, %dynamic_smem_size;", "=r"), [])

    return numba.uint32(), emit


@helper
def team_room(size):
    """See :mod:`~.team_language`."""
    return numba.int64(_given_bytes()) // 16 // (cuda.blockDim.x // size) * 4  # pyright: ignore[reportCallIssue]


def _in_block(context: Any, builder: Any, kind: Any, memory: Any, index: Any) -> Any:
    """Where an item of an array in the block's memory is, in that memory."""
    data = context.make_array(kind)(context, builder, memory).data
    own = builder.addrspacecast(data, llvm.PointerType(llvm.FloatType(), addrspace=3))
    word = llvm.IntType(32)
    return builder.add(builder.ptrtoint(own, word), builder.mul(builder.trunc(index, word), llvm.Constant(word, 4)))


@intrinsic
def keep_four(typing_context: Any, memory: Any, index: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """See :mod:`~.team_language`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at = _in_block(context, builder, signature.args[0], arguments[0], arguments[1])
        kind = llvm.FunctionType(llvm.VoidType(), [at.type] + [llvm.FloatType()] * 4)
        text = llvm.InlineAsm(kind, "st.shared.v4.f32 [$0], {$1, $2, $3, $4};", "r,f,f,f,f", side_effect=True)
        builder.call(text, [at, *arguments[2:]], attrs=("nounwind",))
        return context.get_dummy_value()

    del typing_context
    return numba.void(memory, numba.int64, *[numba.float32] * 4), emit


_EITHER_FOUR = """{
.reg .pred wanted, kept;
mov.f32 $0, 0f00000000;
mov.f32 $1, 0f00000000;
mov.f32 $2, 0f00000000;
mov.f32 $3, 0f00000000;
setp.ne.u32 wanted, $4, 0;
setp.ne.and.u32 kept, $5, 0, wanted;
@kept ld.shared.v4.f32 {$0, $1, $2, $3}, [$6];
setp.eq.and.u32 kept, $5, 0, wanted;
@kept ld.global.v4.f32 {$0, $1, $2, $3}, [$7];
}"""


@intrinsic
def load_kept_four(typing_context: Any, wanted: Any, kept: Any, memory: Any, place: Any, array: Any, index: Any) -> Any:
    """See :mod:`~.team_language`: two loads, each with a condition of its own; a branch would wait for either."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wanted, kept, memory, place, array, index = arguments
        kinds, word = signature.args, llvm.IntType(32)
        operands = [
            builder.trunc(wanted, word),
            builder.trunc(kept, word),
            _in_block(context, builder, kinds[2], memory, place),
            builder.ptrtoint(_four_at(context, builder, kinds[4], array, index), llvm.IntType(64)),
        ]
        kind = llvm.FunctionType(llvm.LiteralStructType([llvm.FloatType()] * 4), [o.type for o in operands])
        text = llvm.InlineAsm(kind, _EITHER_FOUR, "=&f,=&f,=&f,=&f,r,r,r,l")
        four = builder.call(text, operands, attrs=("nounwind", "readonly"))
        return context.make_tuple(builder, signature.return_type, [builder.extract_value(four, k) for k in range(4)])

    del typing_context
    long = numba.int64
    return numba.types.UniTuple(numba.float32, 4)(long, long, memory, long, array, long), emit
