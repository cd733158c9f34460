"""Changes of bytes that were a good file."""

from __future__ import annotations

import re

import numpy as np

ODD = (b"0", b"-1", b"1e308", b"-1e308", b"nan", b"inf", b"1e-320", b"99999999999", b"", b"\xff\xfe", b"a" * 300)
"""What numbers and words are exchanged for."""


def mutate(data: bytes, rng: np.random.Generator) -> bytes:
    """A few changes: bytes, numbers, words, parts doubled, left out, or moved."""
    for _ in range(rng.integers(1, 3)):
        if not data:
            break
        start = int(rng.integers(len(data)))
        end = min(len(data), start + int(rng.integers(1, 60)))
        how = rng.integers(6)
        words = [match.span() for match in re.finditer(rb"[-\w.]+", data)]
        if how == 0:
            data = data[:start] + bytes([data[start] ^ (1 << int(rng.integers(8)))]) + data[start + 1 :]
        elif how == 1:
            data = data[:start] + data[end:]
        elif how == 2:
            data = data[:end] + data[start:end] * int(rng.integers(1, 40)) + data[end:]
        elif how == 3:
            data = data[:start]
        elif words:
            first, last = words[int(rng.integers(len(words)))]
            other = words[int(rng.integers(len(words)))]
            word = ODD[int(rng.integers(len(ODD)))] if how == 4 else data[slice(*other)]
            data = data[:first] + word + data[last:]
    return data
