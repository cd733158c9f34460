"""Sets of particles in USD, with PhysX's schemas: what is read of them, what is left out, what is an error."""

from __future__ import annotations

import numpy as np
import pytest
from usd_files import prim, read

import phalanx as px
from phalanx.io.formats.usd.deformables import DeformableModel
from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes.point_set import PointSet

PLACES = "point3f[] points = [(0, 0, 0), (0.1, 0, 0), (0, 0, 0.2)]\n"
IN_SYSTEM = "rel physxParticle:particleSystem = </system>\n"


def system(inside: str = "float particleContactOffset = 0.02\n", bound: bool = True) -> str:
    if bound:
        inside += "rel material:binding:physics = </stuff>\n"
    return prim("PhysxParticleSystem", "system", inside, "MaterialBindingAPI" if bound else "")


def stuff(inside: str) -> str:
    return prim("Material", "stuff", inside, "PhysxPBDMaterialAPI")


def points(inside: str = "", kind: str = "Points", schemas: str = "", places: str = PLACES) -> str:
    return prim(kind, "p", places + IN_SYSTEM + inside, f"PhysxParticleSetAPI {schemas}")


def one(text: str) -> DeformableModel:
    (found,) = read(text).deformables
    assert isinstance(found.mesh, PointSet)
    return found


def test_grains_are_read() -> None:
    """Places with scale and turn, velocities, offsets and material."""
    place = "double3 xformOp:translate = (1, 2, 3)\nfloat3 xformOp:scale = (2, 2, 2)\n"
    place += 'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]\n'
    place += "vector3f[] velocities = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]\nfloat physics:mass = 0.6\n"
    material = stuff(
        "float physxPBDMaterial:friction = 0.4\nfloat physxPBDMaterial:particleFrictionScale = 0.5\n"
        "float physxPBDMaterial:damping = 0.1\nfloat physxPBDMaterial:gravityScale = -0.5\n"
        "float physxPBDMaterial:adhesion = 2\nfloat physxPBDMaterial:particleAdhesionScale = 0.25\n"
        "float physxPBDMaterial:adhesionOffsetScale = 0.5\n"
    )
    offsets = "float particleContactOffset = 0.02\nfloat solidRestOffset = 0.015\nfloat contactOffset = 0.03\n"
    offsets += "float restOffset = 0.01\nfloat maxVelocity = 7\n"
    found = one(points(place, schemas="PhysicsMassAPI") + system(offsets) + material)
    np.testing.assert_allclose(found.mesh.nodes, [[0, 0, 0], [0.2, 0, 0], [0, 0, 0.4]], atol=1e-7)
    assert found.velocities is not None
    np.testing.assert_allclose(found.velocities, 2 * np.eye(3), atol=1e-7)
    np.testing.assert_allclose(found.position, (1, 2, 3))
    expected = {
        **{
            "fluid": False,
            "touches_cloth": True,
            "radius": 0.015,
            "contact_offset": 0.03,
            "rest_offset": 0.01,
            "max_velocity": 7.0,
        },
        **{"static_friction": 0.4, "dynamic_friction": 0.4, "particle_friction": 0.2, "damping": 0.1},
        **{"gravity_scale": -0.5, "mass": 0.2, "adhesion": 0.4 * 9.80665, "adhesion_reach": 5e-3},
        **{"cohesion": 0.1 * 9.80665},
    }
    assert found.arguments == pytest.approx(expected)


def test_fluids_are_read_and_what_they_do_not_know_is_told() -> None:
    """Offsets that the system does not give are shares of the one that it gives; instancers hold particles, too."""
    material = stuff(
        "float physxPBDMaterial:density = 900\nfloat physxPBDMaterial:viscosity = 0.3\n"
        "float physxPBDMaterial:surfaceTension = 0.07\nfloat physxPBDMaterial:cohesion = 0.1\n"
        "float physxPBDMaterial:vorticityConfinement = 0.1\n"
    )
    places = PLACES.replace("points", "positions")
    fluid = "bool physxParticle:fluid = 1\nbool physxParticle:selfCollision = 0\n"
    text = points(fluid, "PointInstancer", places=places) + system() + material
    found = one(text)
    assert found.arguments["fluid"] and found.arguments["density"] == 900
    assert found.arguments["viscosity"] == pytest.approx(0.3)
    assert found.arguments["radius"] == pytest.approx(0.02 * 0.99 * 0.6)
    assert found.arguments["reach"] == pytest.approx(0.04)
    warnings = "\n".join(read(text).warnings)
    assert found.arguments["surface_tension"] == pytest.approx(0.07)
    assert (
        "cohesion" in warnings
        and "vorticityConfinement" in warnings
        and "surfaceTension" not in warnings
        and "selfCollision" in warnings
    )
    assert "PhysxParticleSetAPI" not in warnings and "PhysxParticleSystem" not in warnings


@pytest.mark.parametrize("off", ["set", "system"])
def test_what_is_switched_off_is_left_out(off: str) -> None:
    text = points("bool physxParticle:particleEnabled = 0\n" if off == "set" else "")
    text += system("bool particleSystemEnabled = 0\n" if off == "system" else "", bound=False)
    assert read(text).deformables == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (points(), "</p>.*need a particle system"),
        (points(places="") + system(bound=False), "n at least 1"),
        (points() + system("float particleContactOffset = -1\n", bound=False), "must be above 0"),
        (points() + system("float contactOffset = 0.01\nfloat restOffset = 0.02\n", bound=False), "above the rest"),
        (points() + system() + stuff("float physxPBDMaterial:friction = -1\n"), "friction"),
    ],
    ids=["no system", "no points", "offset", "rest", "friction"],
)
def test_what_cannot_be(text: str, said: str) -> None:
    with pytest.raises(LoadError, match=said):
        read(text)


def test_mistakes_of_points_name_the_file(tmp_path) -> None:
    text = points(places="point3f[] points = [(0, 0, 0), (nan, 0, 0)]\n") + system() + stuff("")
    path = tmp_path / "grains.usda"
    path.write_text('#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n' + text)
    with pytest.raises(LoadError, match=r"grains\.usda: </p>: particle 1 has a coordinate that is not finite"):
        px.World().add_usd(path)


@pytest.mark.parametrize("touches", [True, False])
def test_cloth_without_self_collision_is_passed(touches: bool) -> None:
    """Particles touch cloth that touches itself; of other cloth a stage says that they pass it."""
    mesh = "point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\nint[] faceVertexCounts = [4]\n"
    mesh += "int[] faceVertexIndices = [0, 1, 2, 3]\n" + IN_SYSTEM
    mesh += f"bool physxParticle:selfCollision = {int(touches)}\n"
    cloth = prim("Mesh", "sheet", mesh, "PhysxParticleClothAPI PhysxAutoParticleClothAPI")
    found = read(points() + system() + stuff("") + cloth)
    sheet, sand = sorted(found.deformables, key=lambda model: isinstance(model.mesh, PointSet))
    assert sand.arguments["touches_cloth"] and bool(sheet.arguments.get("touches_cloth")) == touches
    assert any("pass through" in text for text in found.warnings) != touches
