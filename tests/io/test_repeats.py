"""Shards in which only what repeats is left out: Zarr reads every bit of them, and what repeats takes no room."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import zarr

from phalanx.io.recordings.repeats import can_encode, encode_shard, largest_shard
from phalanx.io.recordings.store import GrowingStore


def held(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Noise that stays for a few samples, with zeros in some environments, and rows that are all the same number."""
    values = rng.normal(size=shape)
    values[1:3], values[4:] = values[0], values[-1]
    values[:, ::3, -1] = 0.0
    values[:, :, 0] = rng.normal(size=(shape[0], 1))
    values[-1, 40:90] = rng.normal(size=(50, *shape[2:]))
    return values


CASES = {
    "noise": lambda rng, shape: rng.normal(size=shape),
    "zeros": lambda rng, shape: np.zeros(shape),
    "nothing but nan": lambda rng, shape: np.full(shape, np.nan),
    "alternating": lambda rng, shape: (
        np.broadcast_to(np.array([[1.0, -2.0] * (shape[1] // 2)]).T, shape[1:]) + np.zeros(shape)
    ),
    "held": held,
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(7, 128, 3), (6, 150, 2), (5, 1000, 21), (1, 4096, 5)], ids=str)
@pytest.mark.parametrize("case", CASES)
def test_every_bit_comes_back(tmp_path: Path, case, shape, dtype):
    """Rows of whole and of broken units; samples of more than LZ4 can look back over; one sample alone."""
    values = CASES[case](np.random.default_rng(8), shape).astype(dtype)
    store = GrowingStore(tmp_path / "s.zarr", {})
    store.add_series("x", shape[1:], dtype, ("time", "env", "joint"), shard_rows=shape[0])
    padded = np.full((shape[0], shape[2], shape[1] + 16), 7.0, dtype)  # as a tape has them
    padded[..., : shape[1]] = np.moveaxis(values, 1, -1)
    store.write("x", 0, np.moveaxis(padded[..., : shape[1]], -1, 1))
    store.write("x", shape[0], values[:1])  # one that is not full, from memory of another order
    store.commit()
    back = np.asarray(zarr.open_array(str(tmp_path / "s.zarr/x"), mode="r")[...])
    assert back.dtype == values.dtype
    assert back.tobytes() == values.tobytes() + values[:1].tobytes()


def test_sizes():
    """What is the same number, or the same as before, costs next to nothing; noise no more than it is."""
    rng, shape = np.random.default_rng(2), (40, 12, 256)

    def size(values: np.ndarray) -> float:
        assert can_encode(values, 256)
        out = np.empty(largest_shard(values, 256), np.uint8)
        return encode_shard(values, 256, out) / math.prod(shape) / 4

    noise = rng.normal(size=shape).astype(np.float32)
    assert 1.0 < size(noise) < 1.015  # a page for the index, and lengths
    constant = np.broadcast_to(noise[:1], shape).copy()
    assert size(constant) < 1 / 40 + 0.01
    half = noise.copy()
    half[:, ::2] = 0.0
    assert 0.5 < size(half) < 0.52


def test_few_environments_are_for_a_general_compressor():
    assert not can_encode(np.zeros((40, 12, 3), np.float32), 3)
    assert not can_encode(np.zeros((40, 12, 256), np.int8), 256)
    assert not can_encode(np.zeros((256, 12, 40), np.float32).T, 256)
