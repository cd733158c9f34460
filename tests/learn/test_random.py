"""Random numbers against the hash written out in NumPy, and what they must not depend on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[torch]')")

from phalanx.learn.random import PLACES, Random  # noqa: E402

CPU = torch.device("cpu")


def _hash(value: int) -> int:
    x = value % 2**32
    x = (x ^ (x >> 16)) * 0x7FEB352D % 2**32
    x = (x ^ (x >> 15)) * 0x846CA68B % 2**32
    return x ^ (x >> 16)


def _wide(value: int) -> int:
    x = value % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


@pytest.mark.parametrize(("seed", "first"), [(77, 0), (2**64 - 3, 0), (0, 123_456_789)])
def test_numbers_are_the_hash_of_seed_environment_step_and_place(seed: int, first: int) -> None:
    random = Random(5, seed, CPU, first)
    random.advance()
    random.start(3)
    found = random.uniform(-1.0, 1.0, 4).numpy()
    for env in range(5):
        key = _wide(_wide(_wide(seed) + first + env) ^ _wide(1))
        bits = [_hash(_hash(key + _hash(3 * PLACES + place)) + (key >> 32)) for place in range(4)]
        expected = [-1.0 + 2.0 * (b >> 8) / 2.0**24 for b in bits]
        np.testing.assert_allclose(found[env], expected, rtol=0, atol=1e-7)


def test_an_environment_draws_the_same_alone_as_among_others() -> None:
    alone, many = Random(1, 5, CPU), Random(1000, 5, CPU)
    for random in (alone, many):
        random.advance()
        random.start(1)
    assert torch.equal(alone.uniform(0.0, 1.0, 7), many.uniform(0.0, 1.0, 7)[:1])
    assert torch.equal(alone.normal(0.0, 1.0, 7), many.normal(0.0, 1.0, 7)[:1])


def test_an_environment_draws_the_same_in_another_process() -> None:
    whole, part = Random(100, 5, CPU), Random(30, 5, CPU, first_env=70)
    for random in (whole, part):
        random.advance()
        random.start(1)
    assert torch.equal(whole.uniform(0.0, 1.0, 7)[70:], part.uniform(0.0, 1.0, 7))


def test_no_environment_follows_another_one_some_steps_later() -> None:
    """With keys of 32 bits some five of these would be the same as others."""
    random, seen = Random(5000, 3, CPU), set()
    for _ in range(40):
        random.advance()
        random.start(0)
        seen |= set(map(tuple, random.uniform(0.0, 1.0, 3).tolist()))
    assert len(seen) == 200_000


def test_what_is_drawn_all_at_once_is_the_same() -> None:
    def drawn(random: Random) -> Any:
        random.advance()
        random.start(2)
        first = random.uniform(-3.0, 1.0, 5)
        random.start(7)
        return torch.cat((first, random.uniform(0.0, 1.0, 2), random.normal(0.0, 1.0, 3)), dim=1)

    gathered, one_by_one = Random(9, 3, CPU), Random(9, 3, CPU)
    for n in range(4):
        assert torch.equal(drawn(gathered), drawn(one_by_one))
        if n == 1:
            gathered.gather()
    for random in (gathered, one_by_one):
        random.seed(11)
    assert torch.equal(drawn(gathered), drawn(one_by_one))
    gathered.start(8)
    one_by_one.start(8)
    assert torch.equal(gathered.uniform(0.0, 1.0, 2), one_by_one.uniform(0.0, 1.0, 2))  # not drawn before


def test_distributions() -> None:
    random = Random(20_000, 1, CPU)
    random.start(0)
    uniform = random.uniform(2.0, 4.0, 5).double()
    normal = random.normal(1.0, 3.0, 5).double()
    count = uniform.numel()
    assert uniform.min() >= 2.0 and uniform.max() < 4.0
    # five standard errors of mean and variance
    assert abs(uniform.mean() - 3.0) < 5 * np.sqrt(4.0 / 12.0 / count)
    assert abs(uniform.var() - 4.0 / 12.0) < 5 * (4.0 / 12.0) * np.sqrt(0.8 / count)
    assert abs(normal.mean() - 1.0) < 5 * 3.0 / np.sqrt(count)
    assert abs(normal.var() - 9.0) < 5 * 9.0 * np.sqrt(2.0 / count)
    columns = np.corrcoef(uniform.numpy().T)
    assert np.abs(columns - np.eye(5)).max() < 5 / np.sqrt(20_000)


def test_steps_and_seeds_differ_and_can_be_resumed() -> None:
    random = Random(64, 1, CPU)
    drawn = []
    for _ in range(3):
        random.advance()
        random.start(0)
        drawn.append(random.uniform(0.0, 1.0, 2))
    assert not torch.equal(drawn[0], drawn[1])
    state = random.state
    other = Random(64, 1, CPU)
    other.resume(state - 1)
    other.start(0)
    assert torch.equal(other.uniform(0.0, 1.0, 2), drawn[1])
    random.seed(2)
    random.advance()
    random.start(0)
    assert not torch.equal(random.uniform(0.0, 1.0, 2), drawn[0])
