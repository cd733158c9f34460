"""Scratch arrays of an item, and whole arrays handed to helpers."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host

from phalanx.ecs import (
    Component,
    DeclarationError,
    Device,
    Field,
    Store,
    Table,
    function,
    local,
    local_int,
    read,
    system,
    write,
)
from phalanx.ecs.text import codegen

Deck = Table("deck", "decks of cards")
Card = Table("card", "values of cards, the same in all environments")
HAND = 5
ENVS = 70


class Game(Component, table=Deck):
    """A hand and what it is worth."""

    first = Field(dtype="int32", doc="first card")
    sorted = Field(HAND, doc="values in order")
    best = Field(dtype="int32", doc="where the highest was")
    mode = Field(doc="not constant")


class Value(Component, table=Card):
    """Values of cards."""

    value = Field(doc="value", constant=True)


@function
def draw(cards, first, hand, places):
    for i in range(HAND):
        hand[i] = cards[first + i, 0]
        places[i] = i


@function
def sort(hand, places, count):
    """Insertion sort."""
    for i in range(1, count):
        j = i
        while j > 0 and hand[j - 1] > hand[j]:
            hand[j - 1], hand[j] = hand[j], hand[j - 1]
            places[j - 1], places[j] = places[j], places[j - 1]
            j -= 1


@system(over=Deck, phase="sense")
def play(
    i,
    e,
    first=read(Game.first),
    cards=read(Value.value),
    best=write(Game.best),
    ordered=write(Game.sorted),
):
    """Sort a hand in scratch arrays that a helper fills from a whole array."""
    hand = local(HAND)
    places = local_int(2 * HAND)
    draw(cards, first[i, e], hand, places)
    sort(hand, places, HAND)
    for k in range(HAND):
        ordered[i, k, e] = hand[k]
    best[i, e] = places[HAND - 1]


@pytest.mark.parametrize("real", ["float32", "float64"])
def test_each_item_has_its_own_scratch(device: str, real: str) -> None:
    store = Store(ENVS, Device(device), real)
    rng = np.random.default_rng(3)
    store.set_rows(Deck, 4)
    store.set_rows(Card, 30)
    values = rng.normal(size=(30, 1)).astype(real)
    first = rng.integers(0, 30 - HAND, size=(4, ENVS))
    store.set(Value.value, values)
    store.set(Game.first, first)
    store.program([play]).run(1)
    hands = values[first[..., None] + np.arange(HAND), 0]  # (deck, env, card)
    with store.active():  # what runs on the world's stream is waited for
        np.testing.assert_array_equal(host(store.view(Game.sorted)), np.moveaxis(np.sort(hands), -1, 1))
        np.testing.assert_array_equal(host(store.view(Game.best)), hands.argmax(axis=-1))


def test_only_what_never_differs_may_be_handed_over() -> None:
    @system(over=Deck, phase="sense")
    def cheat(i, e, mode=read(Game.mode), best=write(Game.best)):
        best[i, e] = peek(mode, i)

    with pytest.raises(DeclarationError, match=r"cheat, line \d+: mode is used without its indices"):
        codegen.generate(cheat, frozenset(), "float32", "cpu")


@function
def peek(modes, i):
    return modes[i, 0]


def test_the_size_of_scratch_is_known_when_compiling() -> None:
    @system(over=Deck, phase="sense")
    def grow(i, e, best=write(Game.best)):
        hand = local(best[i, e])
        best[i, e] = hand[0]

    with pytest.raises(DeclarationError, match=r"local\(best\[i, _e\]\): the size must be made of whole literals"):
        codegen.generate(grow, frozenset(), "float32", "cpu")
