"""``phalanx farm``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from phalanx.commands.common import Interrupted, UserError, progress_bar, user_mistakes
from phalanx.commands.launching import gpus_here

SHOWN = 10
"""Trials of a sweep that are printed."""


@dataclass(frozen=True)
class FarmOptions:
    """What was asked for."""

    spec: Path
    out: str
    workers: int | None
    gpus: int | Literal["all"] | None
    cores: int
    engine: Literal["ray", "processes"]
    address: str | None
    resume: bool
    estimate: bool
    verify: bool
    sweep: Path | None = None


def farm(o: FarmOptions) -> int:
    """Simulate all episodes of a spec as one dataset; 0."""
    from phalanx.farm import FarmError, Spec, run, verify
    from phalanx.farm.running import estimate

    with user_mistakes(FarmError):
        spec = Spec.read(o.spec)
        gpus = _gpus(o)
        workers = o.workers if o.workers is not None else gpus or max(1, _processors() // max(o.cores, 1))
        if o.sweep is not None and (o.engine != "ray" or o.resume or o.estimate or o.verify):
            raise UserError("--sweep is by Ray Tune; leave --engine, --resume, --estimate and --verify away.")
        if workers < 1:
            raise UserError(f"--workers {workers}: must be at least 1.")
        if o.cores < 1:
            raise UserError(f"--cores {o.cores}: must be at least 1.")
        if o.sweep is not None:
            return _sweep(o, spec, workers, gpus)
        print(f"{o.spec}: {spec.episodes} episodes of {spec.steps} steps; {_estimated(estimate, spec, workers, gpus)}")
        if o.estimate:
            return 0
        bar = progress_bar(spec.shards, "shard", "Farm")

        def show(done: int, total: int, counts: Any) -> None:
            bar.total = total
            bar.set_postfix(lost=counts.lost, failed=counts.failed, refresh=False)
            bar.update(done - bar.n)

        try:
            report = run(
                spec,
                o.out,
                workers=workers,
                gpus=gpus,
                cores=o.cores,
                engine=o.engine,
                address=o.address,
                resume=o.resume,
                progress=show,
                tell=bar.write,
            )
        except KeyboardInterrupt:
            raise Interrupted(f"Interrupted; what was committed is kept: go on with --resume --out {o.out}") from None
        finally:
            bar.close()
        counts = report.counts
        lost = f", {counts.lost} workers lost and replaced" if counts.lost else ""
        kept = f", {report.kept} were there" if report.kept else ""
        print(f"{o.out}: {report.shards} shards in {report.seconds:.3g} s{kept}{lost}; digest {report.digest}")
        if o.verify:
            verify(o.out)
            print("verified: all shards are as they were written")
    return 0


def _sweep(o: FarmOptions, spec: Any, workers: int, gpus: int) -> int:
    from phalanx.farm import Sweep, sweep
    from phalanx.farm.store import FarmStore

    assert o.sweep is not None
    what, store = Sweep.read(o.sweep), FarmStore(o.out)
    store.probe()
    found = sweep(spec, what, workers=workers, gpus=gpus, cores=o.cores, address=o.address)
    store.write(found.describe(), "sweep.json")
    for one in found.trials[:SHOWN]:
        values = ", ".join(f"{name}: {_short(value)}" for name, value in one.values.items())
        print(f"{one.measure:12.6g}  {values}{f'  ({one.error})' if one.error else ''}")
    if len(found.trials) > SHOWN:
        print(f"... and {len(found.trials) - SHOWN} more in {o.out}/sweep.json")
    return 0


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _estimated(estimate: Any, spec: Any, workers: int, gpus: int) -> str:
    return str(estimate(spec, workers, "cuda:0" if gpus and gpus_here() else "cpu"))


def _gpus(o: FarmOptions) -> int:
    """How many are asked for; those of a cluster are Ray's to count."""
    if o.gpus is None:
        return 0
    here = gpus_here()
    if o.gpus == "all":
        if not here:
            raise UserError("--gpus all: this machine has none that can be used.")
        return here
    if o.gpus < 1:
        raise UserError(f"--gpus {o.gpus}: must be at least 1; leave it away to simulate on CPUs.")
    if o.address is None and o.gpus > here:
        raise UserError(f"--gpus {o.gpus}: this machine has {here} that can be used.")
    return o.gpus


def _processors() -> int:
    from phalanx.ecs.cpu.threads import num_processors

    return num_processors()
