"""Parts of buffers that users set by rows and columns, and items in another order, under every array API."""

from __future__ import annotations

import numpy as np
import pytest
from facade.compare import get
from hypothesis import given
from hypothesis import strategies as st

from phalanx.facade.isaaclab.assets.buffers import set_part
from phalanx.facade.isaaclab.assets.frames import to_wxyz, to_xyzw
from phalanx.facade.namespaces import array

CHOSEN = st.one_of(st.none(), st.lists(st.integers(0, 4), min_size=1, max_size=5, unique=True))


@pytest.mark.parametrize("as_arrays", [False, True])
def test_columns_of_rows_are_set(api, device, as_arrays):
    """Lists, runs of numbers among them, and arrays: each chosen column of each chosen row, and nothing else."""

    @given(CHOSEN, CHOSEN)
    def check(rows, columns):
        buffer = array(np.zeros((5, 5)), device, "float32")
        some = [np.arange(5) if each is None else np.array(each) for each in (rows, columns)]
        wanted, value = np.zeros((5, 5)), np.arange(1.0, len(some[0]) * len(some[1]) + 1).reshape(len(some[0]), -1)
        wanted[np.ix_(*some)] = value
        ids = [each if each is None or not as_arrays else array(each, device, "int64") for each in (rows, columns)]
        set_part("who", "what", buffer, array(value, device, "float32"), *ids)
        np.testing.assert_array_equal(get(buffer), wanted)

    check()


@pytest.mark.parametrize("columns", [[4, 5], [5], [-1, 0]])
def test_columns_that_are_not_there_are_refused(api, device, columns):
    buffer = array(np.zeros((2, 5)), device, "float32")
    with pytest.raises(IndexError, match="there is no column"):
        set_part("who", "what", buffer, array(np.ones((2, len(columns))), device, "float32"), None, columns)


def test_quaternions_are_turned_round(api, device):
    pose = array(np.arange(14.0).reshape(2, 7), device, "float32")
    assert get(to_wxyz(pose))[0].tolist() == [0, 1, 2, 6, 3, 4, 5]
    np.testing.assert_array_equal(get(to_xyzw(to_wxyz(pose))), get(pose))
