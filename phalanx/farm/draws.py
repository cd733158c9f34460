"""Random numbers of episodes: the same whatever shard and worker they are simulated in."""

from __future__ import annotations

import numpy as np

USES = {"joint_pos": 0, "joint_vel": 1, "stiffness": 2, "damping": 3, "friction": 5, "mass": 6}
"""The number by which what can be random draws; a new one gets a new number, or old specs would give other episodes."""

TARGETS, ACTIONS = 4, 7
"""Those of the random policy, for drives and for tasks."""


class Draws:
    """Random numbers of episodes, by Philox (Salmon et al., 2011), with a counter for each use and time.

    Args:
        seed: of the farm.
        episodes: their numbers.
    """

    def __init__(self, seed: int, episodes: range) -> None:
        self._seed, self._episodes = seed, episodes

    def uniform(self, use: int, time: int, size: int) -> np.ndarray:
        """(episodes, size), float64, at least 0 and below 1.

        Args:
            use: number of what they are for.
            time: step of the episode.
            size: how many.
        """
        found = np.empty((len(self._episodes), size))
        for row, episode in enumerate(self._episodes):
            counter = np.array([0, 0, time, use], dtype=np.uint64)  # the lower words count the numbers drawn
            bits = np.random.Philox(key=np.array([self._seed, episode], dtype=np.uint64), counter=counter)
            found[row] = np.random.Generator(bits).random(size)
        return found
