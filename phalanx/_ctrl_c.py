"""Ctrl-C while the command line is still importing, or where nothing else answers to it: one line, exit code 130."""

from __future__ import annotations

import os
import sys
from types import TracebackType


def _say(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    sys.stdout.flush()
    print("\nphalanx: Interrupted.", file=sys.stderr, flush=True)
    os._exit(130)  # nothing is open yet, or anymore


if os.path.basename(sys.argv[0]) == "phalanx" or sys.orig_argv[1:3] == ["-m", "phalanx"]:
    sys.excepthook = _say
