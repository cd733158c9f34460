"""``phalanx warmup``."""

from __future__ import annotations

from phalanx.commands.common import patience, user_mistakes


def warmup(names: list[str], device: str, dtype: str, num_envs: int) -> None:
    """Compile the kernels of scenes and robots into the cache; all that come with the package when none is named."""
    with user_mistakes(ValueError):
        import phalanx as px
        from phalanx.bench.warming import warm_up, worlds_for
        from phalanx.ecs.cache.folder import cache_folder

        device = px.World(device=device).device
        worlds = worlds_for(names, device, dtype, num_envs)
        with patience(f"Compiling the kernels of {len(worlds)} worlds for {device} ..."):
            done = warm_up(worlds)
    print(
        f"{done.kernels} kernels of {len(worlds)} worlds for {device}, {dtype}: {done.compiled} compiled, "
        f"{done.kernels - done.compiled} were there, in {done.seconds:.1f} s. They are in {cache_folder()}."
    )
