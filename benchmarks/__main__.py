"""``python -m benchmarks``: :command:`phalanx bench` that keeps its figures, in ``benchmarks/results``.

Takes the options of ``phalanx bench``; without ``--json`` the file is named after the minute (UTC) and the device.
"""

from __future__ import annotations

import datetime
import itertools
import sys
from pathlib import Path

from phalanx.commands.cli import main

RESULTS = Path(__file__).resolve().parent / "results"
QUIET = ("--json", "--export", "--list", "--help", "-h")


def arguments(given: list[str]) -> list[str]:
    """What ``phalanx`` is called with."""
    if any(each.partition("=")[0] in QUIET for each in given):
        return ["bench", *given]
    device = next((b for a, b in itertools.pairwise(given) if a == "--device"), "auto").replace(":", "")
    day = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d-%H%M")
    return ["bench", *given, "--json", str(RESULTS / f"{day}-{device}.json")]


if __name__ == "__main__":
    sys.exit(main(arguments(sys.argv[1:])))
