"""One environment alone computes what it does among others, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from phalanx import World
from phalanx.bench.warming import worlds_for


def states(made: World) -> dict[str, np.ndarray]:
    """All state of the first environment."""
    return {key: value[..., 0] for key, value in made.state().items() if getattr(value, "ndim", 0)}


def apart(made: World) -> set[str]:
    """Names of what each environment has for itself."""
    return {
        key for key, value in made.state().items() if getattr(value, "ndim", 0) and value.shape[-1] == made.num_envs
    }


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("scene", ["humanoid", "gripper", "boxes", "soft_lift"])
def test_alone_it_does_what_it_does_among_others(scene: str, dtype: str) -> None:
    for alone, many in zip(
        worlds_for([scene], dtype=dtype, num_envs=1), worlds_for([scene], dtype=dtype, num_envs=5), strict=True
    ):
        own, before = apart(many), states(alone)
        assert len(own) > 5
        for made in (alone, many):
            made.step(60)
        one, first = states(alone), states(many)
        assert any(not np.array_equal(one[key], before[key]) for key in own)
        for key in own:
            np.testing.assert_array_equal(one[key], first[key], err_msg=key)
