"""``python tests/fuzz/long_run.py --cases 20000``: load mutated files; exit code 1 if there was a fault."""

from __future__ import annotations

import argparse
import collections
import importlib
import shutil
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
mutated_files = importlib.import_module("mutated_files")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="in all")
    parser.add_argument("--first", type=int, default=1000, help="number of the first case of each kind")
    arguments = parser.parse_args()
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    faults = 0
    kinds = list(mutated_files.KINDS)
    for case in range(arguments.cases):
        kind, number = kinds[case % len(kinds)], arguments.first + case // len(kinds)
        folder = Path(tempfile.mkdtemp(prefix="phalanx-fuzz-"))
        verdict = mutated_files.run(kind, number, folder)
        shutil.rmtree(folder)
        if verdict not in ("loaded", "refused"):
            faults += 1
            print(f"FAULT ({kind!r}, {number}): {verdict}", flush=True)
            verdict = "fault"
        counts[kind, verdict] += 1
    for (kind, verdict), count in sorted(counts.items()):
        print(f"{kind:12} {verdict:8} {count}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
