"""Objects of one shape, grounds, and materials: what is seen, what collides, how it is felt."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from facade.isaacsim.core_scenes import host, kind, like

from phalanx.facade import stage
from phalanx.facade.isaacsim.core.api import materials, objects
from phalanx.facade.isaacsim.core.prims import GeometryPrim, SingleGeometryPrim
from phalanx.io.formats.usd.bindings import UsdGeom, UsdPhysics

SHAPES = {
    "Cuboid": {"size": 0.3},
    "Sphere": {"radius": 0.15},
    "Cylinder": {"radius": 0.1, "height": 0.3},
    "Cone": {"radius": 0.1, "height": 0.3},
    "Capsule": {"radius": 0.1, "height": 0.2},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(world, shape):
    numbers = SHAPES[shape]
    seen = getattr(objects, f"Visual{shape}")("/World/seen", color=np.array([0.1, 0.2, 0.3]), **numbers)
    fixed = getattr(objects, f"Fixed{shape}")("/World/fixed", position=np.array([2.0, 0, 1.0]), **numbers)
    moving = getattr(objects, f"Dynamic{shape}")("/World/moving", position=np.array([4.0, 0, 1.0]), mass=0.5, **numbers)
    has = [one.prim.HasAPI(UsdPhysics.CollisionAPI) for one in (seen, fixed, moving)]
    moves = [one.prim.HasAPI(UsdPhysics.RigidBodyAPI) for one in (seen, fixed, moving)]
    assert has == [False, True, True] and moves == [False, False, True]
    np.testing.assert_allclose(seen.get_applied_visual_material().get_color(), [0.1, 0.2, 0.3])
    for name, value in numbers.items():
        assert getattr(moving, f"get_{name}")() == pytest.approx(value)
        getattr(seen, f"set_{name}")(value * 2)
        assert getattr(seen, f"get_{name}")() == pytest.approx(value * 2)
    world.reset()
    moving.initialize()
    world.step(render=False)
    assert moving.get_world_pose()[0][2] < 1.0 and fixed.get_world_pose()[0][2] == 1.0
    assert moving.get_mass() == 0.5


def test_what_is_there_already_is_taken_over(world):
    objects.DynamicCuboid("/World/c", "one", position=np.array([1.0, 2.0, 3.0]), size=0.4, mass=2.0)
    again = objects.DynamicCuboid("/World/c", "two")
    assert again.get_size() == pytest.approx(0.4) and again.get_mass() == 2.0
    np.testing.assert_allclose(again.get_world_pose()[0], [1, 2, 3])
    UsdGeom.Sphere.Define(stage.get_stage(), "/World/s")
    with pytest.raises(TypeError, match="is a Sphere, and no Cube"):
        objects.VisualCuboid("/World/s")


def test_a_default_mass_and_its_alternatives(world):
    assert objects.DynamicSphere("/World/a").get_mass() == pytest.approx(0.02)
    dense = objects.DynamicCuboid("/World/b", density=1000.0, size=0.1)
    world.reset()
    dense.initialize()
    assert dense.get_mass() == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize("kind", ["plain", "default"])
def test_grounds_hold(world, kind):
    if kind == "plain":
        ground = world.scene.add_ground_plane(z_position=0.5, static_friction=0.3)
        assert ground.get_applied_physics_material().get_static_friction() == pytest.approx(0.3)
    else:
        ground = world.scene.add_default_ground_plane(z_position=0.5)
    assert world.scene.get_object(ground.name) is ground
    ball = world.scene.add(objects.DynamicSphere("/World/ball", "ball", position=np.array([0, 0, 0.65]), radius=0.1))
    world.reset()
    for _ in range(120):
        world.step(render=False)
    assert ball.get_world_pose()[0][2] == pytest.approx(0.6, abs=2e-3)


def test_friction_is_that_of_materials(world):
    """A box on a ground that is pushed sideways keeps to Coulomb's law."""
    slip = materials.PhysicsMaterial("/World/slip", static_friction=0.2, dynamic_friction=0.2, restitution=0.0)
    world.scene.add(objects.GroundPlane("/World/ground", physics_material=slip))
    box = objects.DynamicCuboid("/World/box", "box", position=np.array([0, 0, 0.1]), size=0.2, mass=1.0)
    box.apply_physics_material(slip)
    world.scene.add(box)
    world.reset()
    for _ in range(30):
        world.step(render=False)
    box.set_linear_velocity(np.array([1.0, 0.0, 0.0]))
    for _ in range(20):
        world.step(render=False)
    assert box.get_linear_velocity()[0] == pytest.approx(1.0 - 0.2 * 9.81 * 20 / 60, abs=0.03)


