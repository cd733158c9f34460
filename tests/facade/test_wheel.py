"""Isaac Lab's own packages beside the facade's: where they are found, and which modules serve."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import phalanx
from phalanx.ecs.device import cuda_available

ROOT = str(Path(phalanx.__file__).parents[1])


def run(program: str, *paths: Path, **environment: str) -> list[str]:
    """The lines that a program prints, with folders in front of ``sys.path``."""
    variables = {key: value for key, value in os.environ.items() if key != "ISAACLAB_PATH"}
    front = "".join(f"sys.path.insert(0, {str(path)!r})\n" for path in paths)
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({ROOT!r})\n{front}{program}"],
        capture_output=True, text=True, env={**variables, **environment}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def written(folder: Path, **files: str) -> Path:
    """A source folder with packages: ``{"isaaclab/envs/__init__.py": text}``, where ``_`` is ``/``."""
    for name, text in files.items():
        package, *rest = name.split("__")
        file = folder / package / package / "/".join(rest)
        file = file.with_suffix(".py") if rest else file / "__init__.py"
        if rest and rest[-1] == "":
            file = (folder / package / package).joinpath(*rest[:-1], "__init__.py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


@pytest.fixture
def wheel(tmp_path) -> Path:
    """A folder of packages with a small Isaac Lab in the layout of the wheel."""
    written(
        tmp_path / "isaaclab" / "source",
        isaaclab="raise RuntimeError('the facade has this one')",
        isaaclab__assets__="raise RuntimeError('the facade has this one, too')",
        isaaclab__assets__odd="raise RuntimeError('no file of this package serves')",
        isaaclab__envs__="from isaaclab.envs.base import Env\nfrom .late import LATE",
        isaaclab__envs__base="import isaaclab.envs.late as late\nfrom isaaclab.assets import Articulation\n"
        "class Env:\n    late = late.LATE\n    kind = Articulation",
        isaaclab__envs__late="LATE = 5",
        isaaclab__utils__datasets__="from isaaclab.utils import configclass\nNAME = __name__",
        isaaclab_tasks="import isaaclab.envs as envs\nE = envs.Env",
    )
    (tmp_path / "isaaclab-2.3.2.post1.dist-info").mkdir()
    (tmp_path / "isaaclab-2.3.2.post1.dist-info" / "METADATA").write_text("Name: isaaclab\nVersion: 2.3.2.post1\n")
    return tmp_path


def test_what_the_facade_lacks_comes_from_the_wheel(wheel):
    lines = run(
        """
