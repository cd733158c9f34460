"""Sweeps: a spec's entries over grids and ranges, by Ray Tune; each trial simulates all episodes and is given a number.

A trial keeps nothing but its number: the best one's dataset is made by :func:`phalanx.farm.run` afterwards.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

from phalanx.farm.errors import FarmError
from phalanx.farm.ray_fleet import started
from phalanx.farm.spec import Spec, code, known, read_yaml
from phalanx.farm.work import check, simulation_of

Measure = str | Callable[[Mapping[str, np.ndarray]], float]
ATTEMPTS = 3
"""How often a trial whose process is lost is begun again."""


@dataclass(frozen=True)
class Sweep:
    """What a sweep varies, and by what it judges.

    Attributes:
        over: by entry of the spec, ``"stiffness"`` or ``"world.dt"``, a list, of which each value is tried with all
            others, or ``{"low": a, "high": b}``, with ``"log": true`` if wanted, from which values are drawn.
        measure: what a spec's episodes write, whose mean over all its numbers counts (``"total_reward"``, say), or
            ``"module:function"``, or a function: called with all arrays by name, (episodes, ...), it returns a number.
        goal: whether the largest or the smallest is best.
        samples: how often the lists are gone through, with new values from the ranges.
        seed: of what is drawn.
    """

    over: Mapping[str, Any]
    measure: Measure
    goal: Literal["max", "min"] = "max"
    samples: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.over, Mapping) or not self.over:
            raise FarmError("over: must be entries such as stiffness: [50, 100]")
        for name, values in self.over.items():
            _check_values(str(name), values)
        if not callable(self.measure) and (not isinstance(self.measure, str) or not self.measure):
            raise FarmError("measure: must be the name of what episodes write, or module:function")
        if self.goal not in ("max", "min"):
            raise FarmError(f"goal: {self.goal!r} must be max or min")
        for name, least in (("samples", 1), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise FarmError(f"{name}: {value!r} must be a whole number, at least {least}")

    @staticmethod
    def read(path: str | Path) -> Sweep:
        """A sweep from a file of YAML.

        Raises:
            FarmError: there is none, or it says what cannot be.
        """
        said = read_yaml(path)
        try:
            for name in said:
                known(str(name), [one.name for one in fields(Sweep)], "entry")
            for name in ("over", "measure"):
                if name not in said:
                    raise FarmError(f"{name}: is missing")
            return Sweep(**said)
        except FarmError as error:
            raise FarmError(f"{path}: {error}") from None


@dataclass(frozen=True)
class Trial:
    """What came of one choice of values.

    Attributes:
        values: by entry.
        measure: its number; not a number if it failed.
        error: why it failed, or nothing.
    """

    values: dict[str, Any]
    measure: float
    error: str = ""


@dataclass(frozen=True)
class Swept:
    """What came of a sweep.

    Attributes:
        trials: from the best to the worst; at the end those that failed.
        spec: with the best values.
    """

    trials: tuple[Trial, ...]
    spec: Spec

    @property
    def best(self) -> Trial:
        """The first one."""
        return self.trials[0]

    def describe(self) -> dict[str, Any]:
        """As JSON has it."""
        trials = [
            {"values": one.values, "measure": one.measure if math.isfinite(one.measure) else None, "error": one.error}
            for one in self.trials
        ]
        return {"trials": trials, "spec": self.spec.describe()}


def changed(spec: Spec, values: Mapping[str, Any]) -> Spec:
    """A spec with some entries, or entries of an entry, changed.

    Raises:
        FarmError: there is no such entry, or it cannot have this value.
    """
    said: dict[str, Any] = spec.describe()
    for name, value in values.items():
        entry, _, inner = name.partition(".")
        if inner:
            said[entry] = {**(said.get(entry) or {}), inner: value}
        else:
            said[entry] = value
    return Spec.of(said)


def sweep(
    spec: Spec,
    what: Sweep,
    *,
    workers: int = 1,
    gpus: int = 0,
    cores: int = 1,
    address: str | None = None,
    search: Any = None,
) -> Swept:
    """Try a spec with other values.

    Args:
        spec: of what is simulated.
        what: varies, and by what it is judged.
        workers: trials at a time.
        gpus: GPUs in all; each trial has ``gpus / workers`` of one. 0: on CPUs.
        cores: processors of each trial.
        address: of a Ray cluster; ``None``: one is started on this machine.
        search: one of Ray Tune's search algorithms, which then draws from the ranges; by default they are drawn alike.

    Raises:
        FarmError: it cannot start, or all trials have failed.
    """
    for name, value, least in (("workers", workers, 1), ("gpus", gpus, 0), ("cores", cores, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise FarmError(f"{name}: {value!r} must be a whole number, at least {least}")
    first = changed(spec, {name: _some(values)[0] for name, values in what.over.items()})
    for name, values in what.over.items():
        for value in _some(values):
            changed(spec, {name: value})
    written = check(first, "cpu")
    if isinstance(what.measure, str) and ":" not in what.measure:
        known(what.measure, list(written), "measure")
    elif isinstance(what.measure, str):
        code(what.measure)
    try:
        from ray import tune
        from ray.tune.search.basic_variant import BasicVariantGenerator
    except ImportError as error:
        raise FarmError(f"Sweeps need Ray Tune ({error}): pip install 'phalanx[farm,sweep]'") from None
    with started(workers * cores, address), tempfile.TemporaryDirectory() as folder:
        given = {"spec": spec.describe(), "measure": what.measure, "device": "cuda:0" if gpus else "cpu"}
        resources = {"cpu": cores, "gpu": gpus / workers}
        tuner = tune.Tuner(
            tune.with_resources(tune.with_parameters(_trial, given=given), resources),
            param_space={name: _space(tune, values) for name, values in what.over.items()},
            tune_config=tune.TuneConfig(
                metric="measure",
                mode=what.goal,
                num_samples=what.samples,
                max_concurrent_trials=workers,
                search_alg=search or BasicVariantGenerator(random_state=what.seed, max_concurrent=workers),
            ),
            run_config=tune.RunConfig(
                storage_path=folder,
                verbose=0,
                failure_config=tune.FailureConfig(max_failures=ATTEMPTS),
            ),
        )
        found = [_found(one) for one in tuner.fit()]
    sign = -1.0 if what.goal == "max" else 1.0
    found.sort(key=lambda one: (math.isnan(one.measure), sign * one.measure, str(sorted(one.values.items()))))
    if math.isnan(found[0].measure):
        raise FarmError(f"all {len(found)} trials have failed; the first one: {found[0].error}")
    return Swept(tuple(found), changed(spec, found[0].values))


def measured(spec: Spec, measure: Measure, device: str) -> float:
    """The number of a spec: all its episodes are simulated here.

    Raises:
        FarmError: it is not finite.
    """
    simulation = simulation_of(spec, device)
    shards = [simulation.run(shard) for shard in range(spec.shards)]
    arrays = {name: np.concatenate([one[name] for one in shards]) for name in shards[0]}
    if isinstance(measure, str) and ":" not in measure:
        found = float(np.nanmean(arrays[measure]))
    else:
        function = code(measure) if isinstance(measure, str) else measure
        found = float(function(arrays))
    if not math.isfinite(found):
        raise FarmError(f"measure: {found} is no number by which it can be judged")
    return found


def _trial(values: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """In an actor of Ray."""
    try:
        spec = changed(Spec.of(given["spec"]), values)
        return {"measure": measured(spec, given["measure"], given["device"])}
    except (FarmError, ValueError) as error:  # which would be the same again
        return {"measure": math.nan, "failed": " ".join(str(error).split())}


def _found(one: Any) -> Trial:
    metrics = one.metrics or {}
    error = str(metrics.get("failed", "")) or (" ".join(str(one.error).split())[-300:] if one.error else "")
    return Trial(dict(one.config or {}), float(metrics.get("measure", math.nan)), error)


def _check_values(name: str, values: Any) -> None:
    if isinstance(values, list | tuple) and values:
        return
    if isinstance(values, Mapping) and {"low", "high"} <= values.keys() <= {"low", "high", "log"}:
        low, high = values["low"], values["high"]
        numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (low, high))
        if (
            numbers
            and math.isfinite(low)
            and math.isfinite(high)
            and low < high
            and not (values.get("log") and low <= 0)
        ):
            return
    raise FarmError(f"over: {name}: {values!r} must be a list of values, or low and high (and log: true, above 0)")


def _some(values: Any) -> list[Any]:
    """Values that a trial may have: all of a list, the ends of a range."""
    return [values["low"], values["high"]] if isinstance(values, Mapping) else list(values)


def _space(tune: Any, values: Any) -> Any:
    if not isinstance(values, Mapping):
        return tune.grid_search(list(values))
    draw = tune.loguniform if values.get("log") else tune.uniform
    return draw(float(values["low"]), float(values["high"]))
