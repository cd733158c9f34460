"""Runs the text of straight-line programs with NumPy, line by line, for comparison with the systems themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

BINARY: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "bitand": np.bitwise_and, "bitor": np.bitwise_or, "shr": np.right_shift,
    "both": np.logical_and, "any": np.logical_or,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
UNARY: dict[str, Any] = {
    "kept": np.positive,
    "neg": np.negative,
    "not": np.logical_not,
    "sqrt": np.sqrt,
    "fabs": np.abs,
    "floor": np.floor,
}


def run(text: str, arrays: Mapping[int, np.ndarray]) -> None:
    """Run a program in place.

    Args:
        text: as :func:`phalanx.ecs.cuda.straight_line.straight_line` takes it.
        arrays: of each field by number, ``(rows, *item, environments or 1)``.
    """
    head, *classes = text.split("\nclass ")
    real = np.dtype(head.split()[1]).type
    flat = {n: array.reshape(-1, array.shape[-1]) for n, array in arrays.items()}
    for one in classes:
        count, *lines = one.splitlines()
        for part in range(int(count)):
            with np.errstate(all="ignore"):  # lanes of the padding, and ways that are not gone
                _run_part(lines, part, flat, real)


def _run_part(lines: list[str], part: int, flat: dict[int, np.ndarray], real: Any) -> None:
    bases: dict[int, int] = {}
    values: list[Any] = []
    for line in lines:
        name, *words = line.split()
        if name == "base":
            bases[int(words[0])] = int(words[1 + part])
            continue
        kind, *rest = words
        if name == "load":
            field, item = map(int, rest)
            values.append(flat[field][bases.get(field, 0) + item].copy())
        elif name == "store":
            value, field, item = map(int, rest)
            flat[field][bases.get(field, 0) + item] = values[value]
            values.append(None)
        elif name == "const":
            values.append(real(rest[0]) if kind == "r" else int(rest[0]) if kind == "i" else bool(int(rest[0])))
        else:
            given = [values[int(r)] for r in rest]
            if name == "select":
                result = np.where(*given)
            elif name in ("real", "int"):
                result = np.asarray(given[0]).astype(real if name == "real" else np.int32)
            else:
                result = (BINARY.get(name) or UNARY[name])(*given)
            values.append(result)
