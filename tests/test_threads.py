"""A world is used by one thread at a time, and says so; it is not pickled, and says what to do instead."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest

import phalanx as px


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    world = px.World(2, device)
    world.add_robot("cartpole")
    world.step()
    return world


def errors_while_stepping(world: px.World, calls: list[Callable[[], Any]]) -> list[BaseException | None]:
    """What calls of another thread raise while this one is within a step."""
    found: list[BaseException | None] = []

    def other() -> None:
        for call in calls:
            try:
                call()
                found.append(None)
            except Exception as error:
                found.append(error)

    def within_a_step(_world: px.World) -> None:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    remove = world.after_step(within_a_step)
    world.step()
    remove()
    return found


def test_a_second_thread_gets_an_error(world: px.World) -> None:
    count = world.step_count
    for error in errors_while_stepping(world, [world.step, lambda: world.step(10), world.time_systems]):
        assert isinstance(error, RuntimeError), error
        assert "this world is being stepped by another thread; step it from one thread at a time" in str(error)
    assert world.step_count == count + 1, "only this thread's step"


def test_threads_that_step_at_random_moments(world: px.World) -> None:
    """Every step is counted, or refused; none gets lost."""
    count, done, refused = world.step_count, [], []

    def run() -> None:
        for _ in range(200):
            try:
                world.step()
                done.append(1)
            except RuntimeError:
                refused.append(1)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) + len(refused) == 800
    assert world.step_count == count + len(done)


def test_who_holds_the_lock_may_read_and_write(world: px.World) -> None:
    state = world.state()

    def other() -> None:
        with world.lock:
            world.set_state(world.state())

    assert errors_while_stepping(world, [other, world.state]) == [None, None]
    world.set_state(state)


def test_worlds_of_their_own_may_be_stepped_at_once(world: px.World) -> None:
    other = px.World(2, world.device)
    other.add_robot("cartpole")
    assert errors_while_stepping(world, [other.step]) == [None]


def test_one_after_the_other_is_fine(world: px.World) -> None:
    count = world.step_count
    threads = [threading.Thread(target=world.step) for _ in range(3)]
    for thread in threads:
        thread.start()
        thread.join()
    assert world.step_count == count + 3


def test_callbacks_may_use_the_world(world: px.World) -> None:
    """Calls within calls of one thread."""
    found = []
    remove = world.after_step(lambda w: found.append(w.state()["step_count"]))
    world.step(2)
    remove()
    assert len(found) == 2


def test_an_error_within_a_step_leaves_the_world_free(world: px.World) -> None:
    def fail(_world: px.World) -> None:
        raise ZeroDivisionError

    remove = world.after_step(fail)
    with pytest.raises(ZeroDivisionError):
        world.step()
    remove()
    thread = threading.Thread(target=world.step)
    count = world.step_count
    thread.start()
    thread.join()
    assert world.step_count == count + 1


@pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy], ids=lambda f: f.__name__)
def test_pickling_says_what_to_do(world: px.World, take: Callable[[Any], Any]) -> None:
    for thing in (world, world.robots["robot"]) if take is not copy.copy else (world,):
        with pytest.raises(TypeError, match=r"cannot be pickled or copied; World\.save\(path\) and World\.load"):
            take(thing)