def test_geometry_views(world, backend):
    for i in range(3):
        objects.FixedCuboid(f"/World/b_{i}", position=np.array([i, 0, 0.1]), size=0.2)
    view = GeometryPrim("/World/b_.*")
    assert host(view.is_collision_enabled()).tolist() == [True] * 3
    view.disable_collision(indices=like(backend, [1], "int64"))
    assert host(view.is_collision_enabled()).tolist() == [True, False, True]
    view.set_contact_offsets(like(backend, [0.03, 0.04]), indices=[0, 2])
    np.testing.assert_allclose(host(view.get_contact_offsets())[[0, 2]], [0.03, 0.04], rtol=1e-6)
    view.set_rest_offsets(like(backend, [0.001] * 3))
    np.testing.assert_allclose(host(view.get_rest_offsets()), 0.001, rtol=1e-6)
    view.set_torsional_patch_radii(like(backend, [0.1] * 3))
    view.set_min_torsional_patch_radii(like(backend, [0.05] * 3))
    np.testing.assert_allclose(host(view.get_torsional_patch_radii(indices=[1])), [0.1], rtol=1e-6)
    np.testing.assert_allclose(host(view.get_min_torsional_patch_radii(indices=[1])), [0.05], rtol=1e-6)
    view.set_collision_approximations(["convexHull"] * 3)
    assert view.get_collision_approximations() == ["convexHull"] * 3
    with pytest.raises(ValueError, match="approximation type 'blob'"):
        view.set_collision_approximations(["blob"] * 3)
    rough = materials.PhysicsMaterial("/World/rough", static_friction=1.5)
    view.apply_physics_materials(rough, indices=[2])
    assert view.get_applied_physics_materials()[2] is rough


def test_what_does_not_collide_falls_through(world):
    world.scene.add_ground_plane()
    ghost = world.scene.add(objects.DynamicCuboid("/World/g", "g", position=np.array([0, 0, 0.2]), size=0.2))
    ghost.set_collision_enabled(False)
    assert not ghost.get_collision_enabled()
    world.reset()
    for _ in range(60):
        world.step(render=False)
    assert ghost.get_world_pose()[0][2] < -1.0
    ghost.set_collision_enabled(True)
    world.reset()
    for _ in range(60):
        world.step(render=False)
    assert ghost.get_world_pose()[0][2] == pytest.approx(0.1, abs=2e-3)


def test_contacts(world, backend):
    world.scene.add_ground_plane()
    for i in range(2):
        objects.DynamicCuboid(f"/World/box_{i}", position=np.array([i, 0, 0.1]), size=0.2, mass=1.0 + i)
    view: Any = world.scene.add(
        GeometryPrim(
            "/World/box_.*", "boxes", track_contact_forces=True, contact_filter_prim_paths_expr=["/World/groundPlane"]
        )
    )
    world.reset()
    for _ in range(60):
        world.step(render=False)
    dt = world.get_physics_dt()
    net = host(view.get_net_contact_forces(dt=dt))
    np.testing.assert_allclose(net[:, 2], [9.81, 2 * 9.81], rtol=0.02)
    matrix = view.get_contact_force_matrix(dt=dt)
    assert matrix.shape == (2, 1, 3)
    np.testing.assert_allclose(host(matrix)[:, 0], net, atol=1e-3)
    np.testing.assert_allclose(host(view.get_net_contact_forces(indices=[1]))[0, 2], 2 * 9.81 * dt, rtol=0.02)


def test_materials_keep_what_they_are_given(world):
    felt = materials.PhysicsMaterial("/World/m1", static_friction=0.4, dynamic_friction=0.3, restitution=0.2)
    assert (felt.get_static_friction(), felt.get_dynamic_friction(), felt.get_restitution()) == pytest.approx(
        (0.4, 0.3, 0.2)
    )
    felt.set_restitution(0.9)
    assert materials.PhysicsMaterial("/World/m1").get_restitution() == pytest.approx(0.9)
    seen = materials.PreviewSurface("/World/m2", color=np.array([0.2, 0.4, 0.6]), roughness=0.3, metallic=0.7)
    assert seen.get_roughness() == pytest.approx(0.3) and seen.get_metallic() == pytest.approx(0.7)
    np.testing.assert_allclose(host(materials.PreviewSurface("/World/m2").get_color()), [0.2, 0.4, 0.6], rtol=1e-6)
    pbr = materials.OmniPBR("/World/m3", color=np.array([1.0, 0.5, 0.0]))
    pbr.set_reflection_roughness(0.25)
    assert pbr.get_reflection_roughness() == pytest.approx(0.25)
    np.testing.assert_allclose(host(pbr.get_color()), [1.0, 0.5, 0.0])
    glass = materials.OmniGlass("/World/m4", color=np.array([0.5, 0.5, 1.0]), ior=1.4, depth=0.01, thin_walled=True)
    assert glass.get_ior() == pytest.approx(1.4) and glass.get_thin_walled() is True
    particles = materials.ParticleMaterial("/World/m5", friction=0.6, viscosity=0.1)
    assert particles.get_friction() == pytest.approx(0.6) and particles.get_viscosity() == pytest.approx(0.1)
    soft = materials.DeformableMaterial("/World/m6", youngs_modulus=5e5, poissons_ratio=0.4)
    assert soft.get_youngs_modululs() == pytest.approx(5e5) and soft.get_poissons_ratio() == pytest.approx(0.4)


