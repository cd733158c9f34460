"""Cloth prims are simulated: sheets fall, rest, stretch as springs do, and are read and written by particle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from facade.isaacsim.core_scenes import host, like, xforms

from phalanx.facade import stage
from phalanx.facade.isaacsim.core.api.materials import ParticleMaterial
from phalanx.facade.isaacsim.core.cloner import Cloner
from phalanx.facade.isaacsim.core.prims import ClothPrim, SingleClothPrim, SingleParticleSystem
from phalanx.io.formats.usd.bindings import UsdGeom, UsdPhysics
from phalanx.io.reading.errors import LoadError

SIDE = 4
"""Squares along a sheet of 0.4 m."""


def sheet(path: str, height: float = 0.5, faces: list[list[int]] | None = None) -> None:
    mesh = UsdGeom.Mesh.Define(stage.get_stage(), path)
    points = [(0.1 * i, 0.1 * j, height) for j in range(SIDE + 1) for i in range(SIDE + 1)]
    if faces is None:
        starts = [j * (SIDE + 1) + i for j in range(SIDE) for i in range(SIDE)]
        faces = [[a, a + 1, a + SIDE + 2, a + SIDE + 1] for a in starts]
    mesh.CreatePointsAttr(points)
    mesh.CreateFaceVertexCountsAttr([len(face) for face in faces])
    mesh.CreateFaceVertexIndicesAttr([corner for face in faces for corner in face])


def cloth(path: str, **given: Any) -> SingleClothPrim:
    system = SingleParticleSystem(f"{path}_system", contact_offset=0.02, rest_offset=0.01)
    felt = ParticleMaterial("/World/felt", friction=0.5, damping=0.0)
    values: dict[str, Any] = {"stretch_stiffness": 1e3, "shear_stiffness": 1e2, "bend_stiffness": 1.0, **given}
    return SingleClothPrim(path, system, felt, particle_mass=0.01, **values)


def test_cloth_is_simulated(world, backend):
    """It falls as anything does, and is where it is put; masses are those of its triangles."""
    for i in range(2):
        sheet(f"/World/c_{i}", 1.0 + i)
        one = cloth(f"/World/c_{i}")
    view = world.scene.add(ClothPrim("/World/c_[01]$", name="sheets"))
    world.reset()
    assert view.is_physics_handle_valid() and one._cloth_prim_view.is_physics_handle_valid()
    assert view.max_particles_per_cloth == 25 and view.max_springs_per_cloth == 56
    start = host(view.get_world_positions())
    np.testing.assert_allclose(start[1, :, 2], 2.0, atol=1e-6)
    masses = host(view.get_particle_masses())
    np.testing.assert_allclose(masses.sum(axis=1), 0.25, rtol=1e-5)
    assert masses[0, 12] == pytest.approx(0.25 / 16, rel=1e-4)  # each square is shared by its corners
    began = world.current_time
    for _ in range(10):
        world.step(render=False)
    time = world.current_time - began
    moved = host(view.get_world_positions()) - start
    np.testing.assert_allclose(moved[..., 2], -9.81 * time**2 / 2, rtol=0.15)
    np.testing.assert_allclose(host(view.get_velocities())[..., 2], -9.81 * time, rtol=1e-3)
    view.set_world_positions(like(backend, start[:1] + 1.0), indices=[0])
    view.set_velocities(like(backend, np.ones((1, 25, 3))), indices=[0])
    np.testing.assert_allclose(host(view.get_world_positions(indices=[0])), start[:1] + 1.0, atol=1e-6)
    np.testing.assert_allclose(host(view.get_velocities(indices=[0])), 1.0)
    assert host(view.get_velocities())[1, 0, 2] < -1.0
    view.set_particle_masses(like(backend, np.full((1, 25), 0.02)), indices=[1])
    np.testing.assert_allclose(host(view.get_particle_masses())[1], 0.02, rtol=1e-6)
    np.testing.assert_allclose(host(view.get_stretch_stiffnesses()), 1e3, rtol=1e-5)
    dampings = host(view.get_spring_dampings())
    assert dampings.shape == host(view.get_stretch_stiffnesses()).shape and not dampings.any()
    view.set_stretch_stiffnesses(like(backend, 2.0 * host(view.get_stretch_stiffnesses())[None]))
    np.testing.assert_allclose(host(view.get_stretch_stiffnesses([1])), 2e3, rtol=1e-5)
    world.reset()
    np.testing.assert_allclose(host(view.get_world_positions()), start, atol=1e-6)


def test_cloth_rests_on_ground(world):
    """At the rest offset of its particle system; stiffnesses that are set while it plays act."""
    world.scene.add_default_ground_plane()
    sheet("/World/c", 0.02)
    one = world.scene.add(cloth("/World/c"))
    world.reset()
    view = one._cloth_prim_view
    for _ in range(60):
        world.step(render=False)
    np.testing.assert_allclose(host(view.get_world_positions())[0, :, 2], 0.01, atol=5e-4)
    stretched = host(view.get_world_positions())
    stretched[0, :, 0] *= 1.1
    speeds = []
    for stiffness in (1.0, 10.0):
        view.set_cloths_stretch_stiffnesses([stiffness])
        assert host(view.get_cloths_stretch_stiffnesses()).tolist() == [stiffness]
        view.set_world_positions(stretched)
        view.set_velocities(np.zeros_like(stretched))
        world.step(render=False)
        speeds.append(float(np.abs(host(view.get_velocities())[..., 0]).max()))
    assert speeds[1] > 3.0 * speeds[0], speeds


def test_cloth_of_many_environments(world):
    """Clones are environments of one world, and the view has a row for each."""
    xforms("/World/envs/env_0")
    sheet("/World/envs/env_0/cloth", 0.5)
    cloth("/World/envs/env_0/cloth")
    cloner = Cloner()
    paths = cloner.generate_paths("/World/envs/env", 3)
    cloner.clone("/World/envs/env_0", paths, positions=np.array([[0, 0, 0], [2, 0, 0], [4, 0, 0]]))
    view = world.scene.add(ClothPrim("/World/envs/env_.*/cloth$", name="cloths"))
    world.reset()
    assert view.count == 3 and host(view.get_world_positions()).shape == (3, 25, 3)
    np.testing.assert_allclose(host(view.get_world_positions())[:, 0, 0], [0, 2, 4], atol=1e-6)
    world.step(render=False)
    fallen = host(view.get_world_positions())[..., 2]
    assert (fallen == fallen[0]).all() and (fallen < 0.5).all()
    view.set_cloths_stretch_stiffnesses(np.array([5.0]), indices=[1])
    np.testing.assert_allclose(host(view.get_stretch_stiffnesses())[:, 0], [1e3, 5.0, 1e3], rtol=1e-5)


def test_what_is_no_sheet_is_refused(world):
    """The prim and the triangles are named."""
    sheet("/World/c", faces=[[0, 1, 6], [1, 0, 7], [0, 1, 8]])
    cloth("/World/c")
    with pytest.raises(LoadError, match=r"/World/c.*belongs to no triangle"):
        world.reset()


def test_pressure_needs_an_inside(world):
    sheet("/World/c")
    cloth("/World/c", pressure=1.2)
    UsdPhysics.MassAPI(stage.get_stage().GetPrimAtPath("/World/c")).CreateMassAttr(0.1)
    with pytest.raises(LoadError, match=r"/World/c.*has a free edge"):
        world.reset()
