"""What blocks of environments are padded with on CPUs: lanes that have loops of their own leave it out."""

from __future__ import annotations

import numpy as np

import phalanx as px
from phalanx.components import CandidateCount, ContactCount
from phalanx.ecs import Component, Field, Table, function, read, rows, system, update, write
from phalanx.ecs.cache.modules import Target
from phalanx.ecs.device import Device
from phalanx.ecs.store import Store
from phalanx.ecs.text.codegen import generate
from phalanx.models.robot_model import Shape

Jar = Table("jar", "jars on a shelf")
NUM_ENVS = 3
FIXED = 4


class Sweets(Component, table=Jar):
    """What is in a jar."""

    count = Field(dtype="int32", doc="how many")
    weight = Field(doc="of one")
    total = Field(doc="of all")


@system(phase="sense")
def weigh(lanes, jars=rows(Jar), count=read(Sweets.count), weight=read(Sweets.weight), total=write(Sweets.total)):
    """Each lane has a loop of its own turns."""
    for e in lanes:
        for j in range(jars):
            mass = 0.0
            for _ in range(count[j, e]):
                mass += weight[j, e]
            total[j, e] = mass


@function
def taken(count):
    """A loop in a helper."""
    left = count
    while left > 9:
        left -= 10
    return left


@system(over=Jar, phase="sense")
def take(j, e, count=update(Sweets.count)):
    """The same by a helper."""
    count[j, e] = taken(count[j, e])


@system(over=Jar, phase="sense")
def double(j, e, weight=update(Sweets.weight)):
    """Lanes do the same side by side."""
    for _ in range(FIXED):
        weight[j, e] *= 2.0


@system(phase="sense")
def double_again(lanes, jars=rows(Jar), weight=update(Sweets.weight)):
    """Loops over lanes within the one that all have in common."""
    for j in range(jars):
        for e in lanes:
            weight[j, e] *= 2.0


def test_lanes_with_loops_of_their_own_leave_padding_out() -> None:
    store = Store(NUM_ENVS, Device("cpu"), "float32")
    store.set_rows(Jar, 2)
    store[Sweets].count = np.array([[11, 12, 13], [21, 2, 3]])
    store[Sweets].weight = 1.0
    store.program([weigh, take, double, double_again]).run()
    counts, weights, totals = (store.array(f) for f in (Sweets.count, Sweets.weight, Sweets.total))
    assert totals[:, :NUM_ENVS].tolist() == [[11, 12, 13], [21, 2, 3]]
    assert counts[:, :NUM_ENVS].tolist() == [[1, 2, 3], [1, 2, 3]]
    assert (totals[:, NUM_ENVS:] == 0).all() and (counts[:, NUM_ENVS:] == [[13], [3]]).all(), "as it was"
    assert (weights == 32).all(), "vectors are whole"


def test_only_their_loops_end_earlier() -> None:
    def ends(target: Target) -> list[bool]:
        texts = [generate(one, frozenset(), "float32", target).source for one in (weigh, take, double, double_again)]
        return ["range(_low, _end)" in text for text in texts]

    assert ends("cpu") == [True, True, False, False]
    assert not any(ends("cuda"))


def test_nothing_touches_in_padding() -> None:
    """Boxes begin far apart. Padding's lie in each other, and took a step 200 times as long as the boxes'."""
    world = px.World(num_envs=NUM_ENVS, gravity=(0.0, 0.0, 0.0))
    for n in range(4):
        world.add_rigid_object(Shape("box", (0.1, 0.1, 0.1)), f"box{n}", position=(3.0 * n, 0.0, 0.0))
    world.build()
    world.objects["box1"].set_root_state(pose=np.array([[0.15, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]), env_ids=[1])
    world.step()
    store = world.engine.store
    assert store.array(CandidateCount.current)[0].tolist() == [0, 1, 0] + [0] * (store.stride - NUM_ENVS)
    found = store.array(ContactCount.current)[0]
    assert found[1] > 0 and found.sum() == found[1]