def test_views_of_soft_materials(world, backend):
    for i in range(2):
        materials.ParticleMaterial(f"/World/p_{i}", friction=0.1 * (i + 1))
        materials.DeformableMaterial(f"/World/d_{i}", youngs_modulus=1e5 * (i + 1))
    particles = materials.ParticleMaterialView("/World/p_.*")
    np.testing.assert_allclose(host(particles.get_frictions()), [0.1, 0.2], rtol=1e-6)
    particles.set_viscosities(like(backend, [0.5]), indices=[1])
    np.testing.assert_allclose(host(particles.get_viscosities(indices=[1])), [0.5])
    world.reset()  # from here on PhysX's views of particles have columns
    found = particles.get_frictions()
    assert found.shape == (2, 1) and kind(found) == backend
    particles.set_frictions(like(backend, host(found) + [[0.5], [0.25]]))
    np.testing.assert_allclose(host(particles.get_frictions()), [[0.6], [0.45]], rtol=1e-6)
    assert particles.get_drags(indices=[1]).shape == (1, 1) and particles.get_viscosities().shape == (2,)
    with pytest.raises(ValueError, match=r"has shape \(2, 2\); it must be \(2,\)"):
        particles.set_frictions(like(backend, np.ones((2, 2))))
    soft = materials.DeformableMaterialView("/World/d_.*")
    np.testing.assert_allclose(host(soft.get_youngs_moduli()), [[1e5], [2e5]])  # and of soft bodies, too
    soft.set_poissons_ratios(like(backend, [0.3, 0.31]))
    np.testing.assert_allclose(host(soft.get_poissons_ratios()), [[0.3], [0.31]], rtol=1e-6)


def test_one_prim_that_collides(world):
    prim = objects.FixedCuboid("/World/f", size=0.2)
    assert isinstance(prim, SingleGeometryPrim) and prim.get_collision_enabled()
    prim.set_contact_offset(0.05)
    prim.set_rest_offset(0.01)
    assert (prim.get_contact_offset(), prim.get_rest_offset()) == pytest.approx((0.05, 0.01))
    prim.set_collision_approximation("convexHull")
    assert prim.get_collision_approximation() == "convexHull"
    material = materials.PhysicsMaterial("/World/m")
    prim.apply_physics_material(material)
    assert prim.get_applied_physics_material() is material


def test_constructors_have_the_documented_arguments_and_name_their_class_in_errors(world):
    """They are made from declarations: signatures are real, wrong calls are refused, subclasses can call them."""
    signature = inspect.signature(objects.DynamicCuboid)
    seen = "prim_path, name, position, translation, orientation, scale, visible, color, size, visual_material"
    felt = "physics_material, mass, density, linear_velocity, angular_velocity"
    assert ", ".join(signature.parameters) == f"{seen}, {felt}"
    assert signature.parameters["name"].default == "dynamic_cube"
    assert inspect.signature(objects.VisualSphere).parameters["visible"].default is True
    assert inspect.signature(objects.FixedSphere).parameters["visible"].default is None
    with pytest.raises(TypeError, match=r"FixedCone\(\): missing a required argument: 'prim_path'"):
        objects.FixedCone()
    with pytest.raises(TypeError, match=r"VisualCuboid\(\): got an unexpected keyword argument 'mass'"):
        objects.VisualCuboid("/World/Cube", mass=1.0)

    class Brick(objects.DynamicCuboid):
        def __init__(self, prim_path: str, size: float) -> None:
            objects.FixedCuboid.__init__(self, prim_path, "brick", size=size)

    brick = Brick("/World/Brick", 0.3)
    assert brick.name == "brick"
    assert brick.get_size() == pytest.approx(0.3)
    assert not brick.prim.HasAPI(UsdPhysics.RigidBodyAPI), "only what the constructor that was called makes"
