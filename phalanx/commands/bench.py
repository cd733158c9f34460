"""``phalanx bench``."""

from __future__ import annotations

from pathlib import Path

from phalanx.commands.common import check_output, user_mistakes


def bench(names: list[str], device: str, json_path: Path | None) -> None:
    """Run named benchmarks; all that need no more than this machine has when none is named."""
    check_output(json_path, ".json")
    with user_mistakes(ValueError):
        from phalanx.bench import run

        run(names, device=device, json_path=json_path)
