"""Farms: many episodes, simulated by many processes on one machine or on a Ray cluster, written as one dataset.

>>> from phalanx import farm
>>> spec = farm.Spec.read("arm.yaml")  # doctest: +SKIP
>>> farm.run(spec, "s3://bucket/arm", workers=64)  # doctest: +SKIP
>>> farm.open_dataset("s3://bucket/arm").joint_pos.mean("episode").compute()  # doctest: +SKIP

A spec says which world, how many episodes and steps, what is random, and which policy acts. Its episodes are cut into
shards. Workers write shards, each a Zarr group of its own; a shard counts once the coordinator has committed it. So a
worker, a node or the coordinator may be killed at any time: what was committed stays, and nothing is there twice.
Where things are: :mod:`~phalanx.farm.spec`, :mod:`~phalanx.farm.scheduler` (who does what next, without processes or
clocks), :mod:`~phalanx.farm.fleet` and :mod:`~phalanx.farm.ray_fleet` (workers), :mod:`~phalanx.farm.store` (shards and
commits), :mod:`~phalanx.farm.work` (a shard's simulation), :mod:`~phalanx.farm.dataset` (reading),
:mod:`~phalanx.farm.sweeping` (other values, by Ray Tune).
"""

from __future__ import annotations

from phalanx.farm.dataset import open_dataset, verify
from phalanx.farm.errors import FarmError
from phalanx.farm.running import run
from phalanx.farm.spec import Spec
from phalanx.farm.sweeping import Sweep, sweep

__all__ = ["FarmError", "Spec", "Sweep", "open_dataset", "run", "sweep", "verify"]
