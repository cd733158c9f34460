"""Sides of boxes in wide nodes: never inside of what they are of, and not much outside."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from phalanx.rays.wide_nodes import EMPTY, HIGH, LOW, MIDDLE, WIDTH, WORDS, write_boxes

NUMBERS = st.floats(-1e4, 1e4, width=32, allow_subnormal=False)


def sides(words: np.ndarray, start: int) -> np.ndarray:
    """What rays find of eight sides from a word on: each word moved up for a slot, and as it is for the next."""
    four = words[start : start + 4]
    return np.stack([four << np.uint32(16), four], axis=1).ravel().view(np.float32).astype(float)


def written(box: np.ndarray, padding: float) -> np.ndarray:
    words = np.zeros((1, WORDS), np.uint32)
    filled = box[box[:, 0] <= box[:, 3]]
    whole = np.concatenate([filled[:, :3].min(axis=0), filled[:, 3:].max(axis=0)]).astype(np.float32)
    write_boxes(words, 0, box, whole, padding)
    return words[0]


@given(arrays(np.float32, (WIDTH, 2, 3), elements=NUMBERS), st.sampled_from([0.0, 1e-6, 0.01]))
def test_boxes_are_rounded_outwards(corners: np.ndarray, padding: float) -> None:
    """Whatever the other side of a word adds to its bits; by less than 2^-7 of the way from the middle."""
    box = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    words = written(box, padding)
    middle = words[MIDDLE : MIDDLE + 3].view(np.float32).astype(float)
    for i in range(3):
        low, high = box[:, i].astype(float) - padding - middle[i], box[:, 3 + i].astype(float) + padding - middle[i]
        found_low, found_high = sides(words, LOW[i]), sides(words, HIGH[i])
        assert (found_low <= low).all() and (found_high >= high).all()
        assert (low - found_low <= np.abs(low) / 128 + 1e-37).all()
        assert (found_high - high <= np.abs(high) / 128 + 1e-37).all()


@pytest.mark.parametrize("slot", range(WIDTH))
def test_slots_without_a_child_are_out_of_reach(slot: int) -> None:
    box = np.tile(np.array([-1, -2, -3, 1, 2, 3], np.float32), (WIDTH, 1))
    box[slot] = [np.inf] * 3 + [-np.inf] * 3
    words = written(box, 0.0)
    far = np.array([EMPTY << 16], np.uint32).view(np.float32)[0]
    for i in range(3):
        low, high = sides(words, LOW[i]), sides(words, HIGH[i])
        assert low[slot] >= far and high[slot] <= -far
        others = np.arange(WIDTH) != slot
        assert (low[others] <= -1 - i).all() and (high[others] >= 1 + i).all()