import phalanx.facade
phalanx.facade.install()
import isaaclab_tasks, isaaclab, isaaclab.envs, omni.isaac.lab.envs as old, omni.isaac.lab_tasks as tasks
from phalanx.facade.isaaclab.assets import Articulation
print(isaaclab.envs.Env.late, isaaclab_tasks.E is isaaclab.envs.Env, old is isaaclab.envs, tasks is isaaclab_tasks)
print(isaaclab.envs.Env.kind is Articulation, isaaclab.__name__, isaaclab.envs.__name__)
from isaaclab.utils.datasets import NAME
from isaaclab.utils import configclass
print(NAME, configclass.__module__)
from phalanx.facade import wheel
print(wheel.source().version, wheel.source().is_spoken)
for name in ("isaaclab.assets.odd", "isaaclab_rl", "isaaclab.nothing"):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error.name, "|", error)
""",
        wheel,
    )
    assert lines[:4] == [
        "5 True True True",
        "True phalanx.facade.isaaclab isaaclab.envs",
        "isaaclab.utils.datasets phalanx.facade.isaaclab.utils.configclass",
        "2.3.2.post1 True",
    ]
    assert lines[4].startswith("isaaclab.assets.odd | ") and "Phalanx's facade has no" in lines[4]
    assert lines[5].startswith("isaaclab_rl | ") and "2.3.2.post1" in lines[5] and "no such module" in lines[5]
    assert lines[6].startswith("isaaclab.nothing | ") and "Phalanx's facade has no" in lines[6]


def test_modules_that_moved_are_found_where_they_were(tmp_path):
    """Wrappers for trainers, robots and NVIDIA's checkpoints lay elsewhere in earlier versions of Isaac Lab."""
    source = tmp_path / "isaaclab" / "source"
    written(
        source,
        isaaclab="",
        isaaclab_tasks="",
        isaaclab_tasks__utils__="TASKS = 1",
        isaaclab_rl="",
        isaaclab_rl__utils__="",
        isaaclab_rl__utils__pretrained_checkpoint="PLACE = __name__",
        isaaclab_rl__rsl_rl__="Wrapper = object()",
        isaaclab_assets="",
        isaaclab_assets__robots__="",
        isaaclab_assets__robots__anymal="DOG = object()",
    )
    lines = run(
        """
import phalanx.facade
phalanx.facade.install()
from isaaclab.utils.pretrained_checkpoint import PLACE
import isaaclab_rl.utils.pretrained_checkpoint as now, omni.isaac.lab.utils.pretrained_checkpoint as older
from omni.isaac.lab_tasks.utils.wrappers.rsl_rl import Wrapper
from isaaclab_tasks.utils.wrappers.rsl_rl import Wrapper as same
from omni.isaac.lab_tasks.utils import TASKS
from omni.isaac.lab_assets.anymal import DOG
import isaaclab_assets.robots.anymal, isaaclab_rl.rsl_rl
print(PLACE, older is now, Wrapper is same is isaaclab_rl.rsl_rl.Wrapper, TASKS)
print(DOG is isaaclab_assets.robots.anymal.DOG)
""",
        tmp_path,
    )
    assert lines == ["isaaclab_rl.utils.pretrained_checkpoint True True 1", "True"]


def test_isaaclab_says_its_version_and_where_it_is(tmp_path):
    source = tmp_path / "isaaclab" / "source"
    written(source, isaaclab="raise RuntimeError('the facade has this one')")
    (source / "isaaclab" / "config").mkdir()
    (source / "isaaclab" / "config" / "extension.toml").write_text('[package]\nversion = "0.54.2"\n')
    program = """
import phalanx.facade
phalanx.facade.install()
from isaaclab import __version__
import isaaclab, os
assert not hasattr(isaaclab, "ISAACLAB_OTHER")
print(isaaclab.ISAACLAB_METADATA["package"]["version"] == __version__, os.path.basename(isaaclab.ISAACLAB_EXT_DIR))
"""
    assert run(program, tmp_path) == ["True isaaclab"]


def test_packages_that_import_each_other_may_be_imported_in_any_order(tmp_path):
    written(
        tmp_path / "isaaclab" / "source",
        isaaclab="",
        isaaclab__managers__="from .action import Action",
        isaaclab__managers__action="from isaaclab.envs.tools import TOOL\nclass Action:\n    tool = TOOL",
        isaaclab__envs__="from . import terms",
        isaaclab__envs__tools="TOOL = 3",
        isaaclab__envs__terms="from isaaclab.managers.action import Action\nclass Term(Action): ...",
    )
    for first, second in (("managers", "envs"), ("envs", "managers")):
        lines = run(
            "import phalanx.facade\nphalanx.facade.install()\n"
            f"import isaaclab.{first}, isaaclab.{second}\nfrom isaaclab.managers import Action\n"
            "same = isaaclab.managers is sys.modules['isaaclab.managers']\n"
            "print(issubclass(isaaclab.envs.terms.Term, Action), same)",
            tmp_path,
        )
        assert lines == ["True True"]


def test_modules_that_need_warp_say_how_to_get_it(tmp_path):
    written(
        tmp_path / "isaaclab" / "source",
        isaaclab="",
        isaaclab__utils__warp__="from .ops import ray",
        isaaclab__utils__warp__ops="import warp as wp\nray = wp",
    )
    lines = run(
        """
import importlib.util
sys.modules["warp"] = None  # it may be installed here
import phalanx.facade
phalanx.facade.install()
try:
    import isaaclab.utils.warp
except ModuleNotFoundError as error:
    print(error, error.name)
del sys.modules["warp"]
sys.path[:] = [path for path in sys.path if "-packages" not in path]
print(importlib.util.find_spec("warp"))
""",
        tmp_path,
    )
    said = "No module named 'warp', which isaaclab.utils.warp.ops of Isaac Lab imports: pip install warp-lang brings it"
    assert lines == [f"{said} warp", "None"]


