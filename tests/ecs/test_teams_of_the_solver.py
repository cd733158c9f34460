"""The text made for the GPU from the systems of the contact solver, run by teams of Python threads, as on the CPU."""

from __future__ import annotations

import itertools
import re
import threading
from typing import Any

import numpy as np
import pytest

import phalanx as px
from phalanx.ecs import System
from phalanx.ecs.sequences.fusion import fused
from phalanx.ecs.text import codegen, teams
from phalanx.ecs.text.addresses import flat_arguments
from phalanx.systems.solver import bouncing, contact_rows, contact_solver, loads
from phalanx.systems.solver.islands import tied_bodies

SEARCH = (
    *(contact_solver.sweep_normals, contact_solver.sweep_friction, loads.judge_sweep, loads.leave_what_is_known),
    *(loads.hold_at_bounds, loads.step_loads, loads.cut_loads),
)
ORDER = (
    *(contact_rows.contact_jacobians, contact_rows.decouple_contacts),
    *(contact_rows.ease_contacts, contact_rows.contact_blocks),
    *(loads.look_for_loads, tied_bodies.find_islands, *SEARCH, *SEARCH, loads.take_loads),
    *(contact_solver.sweep_normals, contact_solver.sweep_friction, bouncing.find_bounces, bouncing.bounce),
)


BLOCKS = 3
"""Blocks that share out the loop of a wide system."""


def run_by_threads(system: System, store: Any) -> None:
    """One team, or one block of a wide system, after the other; a team's threads come in any order."""
    generated = codegen.generate(system, store._shared(system), "float64", "cuda")
    text = re.sub(r"from phalanx.ecs.cuda.kernels import .*\n", "", generated.source)
    for kind, python in (("unsigned", "int"), ("signed", "int"), ("real", "float")):
        text = re.sub(rf"^{kind} = .*$", f"{kind} = {python}", text, flags=re.M)
    flat = flat_arguments(system)
    values = []
    for name, access in system.arguments.items():
        array = store._number(access.target) if access.mode == "rows" else store.array(access.target)
        values.append(array.reshape(-1) if name in flat else array)
    size = teams.TEAM if teams.is_team(system) else 1
    blocks = BLOCKS if teams.is_wide(system) else 1
    for env, block in itertools.product(range(store.num_envs), range(blocks)):
        barrier, given, wrong = threading.Barrier(size), np.zeros(size), []

        def run(
            rank: int,
            env: int = env,
            block: int = block,
            barrier: Any = barrier,
            given: Any = given,
            wrong: Any = wrong,
        ) -> None:
            def joined(mask: int, x: float) -> float:
                given[rank] = x
                barrier.wait(30.0)
                total = given.sum()
                barrier.wait(30.0)
                return total

            class cuda:
                class local:
                    array = staticmethod(lambda size, kind: np.full(size, np.nan))

                class threadIdx:
                    x = (env * size + rank) % 128

                class blockIdx:
                    y = block

                class gridDim:
                    y = blocks

                @staticmethod
                def grid(_: int) -> int:
                    return env * size + rank

            names: dict[str, Any] = {"cuda": cuda, "_joined": joined, "_wait": lambda mask: barrier.wait(30.0)}
            names["_place"] = lambda row, stride, index: int(row) * int(stride) + int(index)
            names["_fixed"] = lambda *words: None
            names |= dict.fromkeys(("helper", "routine", "kernel", "scalar_kernel", "team_kernel"), lambda f: f)
            try:
                exec(text, names)
                names[generated.entry](store.num_envs, 1, store.stride, *values)
            except Exception as error:
                wrong.append(error)
                barrier.abort()

        threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong, f"{system.name}: {wrong}"


def test_teams_compute_what_the_cpu_does() -> None:
    """A tower with masses of 1, 50 and 5 kg, and a box that slides beside it: two islands."""
    world = px.World(num_envs=2, dt=1 / 120, dtype="float64")
    world.add_ground(restitution=0.5)
    places = ((1.0, 0.0, 0.1), (50.0, 0.01, 0.3), (5.0, -0.01, 0.5), (2.0, 1.0, 0.1))
    boxes = [
        world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), f"box{k}", mass=mass, position=(x, 0.0, z))
        for k, (mass, x, z) in enumerate(places)
    ]
    world.build()
    boxes[-1].set_root_state(vel=[0.5, 0.1, -1.0, 0.0, 0.0, 1.0])
    world.step(2)
    store = world.engine.store
    assert any(map(teams.is_wide, ORDER)) and any(map(teams.is_team, ORDER))
    sweeps = world.schedule.phase("sweep") * 2
    [(joined, _)] = fused(store.kernels(sweeps))
    for system in (*ORDER, joined):
        written = {access.target for access in system.field_arguments.values() if access.writes}
        fields = {field for field in written if not field.private}
        before = {field: store.array(field).copy() for field in fields}
        store.program(sweeps if system is joined else [system]).run()
        wanted = {field: store.array(field).copy() for field in fields}
        for field, array in before.items():
            store.array(field)[...] = array
        run_by_threads(system, store)
        for field, array in wanted.items():
            found = store.array(field)[..., : world.num_envs]
            scale = np.abs(array[..., : world.num_envs]).max(initial=0.0)
            assert found == pytest.approx(array[..., : world.num_envs], rel=0, abs=1e-11 * scale + 1e-30), (
                f"{system.name} writes another {field.key}"
            )
            store.array(field)[...] = array
