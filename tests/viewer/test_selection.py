"""Which environments are seen, and where."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.viewer.selection import GRID, ONE, SOME, Selection, grid_offsets, parse_envs


@given(count=st.integers(1, 300), spacing=st.floats(0.1, 10.0))
def test_places_of_a_grid_are_apart_and_about_the_middle(count, spacing):
    places = grid_offsets(count, spacing).astype(float)
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1) + 1e9 * np.eye(count)
    assert count == 1 or apart.min() >= spacing * (1 - 1e-5)
    assert np.abs(places).max() <= spacing * np.sqrt(count) / 2 + 1e-4
    assert np.allclose(0.5 * (places.min(axis=0) + places.max(axis=0)), 0.0, atol=1e-5 * spacing * count)


@given(num=st.integers(1, 5000), env=st.integers(0, 5000), count=st.integers(1, 5000))
def test_grids_stay_within_the_world(num, env, count):
    chosen = Selection(num, GRID, env=env, count=count).envs()
    assert len(chosen) == min(count, num) and chosen.min() >= 0 and chosen.max() < num
    assert np.array_equal(chosen, np.arange(chosen[0], chosen[0] + len(chosen)))


def test_one_and_some():
    assert Selection(10, ONE, env=7).envs().tolist() == [7]
    assert Selection(10, ONE, env=70).envs().tolist() == [9]
    assert Selection(10, ONE, env=7).offsets().tolist() == [[0.0, 0.0, 0.0]]
    assert Selection(10, SOME, some=(9, 3, 40)).envs().tolist() == [9, 3]


@given(st.lists(st.integers(0, 99), min_size=1, unique=True))
def test_lists_of_numbers_are_read(numbers):
    assert parse_envs(", ".join(map(str, numbers)), 100) == tuple(numbers)


def test_ranges_are_read():
    assert parse_envs("0, 5 8-11,5", 12) == (0, 5, 8, 9, 10, 11)


@pytest.mark.parametrize("text", ["", "a", "5-", "-1", "12", "3-12", "4-2", "1.5"])
def test_refuses_what_is_no_list(text):
    with pytest.raises(ValueError, match="environment"):
        parse_envs(text, 12)
