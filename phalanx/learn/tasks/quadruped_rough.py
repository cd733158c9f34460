"""The quadruped walks over rough ground, which gets harder for those that do well."""

from __future__ import annotations

import torch

from phalanx.learn.declare import observation, randomisation, termination
from phalanx.learn.rotations import from_yaw, rotate, yaw_of
from phalanx.learn.rows import row_norm
from phalanx.learn.tasks.quadruped import QuadrupedFlat
from phalanx.learn.terrain import TILE, Terrain
from phalanx.world.world import World

LEVELS = 8
FIRST_LEVELS = 3
"""Levels among which environments begin."""
SCAN = ([-0.5 + 0.1 * i for i in range(11)], [-0.3 + 0.1 * j for j in range(7)])
"""m ahead of the trunk and to its left, of the heights that it knows."""
ABOVE = 0.3
"""m: height of the trunk over level ground."""


class QuadrupedRough(QuadrupedFlat):
    """On hills, stairs, waves and rubble; the heights around are observed, as a map would give them."""

    weights = {"leans": -0.5, "bounces": -1.0, "stands_still": -0.05, "stumbles": -0.5}  # noqa: RUF012

    def add_terrain(self, world: World) -> None:
        """One height field for all environments."""
        self.terrain = Terrain(LEVELS, seed=0, device=world.device)
        world.add_rigid_object(self.terrain.shape, "terrain", kind="static", friction=1.0)

    def prepare(self) -> None:
        """Each environment has a level, and a kind of ground for good."""
        super().prepare()
        self.kind = self.envs % self.terrain.columns
        self.level = (self.envs // self.terrain.columns) % FIRST_LEVELS
        self.begin, self.walked = self.buffer(2), self.buffer()
        self.edge = self.terrain.half - 0.5
        points = [(x, y, 0.0) for x in SCAN[0] for y in SCAN[1]]
        self.scan = self.tensor(points)

    @observation(scale=5.0, noise=0.02)
    def heights(self) -> torch.Tensor:
        """How much lower than expected the ground is, m, on a grid that turns with the trunk."""
        pose = self.dog.root_pose
        turned = rotate(from_yaw(yaw_of(pose[:, 3:]))[:, None], self.scan[None])
        ground = self.terrain.height(pose[:, None, :2] + turned[..., :2])
        return (pose[:, 2:3] - ABOVE - ground).clamp(-0.4, 0.4)

    @termination
    def at_the_edge(self) -> torch.Tensor:
        """Half a metre from the end of the ground; also notes how far the robot has come."""
        place = self.dog.root_pos[:, :2]
        self.walked.copy_(row_norm(place - self.begin))
        return (place.abs() > self.edge).any(dim=1)

    @randomisation()
    def start(self, chosen: torch.Tensor) -> None:
        """In the middle of a tile, of a harder one if the last was crossed, of an easier one if it hardly moved."""
        asked = row_norm(self.command[:, :2]) * self.episode_seconds
        up = (self.walked > 0.45 * TILE).to(torch.int64)
        down = ((self.walked < 0.4 * asked) & (up == 0)).to(torch.int64)
        level = self.level + up - down
        anywhere = self.random.uniform(0.0, LEVELS, 1)[:, 0].to(torch.int64)
        level = torch.where(level >= LEVELS, anywhere, level.clamp(min=0))  # who can do all of them begins anywhere
        self.level.copy_(torch.where(chosen, level, self.level))
        super().start(chosen)
        middle = self.terrain.middles[self.level, self.kind]
        place = middle[:, :2] + self.random.uniform(-0.4, 0.4, 2)
        height = self.terrain.height(place)[:, None] + self.dog.root_pos[:, 2:]
        where = torch.cat((place, height), dim=1)
        self.dog.root_pos.copy_(torch.where(chosen[:, None], where, self.dog.root_pos))
        self.begin.copy_(torch.where(chosen[:, None], place, self.begin))
