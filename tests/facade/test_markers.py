"""Markers: point instancers on the stage, without physics; what shows them when something is rendered."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from phalanx.facade import physics_events
from phalanx.facade import stage as stages
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.assets import RigidObject, RigidObjectCfg
from phalanx.facade.isaaclab.markers import VisualizationMarkers, VisualizationMarkersCfg, config
from phalanx.io.formats.usd.bindings import Usd, UsdGeom

pytest.importorskip("pxr", reason="usd-core is not installed (pip install 'phalanx[isaac]')")

RIGID = {
    "rigid_props": sim_utils.RigidBodyPropertiesCfg(),
    "mass_props": sim_utils.MassPropertiesCfg(mass=1.0),
    "collision_props": sim_utils.CollisionPropertiesCfg(),
}
SORTS: Any = VisualizationMarkersCfg(
    prim_path="/Visuals/sorts",
    markers={"ball": sim_utils.SphereCfg(radius=0.1), "box": sim_utils.CuboidCfg(size=(0.1, 0.2, 0.3), **RIGID)},
)


@pytest.fixture(autouse=True)
def stage() -> Iterator[Any]:
    """A new stage."""
    yield stages.new_stage()
    sim_utils.SimulationContext.clear_instance()
    physics_events.clear()


def instancer(markers: VisualizationMarkers) -> Any:
    """The prim."""
    return UsdGeom.PointInstancer.Get(stages.get_stage(), markers.prim_path)


def transforms(markers: VisualizationMarkers) -> np.ndarray:
    """(n, 4, 4): where USD has the markers, multiplied with rows, without the prototypes' own transforms."""
    time, mode = Usd.TimeCode.Default(), UsdGeom.PointInstancer.ExcludeProtoXform
    return np.array(instancer(markers).ComputeInstanceTransformsAtTime(time, time, mode))


def test_markers_are_where_they_are_put(give):
    markers = VisualizationMarkers(SORTS)
    assert markers.num_prototypes == 2 == markers.count and markers.is_visible()
    assert [str(path) for path in instancer(markers).GetPrototypesRel().GetTargets()] == [
        "/Visuals/sorts/ball", "/Visuals/sorts/box",
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    places, scales = rng.normal(size=(5, 3)), rng.uniform(0.5, 2.0, (5, 3))
    turns = Rotation.from_quat(rng.normal(size=(5, 4)))
    given = give(places.astype("float32"), turns.as_quat(scalar_first=True).astype("float32"), scales.astype("float32"))
    markers.visualize(*given, marker_indices=[1, 0, 1, 1, 0])
    assert markers.count == 5 and list(instancer(markers).GetProtoIndicesAttr().Get()) == [1, 0, 1, 1, 0]
    found = transforms(markers)
    assert found[:, 3, :3] == pytest.approx(places, abs=1e-6)
    expected = turns.as_matrix() * scales[:, None, :]
    assert found[:, :3, :3].swapaxes(1, 2) == pytest.approx(expected, abs=4e-3)  # USD keeps half floats of them
    moved = give(np.zeros((5, 3), "float32"))
    markers.visualize(translations=moved)  # all else stays
    assert transforms(markers)[:, :3, :3] == pytest.approx(found[:, :3, :3]) and not transforms(markers)[:, 3, :3].any()
    assert list(instancer(markers).GetProtoIndicesAttr().Get()) == [1, 0, 1, 1, 0]


def test_another_number_of_markers_starts_anew():
    markers = VisualizationMarkers(SORTS)
    markers.visualize(np.ones((3, 3)), np.tile([0.0, 1.0, 0.0, 0.0], (3, 1)), np.full((3, 3), 2.0), np.ones(3, int))
    markers.visualize(np.ones((4, 3)))
    assert list(instancer(markers).GetProtoIndicesAttr().Get()) == [0] * 4
    assert transforms(markers)[:, :3, :3] == pytest.approx(np.tile(np.eye(3), (4, 1, 1)))
    markers.visualize(marker_indices=[1, 1])
    assert markers.count == 2 and not transforms(markers)[:, 3, :3].any()
    markers.visualize(np.zeros((0, 3)))
    assert markers.count == 0 and len(instancer(markers).GetPositionsAttr().Get()) == 0


def test_hidden_markers_stay_where_they_are():
    markers = VisualizationMarkers(SORTS)
    markers.visualize(np.ones((3, 3)))
    markers.set_visibility(False)
    markers.visualize(np.zeros((7, 3)))
    assert not markers.is_visible() and markers.count == 3 and (transforms(markers)[:, 3, :3] == 1).all()
    markers.set_visibility(True)
    markers.visualize(np.zeros((7, 3)))
    assert markers.is_visible() and markers.count == 7
    other = VisualizationMarkers(SORTS)
    assert other.prim_path == "/Visuals/sorts_01" and "2 markers of 2 sorts" in str(other) and "1: box" in str(other)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "visualize.. needs one of translations, orientations, scales, marker_indices"),
        ({"translations": np.zeros((2, 4))}, r"translations has shape \(n, 3\), not \(2, 4\)"),
        ({"orientations": np.zeros(4)}, r"orientations has shape \(n, 4\), not \(4,\)"),
        ({"scales": np.ones((2, 3)), "marker_indices": [0]}, "different numbers of markers: {'scales': 2, 'marker_"),
        ({"marker_indices": [0, 2]}, "marker_indices must be from 0 to 1"),
        ({"marker_indices": [-1, 0]}, "marker_indices must be from 0 to 1"),
    ],
)
def test_wrong_use_changes_nothing(arguments, message):
    markers = VisualizationMarkers(SORTS)
    before = stages.get_stage().GetRootLayer().ExportToString()
    with pytest.raises(ValueError, match=message):
        markers.visualize(**arguments)
    assert stages.get_stage().GetRootLayer().ExportToString() == before and markers.count == 2


