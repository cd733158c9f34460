"""What the scripts beside this one share: their argument, and a table of what is seen beside what is expected."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

COLORS = [(0.91, 0.51, 0.23, 1.0), (0.36, 0.56, 0.69, 1.0), (0.45, 0.62, 0.35, 1.0), (0.85, 0.72, 0.35, 1.0)]
STONE, WOOD, STEEL = (0.72, 0.69, 0.63, 1.0), (0.62, 0.44, 0.28, 1.0), (0.55, 0.58, 0.62, 1.0)


def picture_argument(doc: str | None) -> Path | None:
    """The command line of a script: ``--picture FILE`` draws."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--picture", type=Path, help="draw to this PNG file")
    return parser.parse_args().picture


class Comparison:
    """Rows of what is seen and what is expected; prints them as they come."""

    def __init__(self) -> None:
        self.wrong = 0
        print(f"{'':<46}{'seen':>12}{'expected':>12}")

    def row(self, what: str, seen: float, expected: float, unit: str, within: float) -> None:
        """A row; ``within`` is the most that it may be off by, in the same unit."""
        off = abs(seen - expected)
        good = off <= within
        self.wrong += not good
        verdict = "" if good else f"   off by {off:.3g}, more than {within:.3g}"
        print(f"{what:<46}{seen:>12.5g}{expected:>12.5g} {unit}{verdict}")

    def end(self) -> None:
        """Exit with 1 if anything was off by more than it may be."""
        if self.wrong:
            sys.exit(f"{self.wrong} not as expected")
        print("as expected")
