"""The options of commands: what they take, and what help calls it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import tyro

from phalanx.commands.common import UserError

Robot = Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="ROBOT")]
Recording = Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE.zarr")]
Zarr = Annotated[Path | None, tyro.conf.arg(metavar="OUT.zarr", help_behavior_hint="")]
Png = Annotated[Path | None, tyro.conf.arg(metavar="OUT.png", help_behavior_hint="")]
Video = Annotated[Path | None, tyro.conf.arg(metavar="OUT.mp4|OUT.gif", help_behavior_hint="")]
Readings = Annotated[Path | None, tyro.conf.arg(metavar="OUT.zarr|OUT.csv", help_behavior_hint="")]
Sensors = Annotated[tuple[str, ...], tyro.conf.arg(metavar="SENSOR [SENSOR ...]", help_behavior_hint="")]
Envs = Annotated[tuple[int | Literal["all"], ...], tyro.conf.arg(metavar="all|N [N ...]", help_behavior_hint="")]
Place = Annotated[tuple[float, float, float] | None, tyro.conf.arg(metavar="X Y Z", help_behavior_hint="")]
Size = Annotated[tuple[int, int] | None, tyro.conf.arg(metavar="WIDTH HEIGHT|WIDTHxHEIGHT", help_behavior_hint="")]
Target = Annotated[Path | None, tyro.conf.arg(metavar="OUT", help_behavior_hint="")]
Signals = Annotated[tuple[str, ...], tyro.conf.arg(metavar="ACTOR/FIELD [...]", help_behavior_hint="")]
Views = Annotated[tuple[str, ...], tyro.conf.arg(metavar='"NAME [WORD ...]" [...]', help_behavior_hint="")]
Json = Annotated[Path | None, tyro.conf.arg(metavar="OUT.json", help_behavior_hint="")]
Report = Annotated[Path | None, tyro.conf.arg(metavar="OUT.json|-", help_behavior_hint="")]
Gain = Annotated[float | None, tyro.conf.arg(metavar="X", help_behavior_hint="")]
Dt = Annotated[float | Literal["auto"], tyro.conf.arg(metavar="auto|S")]
Followed = Annotated[str | None, tyro.conf.arg(metavar="ROBOT|OBJECT|BODY|none", help_behavior_hint="")]
Key = Annotated[str | None, tyro.conf.arg(metavar="NAME|none", help_behavior_hint="")]
Pace = Annotated[float | Literal["max"], tyro.conf.arg(metavar="X|max")]
Viewed = Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="ROBOT|SCENE|FILE.zarr")]
Page = Annotated[Path | None, tyro.conf.arg(metavar="OUT.html", help_behavior_hint="")]
Height = Annotated[float | Literal["auto"], tyro.conf.arg(metavar="auto|Z")]
Flag = Annotated[bool, tyro.conf.arg(help_behavior_hint="")]
Device = Annotated[str, tyro.conf.arg(metavar="auto|cpu|cuda:N")]
Names = Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[NAME ...]", help_behavior_hint="")]
Warmed = Annotated[
    tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[SCENE|ROBOT ...]", help_behavior_hint="")
]
Script = Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="SCRIPT.py")]
Arguments = Annotated[
    tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[ARGUMENT ...]", help_behavior_hint="")
]
Counts = Annotated[tuple[int, ...], tyro.conf.arg(metavar="N [N ...]", help_behavior_hint="")]
Action = Annotated[tyro.conf.Positional[Literal["list", "build", "fetch"]], tyro.conf.arg(metavar="list|build|fetch")]
Task = Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="TASK")]
SpecFile = Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="SPEC.yaml")]
Checkpoint = Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="CHECKPOINT")]
Resume = Annotated[Path | None, tyro.conf.arg(metavar="CHECKPOINT", help_behavior_hint="")]
Steps = Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")]
Seed = Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")]
Gpus = Annotated[int | Literal["all"] | None, tyro.conf.arg(metavar="N|all", help_behavior_hint="")]
Shell = Annotated[tyro.conf.Positional[Literal["bash", "zsh"]], tyro.conf.arg(metavar="bash|zsh")]
Folder = Annotated[Path | None, tyro.conf.arg(metavar="FOLDER", help_behavior_hint="")]


def environments(env: tuple[int | str, ...]) -> tuple[int, ...]:
    """Numbers of environments; none stands for all."""
    if not env or ("all" in env and len(env) > 1):
        raise UserError("--env must be numbers of environments, or all.")
    return () if "all" in env else tuple(int(one) for one in env)