def test_configurations_must_make_sense(stage):
    before = stage.GetRootLayer().ExportToString()
    with pytest.raises(ValueError, match="markers has no sort of marker"):
        VisualizationMarkers(VisualizationMarkersCfg(prim_path="/Visuals/none", markers={}))
    with pytest.raises(ValueError, match="'2 balls' cannot be the name of a prim"):
        VisualizationMarkers(SORTS.replace(markers={"2 balls": SORTS.markers["ball"]}))
    assert stage.GetRootLayer().ExportToString() == before


@pytest.mark.parametrize("name", config.__all__)
def test_ready_markers_can_be_put_on_the_stage(name, stage):
    cfg = getattr(config, name).replace(prim_path=f"/Visuals/{name}")
    markers = VisualizationMarkers(cfg)
    markers.visualize(np.zeros((3, 3)), marker_indices=np.full(3, markers.num_prototypes - 1))
    shown = [stage.GetPrimAtPath(f"/Visuals/{name}/{sort}") for sort in cfg.markers]
    bounds = UsdGeom.BBoxCache(Usd.TimeCode.Default(), [UsdGeom.Tokens.default_])
    sizes = [max(bounds.ComputeUntransformedBound(prim).ComputeAlignedRange().GetSize()) for prim in shown]
    hidden = [prim.GetAttribute("visibility").Get() == "invisible" for prim in shown]
    assert all(size > 1e-4 for size, out in zip(sizes, hidden, strict=True) if not out)


def test_ready_markers_are_changed_by_copy(stage):
    ready: Any = config.FRAME_MARKER_CFG
    cfg = ready.copy()
    cfg.markers["frame"].scale = (0.1, 0.1, 0.1)
    assert ready.markers["frame"].scale == (0.5, 0.5, 0.5)
    VisualizationMarkers(cfg.replace(prim_path="/Visuals/frame"))
    box = UsdGeom.BBoxCache(Usd.TimeCode.Default(), [UsdGeom.Tokens.default_])
    size = box.ComputeWorldBound(stage.GetPrimAtPath("/Visuals/frame/frame")).ComputeAlignedRange().GetSize()
    assert tuple(size) == pytest.approx([0.105] * 3, abs=1e-6)  # 0.1 m, and half of an arrow's head the other way


def test_markers_have_no_physics(stage, device, caplog, tmp_path):
    other = Usd.Stage.CreateNew(str(tmp_path / "robot.usda"))
    other.SetDefaultPrim(other.DefinePrim("/robot", "Xform"))
    for name in "ab":
        prim = other.DefinePrim(f"/robot/{name}", "Sphere")
        for schema in ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysxRigidBodyAPI"):
            prim.AddAppliedSchema(schema)
    joint = other.DefinePrim("/robot/joint", "PhysicsFixedJoint")
    joint.CreateRelationship("physics:body0").AddTarget("/robot/a")
    joint.CreateRelationship("physics:body1").AddTarget("/robot/b")
    other.Save()
    sorts = {**SORTS.markers, "robot": sim_utils.UsdFileCfg(usd_path=str(tmp_path / "robot.usda"))}
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(device=device))
    markers = VisualizationMarkers(VisualizationMarkersCfg(prim_path="/Visuals/all", markers=sorts))
    with caplog.at_level(logging.WARNING):
        sim.reset()
    assert sim.stage_world.is_empty and not caplog.records
    markers.visualize(np.zeros((9, 3)), marker_indices=[2] * 9)
    sim.step()
    del markers


class Shown(RigidObject):
    """A box that shows where it is."""

    calls: list[Any]

    def _set_debug_vis_impl(self, debug_vis: bool) -> None:
        self.calls = []
        if not hasattr(self, "markers"):
            self.markers = VisualizationMarkers(VisualizationMarkersCfg("/Visuals/Shown", SORTS.markers))
        self.markers.set_visibility(debug_vis)

    def _debug_vis_callback(self, event: Any) -> None:
        self.calls.append(event)
        self.markers.visualize(self.data.root_pos_w)


def test_assets_show_what_they_know_when_something_is_rendered(stage, device):
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(device=device, dt=0.01, gravity=(0.0, 0.0, 0.0)))
    box = sim_utils.CuboidCfg(size=(0.1, 0.1, 0.1), **RIGID)
    cfg: Any = RigidObjectCfg(prim_path="/World/Box", spawn=box, debug_vis=True)
    plain = RigidObject(cfg)
    assert not plain.has_debug_vis_implementation and plain.set_debug_vis(True) is False
    shown = Shown(cfg.replace(prim_path="/World/Other", init_state=RigidObjectCfg.InitialStateCfg(pos=(1.0, 2.0, 3.0))))
    assert shown.has_debug_vis_implementation and shown.markers.is_visible()
    sim.render()
    assert not shown.calls  # it does not know its body yet
    sim.reset()
    sim.step()
    assert [event.payload["dt"] for event in shown.calls] == [pytest.approx(0.01)]  # the event of Kit's update
    assert transforms(shown.markers)[0, 3, :3].tolist() == [1, 2, 3]
    assert shown.set_debug_vis(False) is True and not shown.markers.is_visible()
    sim.step()
    assert shown.calls == [] and shown.set_debug_vis(True)
    sim.step(render=False)
    assert shown.calls == []
    calls = shown.calls
    del shown
    gc.collect()
    sim.step()
    assert calls == []
