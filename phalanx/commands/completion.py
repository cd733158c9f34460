"""``phalanx completion``: a script by which a shell completes commands, options and what they take."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal

from tyro.conf import Positional

DEVICES = ("auto", "cpu", "cuda", "gpu")
SHELLS = ("bash", "zsh")


def script(shell: str, commands: Mapping[str, Callable[..., int]]) -> str:
    """The script for a shell: what options there are, and what they take, is written into it.

    Args:
        shell: ``"bash"``, or ``"zsh"``, which reads the same after its own ``bashcompinit``.
        commands: by name; their signatures say what they take.
    """
    cases = "\n".join(f"    {name})\n{_case(name, function)}\n      ;;" for name, function in commands.items())
    head = "autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    return f"""# Completion of phalanx: source <(phalanx completion {shell})
{head}_phalanx() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local options= first= values= i places=0
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W "{" ".join(commands)} --help --version" -- "$word"))
    return
  fi
  case "$command" in
{cases}
    *) return ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options --help" -- "$word"))
  elif [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  elif [[ $before != --* ]]; then
    for (( i = 2; i < COMP_CWORD; i++ )); do
      [[ ${{COMP_WORDS[i]}} == -* ]] && places=9
      places=$(( places + 1 ))
    done
    (( places == 0 )) && COMPREPLY=($(compgen -W "$first" -- "$word"))
  fi
}}
complete -o bashdefault -o default -F _phalanx phalanx
"""


def _case(name: str, function: Callable[..., int]) -> str:
    """What is known of a command: its options, words that its first argument may be, values after its options."""
    hints = typing.get_type_hints(function, include_extras=True)
    options, values, first = [], [], _first(name)
    for parameter in inspect.signature(function).parameters:
        kind = hints[parameter]
        if _positional(kind):
            continue
        flag = "--" + parameter.rstrip("_").replace("_", "-")
        options.append(flag)
        words = DEVICES if parameter == "device" else _choices(kind)
        if words:
            values.append(f'        {flag}) values="{" ".join(words)}" ;;')
    lines = [f'      options="{" ".join(options)}"', f'      first="{" ".join(first)}"']
    if values:
        lines += ['      case "$before" in', *values, "      esac"]
    return "\n".join(lines)


def _first(command: str) -> tuple[str, ...]:
    """Words that the first argument of a command may be, files apart."""
    if command in ("info", "run", "view"):
        from phalanx.io.formats import library

        return tuple(library.names())
    if command in ("train", "play"):
        return ("cartpole", "ant", "quadruped-flat", "quadruped-rough", "arm-reach", "cube-lift")
    if command == "bench":
        from phalanx.bench import NAMES

        return NAMES
    return {"assets": ("list", "build", "fetch"), "completion": SHELLS}.get(command, ())


def _positional(kind: Any) -> bool:
    """Whether an argument is given without a flag."""
    marks = typing.get_args(Positional[str])[1:]
    return any(mark in marks for mark in getattr(kind, "__metadata__", ()))


def _choices(kind: Any) -> list[str]:
    """Words that an option may be."""
    if typing.get_origin(kind) is Literal:
        return [str(one) for one in typing.get_args(kind)]
    return [word for part in typing.get_args(kind) for word in _choices(part)]
