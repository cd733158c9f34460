"""A worker that is a process: the job comes as a line of JSON, then a shard's number a line; each gets an answer.

A job is ``{"work": "module:function", "arguments": {...}}``: the function is called with the arguments once, and what
it returns is called with each shard's number.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from phalanx.farm.errors import StoreError


def prepared(job: dict[str, Any]) -> Callable[[int], Any]:
    """What does shards of a job."""
    module, _, name = job["work"].partition(":")
    return getattr(import_module(module), name)(**job["arguments"])


def answer(work: Callable[[int], Any], shard: int) -> dict[str, Any]:
    """Do a shard; what a fleet is told of it."""
    try:
        return {"kind": "finished", "shard": shard, "result": work(shard)}
    except StoreError as error:
        return {"kind": "failed", "shard": shard, "message": str(error), "final": True}
    except Exception as error:
        return {"kind": "failed", "shard": shard, "message": f"{type(error).__name__}: {error}"}


def main() -> None:
    """Serve until nothing more comes."""
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)  # what others print does not go among the answers
        work = prepared(json.loads(sys.stdin.readline()))
        for line in sys.stdin:
            print(json.dumps(answer(work, int(line))), file=out, flush=True)


if __name__ == "__main__":
    main()
