"""``phalanx exec``: scripts run as Python would run them, with the facade's modules to import."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from phalanx.commands.execute import _print

SCRIPT = """\
import sys
import beside
from isaaclab.app import AppLauncher
import isaaclab.utils.math as there
import phalanx.facade.isaaclab.utils.math as here

print(__name__, __file__, sys.argv, beside.NAME, there is here, sys.modules["__main__"].__file__ == __file__)

def fail():
    raise ValueError("so it ends")

if "--raise" in sys.argv:
    fail()
if "--exit" in sys.argv:
    sys.exit(3)
if "--say" in sys.argv:
    sys.exit("no more")
if "--stop" in sys.argv:
    raise KeyboardInterrupt
"""


def execute(folder: Path, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """What came of it; ``path`` is put before PYTHONPATH."""
    paths = os.pathsep.join(one for one in (path, os.environ.get("PYTHONPATH", "")) if one)
    return subprocess.run(
        [sys.executable, "-m", "phalanx", "exec", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_folders_where_it_is_run_hide_no_packages(tmp_path: Path) -> None:
    """As with ``python scripts/main.py``: a checkout in the current folder is not what a name stands for."""
    for folder, name in (("scripts", "main.py"), ("installed/gadget", "__init__.py"), ("gadget", "__init__.py")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / name).write_text(f"NAME = {folder!r}\n")
    (tmp_path / "scripts" / "main.py").write_text("import gadget\nprint(gadget.NAME)\n")
    done = execute(tmp_path, "scripts/main.py", path=str(tmp_path / "installed"))
    assert (done.returncode, done.stdout) == (0, "installed/gadget\n"), done.stderr


def test_it_is_the_main_program(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "beside.py").write_text("NAME = 'a module beside it'\n")
    (tmp_path / "scripts" / "main.py").write_text(SCRIPT)
    name = "scripts/main.py"
    done = execute(tmp_path, name, "--num_envs", "4", "--help")
    assert done.returncode == 0, done.stderr
    argv = [name, "--num_envs", "4", "--help"]
    assert done.stdout == f"__main__ {name} {argv} a module beside it True True\n"
    failed = execute(tmp_path, name, "--raise")
    lines = failed.stderr.splitlines()
    assert failed.returncode == 1 and failed.stdout.startswith("__main__")
    assert lines[0] == "Traceback (most recent call last):" and name in lines[1] and "<module>" in lines[1]
    assert lines[-1] == "ValueError: so it ends" and "phalanx" not in "".join(lines[1:])
    stopped = execute(tmp_path, name, "--stop")
    assert stopped.returncode == 130 and stopped.stderr.splitlines()[-1] == "KeyboardInterrupt"


def test_packages_that_scripts_lack_are_named_with_how_to_get_them(capsys: pytest.CaptureFixture[str]) -> None:
    """As Isaac Lab's train.py imports its trainer, or asks which version of it there is."""
    for error in (
        ModuleNotFoundError("No module named 'skrl.utils'", name="skrl.utils"),
        PackageNotFoundError("rsl-rl-lib"),
        ModuleNotFoundError("No module named 'mine'", name="mine"),
    ):
        _print(error)
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("phalanx: ")]
    assert [line.partition(" brings")[0] for line in said] == [
        "phalanx: pip install 'phalanx[skrl]'",
        "phalanx: pip install 'phalanx[learn]'",
    ]


@pytest.mark.slow
def test_it_ends_as_the_program_ends(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("NAME = 'a module beside it'\n")
    (tmp_path / "main.py").write_text(SCRIPT)
    assert execute(tmp_path, "main.py", "--exit").returncode == 3
    said = execute(tmp_path, "main.py", "--say")
    assert (said.returncode, said.stderr) == (1, "no more\n")


def test_mistakes_are_told(tmp_path: Path) -> None:
    missing = execute(tmp_path, "nope.py", "--steps", "3")
    assert missing.returncode == 2 and missing.stdout == ""
    assert missing.stderr.startswith("phalanx: nope.py: there is no such file; give the path")
    folder = execute(tmp_path, str(tmp_path))
    assert folder.returncode == 2 and "is a folder without a __main__.py" in folder.stderr
    (tmp_path / "wrong.py").write_text("print('never')\nif\n")
    wrong = execute(tmp_path, "wrong.py")
    assert wrong.returncode == 1 and wrong.stdout == "" and "SyntaxError" in wrong.stderr
    none = execute(tmp_path)
    assert none.returncode == 2 and "SCRIPT.py" in none.stderr
