"""``phalanx bench``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from phalanx.commands.common import UserError, check_output, user_mistakes


@dataclass
class BenchOptions:
    """The options of ``phalanx bench``."""

    names: list[str]
    device: str = "auto"
    json: Path | None = None
    num_envs: tuple[int, ...] = ()
    steps: int | None = None
    repeats: int = 3
    dtype: str = "float32"
    peers: bool = False
    recording: bool = False
    first_step: bool = False
    truth: bool = False
    export: Path | None = None
    show: bool = False


def bench(options: BenchOptions) -> None:
    """Run named benchmarks; all but the families when none is named."""
    check_output(options.json, ".json")
    for flag, values in (
        ("--num-envs", options.num_envs),
        ("--steps", () if options.steps is None else (options.steps,)),
        ("--repeats", (options.repeats,)),
    ):
        if any(value < 1 for value in values):
            raise UserError(f"{flag} must be at least 1, not {min(values)}.")
    if options.export is not None and not options.export.is_dir():
        raise UserError(f"{options.export}: there is no such folder; make it first.")
    with user_mistakes(ValueError, ImportError):
        if options.truth:
            _truth(options)
            return
        from phalanx import bench as benchmarks

        scenes = benchmarks.choose(options.names)
        if options.show:
            print(benchmarks.listing(scenes if options.names else list(benchmarks.SCENES.values())))
            return
        if options.export is not None:
            for path in benchmarks.export(scenes, options.export):
                print(path)
            return
        benchmarks.run(
            options.names,
            options.device,
            options.json,
            num_envs=options.num_envs,
            steps=options.steps,
            repeats=options.repeats,
            dtype=options.dtype,
            peers=options.peers,
            recording=options.recording,
            first_step=options.first_step,
        )


def _truth(options: BenchOptions) -> None:
    """``phalanx bench --truth``: scenes of known motion; most other options mean nothing to them."""
    ignored = {
        "--device": options.device not in ("auto", "cpu"),
        "--steps": options.steps is not None,
        "--dtype": options.dtype != "float32",
        "--recording": options.recording,
        "--first-step": options.first_step,
        "--export": options.export is not None,
    }
    if any(ignored.values()):
        named = ", ".join(name for name, given in ignored.items() if given)
        raise UserError(f"--truth runs on the CPU in both precisions and beside MuJoCo; it takes no {named}.")
    if len(options.num_envs) > 1:
        raise UserError("--truth takes one number of environments.")
    from phalanx.bench import truth

    if options.show:
        for scene in truth.choose(options.names):
            print(f"{scene.name:<16}{scene.scene.doc}")
        return
    envs = options.num_envs[0] if options.num_envs else truth.ENVIRONMENTS
    truth.run(options.names, options.json, envs=envs)
