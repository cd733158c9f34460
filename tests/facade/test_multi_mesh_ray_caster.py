"""Ray casters among meshes that move: spheres by formula, environments apart, what rays hit, wrong use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from facade.sensor_scenes import box, environments, ground
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.sensors import MultiMeshRayCaster, MultiMeshRayCasterCfg, patterns
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext

DT = 1 / 200
ENV = "/World/envs/env_.*"
ONE_RAY = patterns.GridPatternCfg(resolution=0.1, size=(0.0, 0.0))
Target = MultiMeshRayCasterCfg.RaycastTargetCfg


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=DT))
    SimulationContext.clear_instance()
    physics_events.clear()


def caster(*targets: Any, **more: Any) -> MultiMeshRayCaster:
    given = {"prim_path": f"{ENV}/post", "pattern_cfg": ONE_RAY, "update_mesh_ids": True}
    return MultiMeshRayCaster(MultiMeshRayCasterCfg(mesh_prim_paths=list(targets), **(given | more)))


@pytest.mark.parametrize("count", [1, 4])
def test_what_moves_is_hit_where_it_is(sim: SimulationContext, count: int) -> None:
    """Posts look down on cubes of their own that are put somewhere else, on one that stays, and on the ground."""
    environments(count)
    ground()
    for i in range(count):
        sim_utils.create_prim(f"/World/envs/env_{i}/post", "Xform", translation=(0.0, 0.0, 10.0))
        fixed = sim_utils.CuboidCfg(size=(0.4, 0.4, 0.4), collision_props=sim_utils.CollisionPropertiesCfg())
        fixed.func(f"/World/envs/env_{i}/fixed", fixed, translation=(2.0, 0.0, 1.0))
    cube = box("cube", (0.0, 0.0, 5.0), size=0.5)
    moving = caster("/World/ground", Target(prim_expr=f"{ENV}/cube"), Target(prim_expr=f"{ENV}/fixed"))
    frozen = caster("/World/ground", Target(prim_expr=f"{ENV}/cube", track_mesh_transforms=False))
    beside = caster("/World/ground", f"{ENV}/fixed", offset=MultiMeshRayCasterCfg.OffsetCfg(pos=(2.0, 0.1, 0.0)))
    sim.reset()

    def heights(one: MultiMeshRayCaster) -> list[float]:
        return np.round(host(one.data.ray_hits_w)[:, 0, 2], 4).tolist()

    def hit(one: MultiMeshRayCaster) -> list[int]:
        assert tuple(one.data.ray_mesh_ids.shape) == (count, 1, 1)
        return host(one.data.ray_mesh_ids)[:, 0, 0].astype(int).tolist()

    assert heights(moving) == [5.25] * count and hit(moving) == [1] * count
    assert heights(beside) == [1.2] * count and hit(beside) == [1] * count
    pose = host(cube.data.root_pose_w).copy()
    pose[:, 2] = np.arange(count) + 2.0
    pose[::2, 0] += 1.0  # out of the ray
    pose[1::2, 3:] = [np.cos(np.pi / 8), np.sin(np.pi / 8), 0.0, 0.0]  # on an edge
    cube.write_root_pose_to_sim(pose)
    for one in (moving, frozen):
        one.update(DT)
    edge = 0.25 * 2**0.5
    expected = [0.0 if i % 2 == 0 else round(i + 2.0 + edge, 4) for i in range(count)]
    np.testing.assert_allclose(heights(moving), expected, atol=2e-4)
    assert hit(moving) == [0 if i % 2 == 0 else 1 for i in range(count)]
    assert heights(frozen) == [5.25] * count


def test_bodies_that_all_share(sim: SimulationContext) -> None:
    """A plate outside of the environments moves over both; without ids there are none."""
    environments(2)
    ground()
    for i in range(2):
        sim_utils.create_prim(f"/World/envs/env_{i}/post", "Xform", translation=(0.0, 0.0, 10.0))
    plate = sim_utils.CuboidCfg(size=(20.0, 20.0, 0.2), rigid_props=sim_utils.RigidBodyPropertiesCfg())
    plate.func("/World/plate", plate, translation=(0.0, 0.0, 3.0))
    one = caster("/World/ground", Target(prim_expr="/World/plate"), update_mesh_ids=False)
    sim.reset()
    np.testing.assert_allclose(host(one.data.ray_hits_w)[:, 0, 2], 3.1, atol=1e-5)
    assert one.data.ray_mesh_ids is None
    for _ in range(40):
        sim.step()
    one.update(40 * DT)
    fallen = 3.1 - 9.81 * DT**2 * 40 * 41 / 2
    np.testing.assert_allclose(host(one.data.ray_hits_w)[:, 0, 2], fallen, atol=1e-3)


def test_wrong_use(sim: SimulationContext) -> None:
    environments(2)
    ground()
    for i in range(2):
        sim_utils.create_prim(f"/World/envs/env_{i}/post", "Xform", translation=(0.0, 0.0, 10.0))
        sim_utils.create_prim(f"/World/envs/env_{i}/group", "Xform")
    cube = box("group/cube", (0.0, 0.0, 5.0))

    def fails(match: str, *targets: Any) -> None:
        one = caster(*targets)
        with pytest.raises(RuntimeError, match=match):
            sim.reset()
        assert not one.is_initialized

    fails("'/World/envs/env_.*/nothing', and there is no such prim", Target(prim_expr=f"{ENV}/nothing"))
    fails("'/World/nothing', and there is no such prim", "/World/nothing")
    fails("no mesh, shape or plane", Target(prim_expr=f"{ENV}/post"))
    fails("mesh_prim_paths is empty")
    fails("below it </World/envs/env_0/group/cube> moves by itself", Target(prim_expr=f"{ENV}/group"))
    sim.reset()
    assert cube.is_initialized
