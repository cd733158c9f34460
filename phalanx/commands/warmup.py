"""``phalanx warmup``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phalanx.commands.common import patience, user_mistakes

if TYPE_CHECKING:
    from phalanx.bench.warming import Checked


SHOWN = 5
"""Damaged files that are named."""


def warmup(names: list[str], device: str, dtype: str, num_envs: int, check: bool = False) -> int:
    """Compile the kernels of scenes and robots into the cache; all that come with the package when none is named.

    With ``check`` it only looks whether they are there and whole; returns the exit code.
    """
    with user_mistakes(ValueError):
        import phalanx as px
        from phalanx.bench import warming
        from phalanx.ecs.cache.folder import cache_folder

        device = px.World(device=device).device
        worlds = warming.worlds_for(names, device, dtype, num_envs)
        if check:
            return _check(warming.check(worlds), f"{len(worlds)} worlds for {device}, {dtype}", str(cache_folder()))
        with patience(f"Compiling the kernels of {len(worlds)} worlds for {device} ..."):
            done = warming.warm_up(worlds)
    print(
        f"{done.kernels} kernels of {len(worlds)} worlds for {device}, {dtype}: {done.compiled} compiled, "
        f"{done.kernels - done.compiled} were there, in {done.seconds:.1f} s. They are in {cache_folder()}."
    )
    return 0


def _check(found: Checked, what: str, folder: str) -> int:
    print(f"{found.kernels} kernels of {what}: {found.missing} are not in {folder}.")
    if found.damaged:
        names = ", ".join(path.name for path in found.damaged[:SHOWN])
        more = f" and {len(found.damaged) - SHOWN} more" if len(found.damaged) > SHOWN else ""
        print(f"Damaged are {len(found.damaged)} files, which are made anew when they are needed: {names}{more}.")
    if not found.ok:
        print("`phalanx warmup` without --check compiles what is missing.")
    return 0 if found.ok else 1
