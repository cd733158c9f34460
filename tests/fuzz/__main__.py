"""``python -m tests.fuzz --cases 20000``: mutated files, recordings, caches, random calls; 1 if there was a fault.

Each case is a kind and a number. What is found goes into ``FOUND`` of ``test_mutated_files.py``.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import json
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz import mutated_files

SECONDS = 20.0
"""What takes longer is a fault."""

PACKAGES = ("numpy", "numba", "zarr", "numcodecs", "trimesh", "pycollada", "pillow", "scipy", "usd-core")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="in all")
    parser.add_argument("--first", type=int, default=1000, help="number of the first case of each kind")
    parser.add_argument("--kinds", nargs="+", default=list(mutated_files.ALL), choices=mutated_files.ALL)
    parser.add_argument("--json", type=Path, help="a file for the summary")
    given = parser.parse_args()
    counts: dict[str, collections.Counter[str]] = {kind: collections.Counter() for kind in given.kinds}
    slowest = dict.fromkeys(given.kinds, 0.0)
    faults: list[Any] = []
    begin = time.monotonic()
    for case in range(given.cases):
        kind, number = given.kinds[case % len(given.kinds)], given.first + case // len(given.kinds)
        folder = Path(tempfile.mkdtemp(prefix="phalanx-fuzz-"))
        start = time.process_time()
        verdict = mutated_files.run(kind, number, folder)
        seconds = time.process_time() - start
        shutil.rmtree(folder)
        slowest[kind] = max(slowest[kind], seconds)
        if verdict in ("loaded", "refused") and seconds > SECONDS:
            verdict = f"took {seconds:.0f} s of processor time"
        if verdict not in ("loaded", "refused"):
            faults.append([kind, number, verdict])
            print(f"FAULT ({kind!r}, {number}): {verdict}", flush=True)
            verdict = "fault"
        counts[kind][verdict] += 1
    for kind, found in counts.items():
        print(f"{kind:12} {dict(sorted(found.items()))}, slowest {slowest[kind]:.2f} s")
    if given.json:
        summary = {
            "machine": _machine(),
            "day": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
            "cases": given.cases,
            "first_of_each_kind": given.first,
            "seconds": round(time.monotonic() - begin),
            "most_resident_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
            "kinds": {k: {**counts[k], "slowest_cpu_seconds": round(slowest[k], 2)} for k in given.kinds},
            "faults": faults,
        }
        given.json.write_text(json.dumps(summary, indent=1) + "\n")
    return 1 if faults else 0


def _machine() -> dict[str, Any]:
    from importlib.metadata import PackageNotFoundError, version

    from phalanx.bench.machine import machine

    found = machine()
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


if __name__ == "__main__":
    sys.exit(main())
