"""The command line: ``phalanx info | run | view | replay | export | bench | warmup | exec | tasks | assets | train |
play | farm | doctor | completion``.

Exit codes: 0 success; 1 a verification that found a difference; 2 a mistake of the user's, said in one line; 3 a
simulation of which environments diverged; 130 Ctrl-C. A traceback is a bug of ours; but ``exec`` ends as the script
does that it runs, whose traceback it prints.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import tyro

from phalanx._version import __version__
from phalanx.commands.cli.assets import assets
from phalanx.commands.cli.bench import bench
from phalanx.commands.cli.doctor import doctor
from phalanx.commands.cli.execute import execute
from phalanx.commands.cli.export import export
from phalanx.commands.cli.farm import farm
from phalanx.commands.cli.info import info
from phalanx.commands.cli.options import Shell
from phalanx.commands.cli.play import play
from phalanx.commands.cli.replay import replay
from phalanx.commands.cli.run import run
from phalanx.commands.cli.tasks import tasks
from phalanx.commands.cli.train import train
from phalanx.commands.cli.view import view
from phalanx.commands.cli.warmup import warmup
from phalanx.commands.common import Interrupted, UserError


def completion(shell: Shell) -> int:
    """Print a script by which a shell completes this command line: `source <(phalanx completion bash)`.

    Args:
        shell: bash or zsh.
    """
    from phalanx.commands.completion import script

    print(script(shell, COMMANDS), end="")
    return 0


COMMANDS = {
    "info": info,
    "run": run,
    "view": view,
    "replay": replay,
    "export": export,
    "bench": bench,
    "warmup": warmup,
    "exec": execute,
    "tasks": tasks,
    "assets": assets,
    "train": train,
    "play": play,
    "farm": farm,
    "doctor": doctor,
    "completion": completion,
}
DESCRIPTION = (
    "Steps thousands of robots in lockstep. `phalanx COMMAND --help` lists its options, `phalanx --version` says "
    "which one this is."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except UserError as error:
        print(f"phalanx: {error}", file=sys.stderr)
        return 2
    except (Interrupted, KeyboardInterrupt) as error:
        print(f"\nphalanx: {error if isinstance(error, Interrupted) else 'Interrupted.'}", file=sys.stderr)
        exec("")  # where a text was executed, CPython would end by the signal whatever is returned; this forgets it
        return 130
    except BrokenPipeError:  # `phalanx info x | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _dispatch(arguments: list[str]) -> int:
    if arguments[:1] == ["exec"] and len(arguments) > 1 and arguments[1] not in ("-h", "--help"):
        from phalanx.commands import execute as scripts
        from phalanx.commands.watching import split

        watch, rest = split(arguments[1:])
        if rest:  # all that follows is the script's
            return scripts.execute(rest[0], rest[1:], watch)
    if arguments in (["--version"], ["-V"]):
        print(f"phalanx {__version__}")
        return 0
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            command = tyro.extras.subcommand_cli_from_dict(
                {name: _later(function) for name, function in COMMANDS.items()},
                prog="phalanx",
                description=DESCRIPTION,
                args=_with_sizes_apart(arguments),
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit as end:
        if end.code:
            raise UserError(_one_line(said.getvalue(), arguments)) from None
        return 0
    return command()


def _later(function: Callable[..., int]) -> Callable[..., Callable[[], int]]:
    """Same signature and help, but only remembers the arguments: parsing and running fail differently."""

    @functools.wraps(function)
    def remember(*values: Any, **named: Any) -> Callable[[], int]:
        return functools.partial(function, *values, **named)

    return remember


def _with_sizes_apart(arguments: Sequence[str]) -> list[str]:
    """``--size 1280x720`` as ``--size 1280 720``."""
    apart: list[str] = []
    for before, argument in zip(("", *arguments), arguments, strict=False):
        size = re.fullmatch(r"(\d+)x(\d+)", argument) if before == "--size" else None
        apart += size.groups() if size else [argument]
    return apart


def _one_line(message: str, arguments: list[str]) -> str:
    """What tyro says in a box, in one line."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", message)
    lines = [line.strip(" │|") for line in plain.splitlines()]
    rule = re.compile(r"[─━\-╭╮╰╯┄═ ]*")
    parts: list[list[str]] = [[]]
    for line in lines[1:]:
        if not line or rule.fullmatch(line):
            parts.append([])
        elif not parts[-1] or not parts[-1][0].startswith("Missing from") or len(parts[-1]) < 2:  # or else its help
            parts[-1].append(re.sub(r" \(applied to [^)]*\)", "", line))
    body = next((part for part in parts if part), lines[:1])
    command = f" {arguments[0]}" if arguments and arguments[0] in COMMANDS else ""
    text = " ".join(body).rstrip(".")
    everything = " ".join(lines)
    for pattern, words in (
        (r"Perhaps you meant:[^-]*(--[\w-]+)", "; perhaps you meant "),
        (r"Available subcommands: ([\w, ]+\w)", "; there are "),
    ):
        if (hint := re.search(pattern, everything)) and hint[1] not in arguments:
            text += words + hint[1]
    return f"{text}. See phalanx{command} --help."
