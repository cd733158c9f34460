"""``python hostile_runs.py FOLDER`` loads all hostile files.

It prints, as JSON, what was raised, the CPU time (s) and by how much memory grew at most meanwhile (MiB).
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import hostile_meshes
import hostile_robots
import hostile_stored
from hostile_files import BALL, BODY, CASES, HFIELD, dae, glb, load, mesh, mjcf, ply, png, urdf, usd, write

KINDS = (hostile_meshes, hostile_robots, hostile_stored)
"""Modules with cases besides those of ``hostile_files``."""

HANGS = 60
"""s of the clock after which a case ends this process."""

ROOM = 4 << 30
"""Bytes of addresses that a case may take beyond what there is, so that none brings the machine to its knees."""


def _memory(name: str) -> int:
    """KiB of this process, by a name of ``/proc/self/status``."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def raised_limit(most: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def measure(path: Path) -> dict[str, object]:
    """What is raised, CPU time in s, and the growth of memory in MiB."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    memory, begin = _memory("VmRSS"), time.process_time()
    raised, text = "", ""
    raised_limit(_memory("VmSize") * 1024 + ROOM)
    signal.alarm(HANGS)
    try:
        load(path)
    except Exception as error:
        raised, text = type(error).__name__, str(error)
    finally:
        signal.alarm(0)
    seconds = time.process_time() - begin
    return {"raised": raised, "text": text, "seconds": seconds, "mib": (_memory("VmHWM") - memory) / 1024}


def good(folder: Path) -> None:
    """Load files of all kinds that are fine, which imports what others need."""
    for path in (urdf(folder), mjcf(folder, BALL), usd(folder, f'def Xform "a0" {BODY} {{\n}}\n')):
        measure(path)
    for kind, made in (("glb", glb([{"mesh": 0}], [0])), ("dae", dae()), ("ply", ply(3, "3 0 1 2\n"))):
        measure(mesh(folder, f"x.{kind}", made))
    write(folder, "h.png", png(2, 2))
    measure(mjcf(folder, HFIELD, '<asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset>'))
    load(hostile_stored.recording(folder))
    load(write(folder, "a.npz", hostile_stored.saved()))


def main() -> None:
    warnings.simplefilter("ignore")
    top = Path(sys.argv[1])
    (top / "good").mkdir()
    good(top / "good")
    for name, (_, make) in CASES.items():
        folder = top / name
        folder.mkdir()
        print(json.dumps({"name": name, **measure(make(folder))}), flush=True)


if __name__ == "__main__":
    main()