@pytest.mark.skipif(cuda_available(), reason="there is a GPU to learn on")
def test_without_a_gpu_rsl_rl_learns_on_the_cpu(tmp_path):
    """Scripts name no device for learning, and configurations of tasks are made by subclasses."""
    written(
        tmp_path / "isaaclab" / "source",
        isaaclab="",
        isaaclab_rl="",
        isaaclab_rl__rsl_rl__="from .rl_cfg import *",
        isaaclab_rl__rsl_rl__rl_cfg="from isaaclab.utils import configclass\n"
        "@configclass\nclass RslRlBaseRunnerCfg:\n    seed: int = 42\n    device: str = 'cuda:0'\n"
        "@configclass\nclass RslRlOnPolicyRunnerCfg(RslRlBaseRunnerCfg):\n    save_interval: int = 50\n",
    )
    program = (
        "from phalanx import facade\nfacade.install()\nfrom isaaclab.utils import configclass\n"
        "from isaaclab_rl.rsl_rl import RslRlOnPolicyRunnerCfg\n"
        "@configclass\nclass Cfg(RslRlOnPolicyRunnerCfg):\n    seed: int = 1\n"
        "print(Cfg().device, Cfg(device='cuda:1').device)"
    )
    assert run(program, tmp_path) == ["cpu cuda:1"]


def test_without_the_wheel_one_sentence_says_how_to_get_it():
    lines = run(
        """
import phalanx.facade
from phalanx.facade import wheel
wheel._source = lambda *_: None  # it may be installed here
phalanx.facade.install()
for name in ("isaaclab_tasks", "isaaclab_rl.rsl_rl", "isaaclab_assets"):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error)
import isaaclab.utils.math
"""
    )
    remedy = "it comes with Isaac Lab's wheel, which is not installed: pip install --no-deps isaaclab==2.3.2.post1"
    assert lines == [f"No module named {n!r}: {remedy}" for n in ("isaaclab_tasks", "isaaclab_rl", "isaaclab_assets")]


def test_a_checkout_serves_as_the_wheel_does(wheel, tmp_path):
    checkout = tmp_path / "checkout"
    written(checkout / "source", isaaclab__envs__="WHERE = 'checkout'", isaaclab="")
    (checkout / "VERSION").write_text("2.1.0\n")
    program = """
import phalanx.facade
phalanx.facade.install()
from isaaclab.envs import WHERE
from phalanx.facade import wheel
print(WHERE, wheel.source().version, wheel.source().is_spoken)
"""
    assert run(program, wheel, ISAACLAB_PATH=str(checkout)) == ["checkout 2.1.0 False"]


def test_a_path_that_is_no_checkout_is_told(wheel, tmp_path):
    program = """
import logging
logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s")
import phalanx.facade
phalanx.facade.install()
import isaaclab.envs, isaaclab_tasks
from phalanx.facade import wheel
print(wheel.source().version)
"""
    lines = run(program, wheel, ISAACLAB_PATH=str(tmp_path / "source"))
    assert lines[1:] == ["2.3.2.post1"]
    assert lines[0].startswith("WARNING ISAACLAB_PATH=") and "source' names no checkout" in lines[0]


def test_another_version_is_told_once(wheel):
    (wheel / "isaaclab-2.3.2.post1.dist-info").rename(wheel / "isaaclab-2.2.0.dist-info")
    (wheel / "isaaclab-2.2.0.dist-info" / "METADATA").write_text("Name: isaaclab\nVersion: 2.2.0\n")
    lines = run(
        """
import logging
logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s")
import phalanx.facade
phalanx.facade.install()
import isaaclab.envs, isaaclab_tasks
""",
        wheel,
    )
    assert len(lines) == 1 and lines[0].startswith("WARNING Isaac Lab 2.2.0 in ") and "2.3.2" in lines[0]
    assert "pip install --no-deps isaaclab==2.3.2.post1" in lines[0]
