"""What ``phalanx exec`` takes."""

from __future__ import annotations

from phalanx.commands.cli.options import Arguments, Flag, Script


def execute(script: Script, args: Arguments = (), view: Flag = False, host: str = "127.0.0.1", port: int = 8080) -> int:
    """Run a script written for Isaac Lab, as `python SCRIPT ...` would, with the modules that it imports.

    Args:
        script: a Python file.
        args: what the script is given; all that follows its name. Options of this command come before it.
        view: show its worlds in the browser, in real time; it starts when someone looks. Needs the extra viewer.
        host: address at which the viewer listens; on others than this machine's own it asks for a token.
        port: where the viewer listens; 0 is any port that is free.
    """
    from phalanx.commands.execute import execute
    from phalanx.commands.watching import Watch

    return execute(script, args, Watch(host, port) if view else None)
