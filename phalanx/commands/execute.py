"""``phalanx exec``: scripts written for Isaac Lab, as they are."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from phalanx.commands.common import UserError
from phalanx.commands.watching import Watch, showing_stages

EXTRAS = {
    "torch": "torch",
    "pxr": "isaac",
    **dict.fromkeys(("gymnasium", "toml", "prettytable", "hid", "h5py", "cv2", "hydra", "packaging"), "isaaclab"),
    **dict.fromkeys(("rsl_rl", "rsl-rl-lib", "tensorboard"), "learn"),
    "skrl": "skrl",
    **dict.fromkeys(("stable_baselines3", "stable-baselines3"), "sb3"),
}
"""What scripts of Isaac Lab import or look for, and which extra brings it."""


def execute(script: str, arguments: Sequence[str], watch: Watch | None = None) -> int:
    """Run a script as ``python script arguments ...`` would, with the facade's names to import.

    Args:
        script: a Python file, or a folder or zip archive with a ``__main__.py``.
        arguments: its ``sys.argv[1:]``.
        watch: where its worlds are shown in the browser.

    Returns:
        0, or 1 if it raised and 130 if Ctrl-C ended it; the traceback is printed then.

    Raises:
        SystemExit: the script ends by it.
        UserError: there is no such script.
    """
    path = Path(script)
    if not path.exists():
        raise UserError(f"{script}: there is no such file; give the path of a script from here, {os.getcwd()}.")
    if path.is_dir() and not (path / "__main__.py").is_file():
        raise UserError(f"{script}: is a folder without a __main__.py; give a Python script.")
    from phalanx import facade

    facade.install()
    sys.excepthook = sys.__excepthook__  # what is uncaught is the script's from here on
    sys.argv = [script, *arguments]
    started = getattr(sys.modules["__main__"], "__spec__", None)
    if started is not None and started.name == "phalanx.__main__" and sys.path[0] == os.getcwd():
        del sys.path[0]  # "python -m" put it there; folders beside the script's are not to hide installed packages
    if path.is_file():
        sys.path.insert(0, str(path.resolve().parent))
    try:
        with showing_stages(watch):
            runpy.run_path(script, run_name="__main__")
    except SystemExit:
        raise
    except KeyboardInterrupt as error:
        _print(error)
        return 130
    except UserError:  # of the viewer
        raise
    except BaseException as error:
        _print(error)
        return 1
    return 0


def _print(error: BaseException) -> None:
    """The traceback from the script on, or all of it where an own hook is to print it."""
    found: TracebackType | None = error.__traceback__
    while found is not None and _is_ours(found):
        found = found.tb_next
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in EXTRAS:
        extra = EXTRAS[str(error.name).partition(".")[0]]
        error.add_note(f"phalanx: pip install 'phalanx[{extra}]' brings it; phalanx doctor says what else is missing.")
    sys.stdout.flush()
    if sys.excepthook is sys.__excepthook__:
        traceback.print_exception(type(error), error, found)
    else:
        sys.excepthook(type(error), error, found)


def _is_ours(found: TracebackType) -> bool:
    name = found.tb_frame.f_code.co_filename
    return name == __file__ or name == "<frozen runpy>" or name == runpy.__file__
