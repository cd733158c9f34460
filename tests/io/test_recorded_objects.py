"""Rigid objects and collections in recordings: named, read back, repeated to the bit, drawn; without any robot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
import zarr
from oracles import host
from small_robots import arm

import phalanx as px
from phalanx.commands.cli import main
from phalanx.images.pictures.picture import Camera, render_world
from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.recorder import RecordingError
from phalanx.io.recordings.replay import open_recording, verify
from phalanx.world.snapshots import take_snapshot

APART: dict[str, Any] = {"collision_group": 1, "collision_mask": [0]}  # they meet the ground, but not each other
TETRAHEDRON = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def make_world(device: str = "cpu") -> px.World:
    world = px.World(2, device, dt=0.005)
    world.add_ground()
    hull = px.Shape("mesh", vertices=TETRAHEDRON + [0.1, 0.1, 0], faces=None, approximation="convex_hull")
    world.add_rigid_object(hull, "hull", position=(0, -1, 0.3), **APART)
    world.add_rigid_object(px.Shape("cone", (0.15, 0.2)), "cone/red", position=(0, 0, 0.5), **APART)
    world.add_rigid_object(px.Shape("capsule", (0.1, 0.2)), "mover", kind="kinematic", position=(0, 1, 0.5), **APART)
    solids = {
        "cylinder": {"source": px.Shape("cylinder", (0.15, 0.2)), "position": (1, -1, 0.6)},
        "pair": {
            "source": [px.Shape("sphere", (0.15,)), px.Shape("box", (0.2, 0.1, 0.1), position=(0.2, 0, 0))],
            "position": (1, 0, 0.6),
        },
        "mesh": {
            "source": px.Shape("mesh", vertices=TETRAHEDRON, faces=FACES, approximation="convex_hull"),
            "position": (1, 1, 0.5),
        },
    }
    world.add_rigid_objects(solids, "solids", **APART)
    x, y = np.meshgrid(np.linspace(-3, 3, 12), np.linspace(-3, 3, 12), indexing="ij")
    hills = px.Shape("height_field", (0.1, 0.1), heights=0.1 + 0.08 * np.sin(x) * np.cos(y))
    world.add_rigid_object(hills, "hills", kind="static", position=(2, 0, 0), **APART)
    return world


@pytest.fixture(scope="module")
def recorded(device: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, px.World, dict[str, Any]]:
    path = tmp_path_factory.mktemp("recorded") / "objects.zarr"
    world = make_world(device)
    objects, solids = world.objects, world.collections["solids"]
    solids.set_mass([[1.0], [2.0]], object_ids=["pair"], scale_inertia=True)
    seen: dict[str, list[Any]] = {"cone": [], "solids": [], "force": [], "contacts": []}

    def look() -> None:
        seen["cone"].append(host(objects["cone/red"].root_pose))
        seen["solids"].append(host(solids.root_vel))
        seen["force"].append(host(solids.net_contact_force))
        seen["contacts"].append(take_snapshot(world, [0, 1], True).contacts)

    with px.Recorder(world, path, chunk_steps=8, contacts=True):
        look()
        for step in range(60):
            angle = 0.02 * (step + 1)
            objects["mover"].set_kinematic_target([0, 1 + angle, 0.5, np.cos(angle), np.sin(angle), 0, 0])
            if step == 20:
                objects["cone/red"].set_root_state(vel=[0, 0, 1.0, 3.0, 0, 0], env_ids=[1])
                objects["hull"].set_material(0.1, 0.1, env_ids=[0])
            if step == 50:
                objects["hull"].set_surface_velocity((0.3, 0, 0))
            if step == 40:
                world.reset([0])
            world.step()
            look()
    return path, world, {key: values if key == "contacts" else np.stack(values, axis=1) for key, values in seen.items()}


def test_samples_names_and_dimensions(recorded: tuple[Path, px.World, dict[str, Any]]) -> None:
    path, _, seen = recorded
    recording = open_recording(path)
    way = recording["hull"].root_pose[1, [50, 60], 0]
    assert abs(way[1] - way[0]) > 0.005  # its own belts move it
    assert not recording.robots and set(recording.collections) == {"solids"}
    assert set(recording.objects) == {"hull", "cone/red", "mover", "hills", "cylinder", "pair", "mesh"}
    np.testing.assert_array_equal(recording["cone/red"].root_pose, seen["cone"].astype(np.float32))
    solids = recording.collections["solids"]
    assert solids.object_names == ["cylinder", "pair", "mesh"] and solids.root_vel.dims == (
        "env",
        "time",
        "object",
        "twist",
    )
    np.testing.assert_array_equal(solids.root_vel, seen["solids"].astype(np.float32))
    np.testing.assert_array_equal(solids.net_contact_force, seen["force"].astype(np.float32))
    member = recording["pair"].root_vel
    assert member.dims == ("env", "time", "twist") and member.shape == (2, 61, 6)
    np.testing.assert_array_equal(member, seen["solids"][:, :, 1].astype(np.float32))
    np.testing.assert_array_equal(member[1, ::7, 2], seen["solids"][1, ::7, 1, 2].astype(np.float32))
    data = xr.open_zarr(path, group="collections/solids", consolidated=False)
    assert data.root_pose.dims == ("time", "env", "object", "pose")
    assert list(data.object.values) == solids.object_names and data.root_pose.attrs["units"] == "m, quaternion"
    assert np.isfinite(data.root_pose.sel(object="mesh", pose="z").values).all()
    with pytest.raises(ValueError, match="has no robot"):
        _ = recording.model


def test_replay_repeats_every_bit_and_says_where_it_does_not(
    recorded: tuple[Path, px.World, dict[str, Any]], device: str
) -> None:
    path = recorded[0]
    result = verify(open_recording(path), device)
    assert result.ok and result.samples == 61, str(result)
    array: Any = zarr.open_array(str(path / "collections/solids/root_pose"), mode="r+")
    value = array[30, 1, 2, 2]
    array[30, 1, 2, 2] = value + np.float32(1)
    result = verify(open_recording(path), device)
    array[30, 1, 2, 2] = value
    assert not result.ok
    assert "step 30 (t = 0.15 s), collection 'solids', root_pose of mesh z in environment 1" in str(result)


def test_contacts_are_kept(recorded: tuple[Path, px.World, dict[str, Any]], device: str, tmp_path: Path) -> None:
    """Those that the world had after each step, but for the first sample; what is beyond their number is 0."""
    path, world, seen = recorded
    recording = open_recording(path)
    kept = recording.contacts
    assert (
        kept is not None
        and kept.room == kept["contact_point"].shape[2]
        and "contacts: contact_count" in repr(recording)
    )
    assert not kept["contact_count"][:, 0].any() and not kept["contact_point"][:, 0].any()
    most = 0
    for sample, contacts in enumerate(seen["contacts"][1:], start=1):
        for env in range(2):
            mine = contacts.envs == env
            used = int(kept["contact_count"][env, sample])
            most = max(most, used)
            assert used == mine.sum()
            for key, expected in (
                ("contact_point", contacts.points),
                ("contact_normal", contacts.normals),
                ("contact_force", contacts.forces),
                ("contact_separation", contacts.separations),
            ):
                found = kept[key][env, sample]
                np.testing.assert_allclose(
                    found[:used], expected[mine], rtol=2e-4, atol=2e-4 * (key == "contact_force") + 1e-6
                )
                assert not found[used:].any()
    assert most > 6
    # each contact pushes one body up, from the ground or the hills
    net = np.zeros((2, 60, 3))
    for name in recording.objects.keys() - {"hills"}:
        net += recording[name]["net_contact_force"][:, 1:].reshape(2, 60, -1, 3).sum(axis=2)
    np.testing.assert_allclose(
        np.abs(kept["contact_force"][:, 1:, :, 2]).sum(axis=2), net[..., 2], rtol=1e-4, atol=0.05
    )
    tree = recording.tree
    assert tree["contacts"].contact_force.dims == ("time", "env", "contact", "axis")
    array: Any = zarr.open_array(str(path / "contacts/world/contact_force"), mode="r+")
    value = array[2, 1, 0, 2]
    array[2, 1, 0, 2] = value + np.float32(1)
    result = verify(open_recording(path), device)
    array[2, 1, 0, 2] = value
    assert "step 2 (t = 0.01 s), contact 'world', contact_force of contact 0 z in environment 1" in str(result)
    with px.Recorder(world, tmp_path / "few.zarr", fields=["root_pose", "contact_force"], contacts=2):
        world.step()
    few = open_recording(tmp_path / "few.zarr").contacts
    assert few is not None and set(few) == {"contact_count", "contact_force"}
    assert few.room == 2 and few["contact_count"][:, 1].max() > 2
    with pytest.raises(RecordingError, match="contacts must be"):
        px.Recorder(world, tmp_path / "no.zarr", contacts=-1)


def test_command_line(recorded: tuple[Path, px.World, dict[str, Any]], tmp_path: Path, capsys: Any) -> None:
    picture = tmp_path / "end.png"
    assert main(["replay", str(recorded[0]), "--env", "1", "--verify", "--picture", str(picture)]) == 0
    said = capsys.readouterr().out
    assert "object       cone/red" in said and "collection   solids: 3 objects, cylinder, pair, mesh" in said
    assert "solids in environment 1:" in said and "most contact N" in said and "verified" in said
    assert picture.stat().st_size > 10_000
    mesh = tmp_path / "wedge.obj"
    mesh.write_text("v 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    assert main(["info", str(mesh)]) == 0
    said = capsys.readouterr().out
    assert "wedge  4.5 kg, mesh wedge.obj of 4 triangles" in said


def test_every_shape_is_drawn(recorded: tuple[Path, px.World, dict[str, Any]]) -> None:
    """Seen from above without ground: each in a colour of its own."""
    world = recorded[1]
    above = Camera(eye=(0.8, 0.0, 9.0), target=(0.8, 0.001, 0.0), angle=34.0)
    image = render_world(world, env_ids=[1], size=(300, 300), ground=None, camera=above, kind="segmentation")
    colors, counts = np.unique(image.reshape(-1, 3), axis=0, return_counts=True)
    assert not colors[0].any() and len(colors) == 1 + len(world.actors) and counts.min() > 50


def test_what_cannot_be_recorded(tmp_path: Path) -> None:
    world = px.World()
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball", position=(0, 0, 1))
    with pytest.raises(RecordingError, match="nothing in the world has joint_pos; rigid objects have root_pose"):
        px.Recorder(world, tmp_path / "a.zarr", fields=["joint_pos"])
    assert not (tmp_path / "a.zarr").exists()
    world.add_robot(arm(), name="arm", fixed_base=True)
    with px.Recorder(world, tmp_path / "a.zarr", fields=["joint_pos"]):
        world.step()
    recording = open_recording(tmp_path / "a.zarr")
    assert recording.unrecorded == {"ball"} and verify(recording).ok
    assert main(["replay", str(tmp_path / "a.zarr"), "--picture", str(tmp_path / "a.png")]) == 2
    with pytest.raises(LoadError, match="no such folder"):
        open_recording(tmp_path / "b.zarr")
