"""Systems that can be recorded, and one that cannot, over the twigs of plants that are known when a world is built."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.ecs import Component, Field, Table, function, read, rows, spread, system, update, write
from phalanx.ecs.device import Device
from phalanx.ecs.recorded.grouping import Straightener
from phalanx.ecs.store import Store

Twig = Table("twig", "parts of plants")
Garden = Table("garden", "one row")


class TwigShape(Component, table=Twig):
    """How plants grow."""

    below = Field(dtype="int32", doc="the twig that this one grows on, or -1", constant=True)


class TwigLoad(Component, table=Twig):
    """What twigs carry."""

    own = Field(2, doc="of its own", role="state")
    all = Field(2, doc="with all above it")
    height = Field(doc="of its tip")
    old = Field(dtype="int32", doc="1: old", role="state")


class GardenWeather(Component, table=Garden):
    """What all have in common."""

    wind = Field(doc="speed", role="parameter", shared=True)
    broken = Field(dtype="int32", doc="1: a twig is overloaded")


HEAVY = 3.0


@function
def bent(x, wind):
    """A length in the wind."""
    return x / (1.0 + wind * wind) if wind > 0.25 else x


@system(over=Twig, phase="sense", order="forward")
def grow(i, e, below=read(TwigShape.below), own=read(TwigLoad.own), height=write(TwigLoad.height)):
    """Heights, from the ground up."""
    b = below[i, e]
    height[i, e] = own[i, 0, e]
    if b >= 0:
        height[i, e] += height[b, e]


@system(over=Twig, phase="sense", order="reverse")
def carry(
    i,
    e,
    below=read(TwigShape.below),
    wind=read(GardenWeather.wind),
    old=read(TwigLoad.old),
    own=read(TwigLoad.own),
    height=read(TwigLoad.height),
    all=update(TwigLoad.all),
):
    """Loads, their own and by their height, from the tips down; old twigs without load fall off."""
    all[i, 0, e] += bent(own[i, 0, e], wind[0, e])
    all[i, 1, e] += bent(height[i, e], wind[0, e])
    if old[i, e] == 1 and all[i, 0, e] < 0.0:
        all[i, 0, e] = 0.0
        return
    share, b = 1.0, below[i, e]
    if old[i, e] == 1:
        share = max(min(0.5 * all[i, 1, e], 1.0), -1.0)
    if b >= 0:
        all[b, 0, e] += share * all[i, 0, e]
        all[b, 1, e] -= all[i, 1, e] if i - b > 1 else -all[i, 1, e]


@system(phase="sense", after="carry")
def look(
    lanes,
    count=rows(Twig),
    below=read(TwigShape.below),
    all=read(TwigLoad.all),
    broken=update(GardenWeather.broken),
):
    """Whether any twig that grows on the ground carries too much."""
    for i in spread(count):
        if below[i, 0] < 0:
            for e in lanes:
                if all[i, 0, e] > HEAVY or not (all[i, 1, e] < HEAVY):
                    broken[0, e] = 1


@system(over=Twig, phase="sense")
def climb(i, e, below=read(TwigShape.below), old=read(TwigLoad.old), height=update(TwigLoad.height)):
    """Of no use, but it goes where a number says."""
    for _ in range(old[i, e]):
        height[i, e] += 1.0


@system(over=Twig, phase="sense")
def stretch(i, e, height=update(TwigLoad.height)):
    """Twigs by themselves."""
    height[i, e] = 1.5 * height[i, e] + 0.25


def garden(below: Sequence[int], num_envs: int = 6, dtype: str = "float32", seed: int = 0) -> Store:
    store = Store(num_envs, Device("cpu"), dtype)
    store.set_rows(Twig, len(below))
    store.set_rows(Garden, 1)
    random = np.random.default_rng(seed)
    store[TwigShape].below = np.reshape(below, (-1, 1))
    store[TwigLoad].own = random.normal(0.0, 2.0, (len(below), 2, num_envs))
    store[TwigLoad].old = random.integers(0, 2, (len(below), num_envs))
    store[GardenWeather].wind = random.uniform(0.0, 1.0, (1, num_envs))
    return store


def straightener(store: Store) -> Straightener:
    return Straightener(store.real, store.array, store.rows, store.stride)
