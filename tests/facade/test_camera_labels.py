"""Pictures of labels and prims: filters, numbers and colours, what they stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from facade.camera_scenes import ENV, SEGMENTATIONS, at, ball, basics, camera, looking, same
from facade.sensor_scenes import box, environments
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.sensors.camera.segmentation import distinct_colors
from phalanx.facade.isaaclab.sensors.camera.semantic_filter import SemanticFilter
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaacsim.core.utils.semantics import add_update_semantics

EYE, AHEAD = (-3.0, 0.0, 2.0), looking([1.0, 0.0, -0.5])


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=0.01))
    SimulationContext.clear_instance()
    physics_events.clear()


DOCUMENTED = "typeA : labelA & !labelB | labelC , typeB: labelA ; typeC: labelE"


@pytest.mark.parametrize(
    ("text", "labels", "kept"),
    [
        ("*:*", ["a:x", "b:y"], ["a:x", "b:y"]),
        ("a:*", ["a:x", "b:y"], ["a:x"]),
        ("*:y", ["a:x", "b:y"], ["b:y"]),
        (["b"], ["a:x", "b:y"], ["b:y"]),
        (["a", "b"], ["a:x", "b:y", "c:z"], ["a:x", "b:y"]),
        ([], ["a:x"], []),
        (DOCUMENTED, ["typeA:labelA"], ["typeA:labelA"]),
        (DOCUMENTED, ["typeA:labelA", "typeA:labelB"], []),
        (DOCUMENTED, ["typeA:labelA", "typeA:labelB", "typeA:labelC"], ["typeA:labelC"]),
        (DOCUMENTED, ["typeB:labelA", "typeC:labelD"], ["typeB:labelA"]),
        (DOCUMENTED, ["typeC:labelE", "typeD:labelE"], ["typeC:labelE"]),
        (DOCUMENTED, ["typeB:labelC"], []),
        ("a: !x", ["a:y"], ["a:y"]),
        ("a: !x", ["a:x", "a:y"], []),
        ("a: !x", ["b:y"], []),
        ("typeA : * ; * : labelA", ["typeA:q", "typeB:labelA", "typeB:labelB"], ["typeA:q", "typeB:labelA"]),
    ],
)
def test_filters(text: Any, labels: list[str], kept: list[str]) -> None:
    found = SemanticFilter(text).kept(frozenset((a, b) for a, _, b in (label.partition(":") for label in labels)))
    assert sorted(f"{kind}:{label}" for kind, label in found) == sorted(kept)


@pytest.mark.parametrize("text", ["ball", "a:", "a: x & ", ":x", "a: x | | y"])
def test_filters_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="semantic_filter"):
        SemanticFilter(text)


def test_colors_are_distinct_and_stay() -> None:
    many = distinct_colors(3000)
    assert len(set(many)) == 3000 and many[:7] == distinct_colors(7)
    near = np.abs(np.array(many[:12])[:, None] - np.array(many[:12])[None]).sum(-1) + 999 * np.eye(12, dtype=int)
    assert near.min() > 40
    assert not {(0, 0, 0, 0), (0, 0, 0, 255)} & set(many)


def things() -> Any:
    """In each of three environments a box of no label, and balls with labels of both sorts, one on two prims."""
    environments(3)
    basics()
    ball(f"{ENV}/red", (0.0, 0.8, 0.4), 0.4, semantic_tags=[("class", "ball"), ("color", "red")])
    ball(f"{ENV}/blue", (0.0, -0.8, 0.4), 0.4, semantic_tags=[("color", "blue")])
    for i in range(3):
        root = stage.get_stage().GetPrimAtPath(f"/World/envs/env_{i}/blue")
        add_update_semantics(root.GetChild("geometry"), "toy", "class")
    return box("box", (0.0, 0.0, 0.2), size=0.4)


def shown(data: Any, name: str, env: int) -> dict[str, int]:
    """Numbers of pixels by what they stand for, as ``info`` says."""
    picture, info = host(data.output[name])[env].astype(int), data.info[env][name]["idToLabels"]
    found: dict[str, int] = {}
    for key, meaning in info.items():
        value = ast.literal_eval(key)
        count = int((picture == np.array(value)).all(-1).sum())
        if count:
            found[str(meaning)] = count
    assert sum(found.values()) == picture.shape[0] * picture.shape[1]  # all pixels are explained
    return found


@pytest.mark.parametrize("colored", [True, False])
def test_what_pixels_stand_for(sim: SimulationContext, colored: bool) -> None:
    """Each environment's pixels are explained by its own prims; colours and numbers are the same for all."""
    _body = things()
    fields = ("semantic_segmentation", "instance_segmentation", "instance_id_segmentation")
    settings = {f"colorize_{name}": colored for name in fields}
    mapping = {"class:ball": (9, 8, 7, 255), "class:UNLABELLED": (1, 2, 3), "class:none": (5, 5, 5, 5)}
    one = camera(
        f"{ENV}/eye", offset=at(EYE, AHEAD), semantic_segmentation_mapping=mapping if colored else {}, **settings
    )
    sim.reset()
    data = one.data
    for name in SEGMENTATIONS:
        picture = data.output[name]
        dtype, channels = ("uint8", 4) if colored else ("int32", 1)
        assert str(picture.dtype).endswith(dtype) and picture.shape[-1] == channels
        same(host(picture)[1], host(picture)[0])
    assert next(iter(data.info[0]["semantic_segmentation"]["idToLabels"])) == ("(0, 0, 0, 0)" if colored else "0")
    assert data.info[0]["rgb"] is None and len(data.info) == 3
    for env in range(3):
        home = f"/World/envs/env_{env}"
        semantic = shown(data, "semantic_segmentation", env)
        red, blue = "{'class': 'ball', 'color': 'red'}", "{'class': 'toy', 'color': 'blue'}"
        assert set(semantic) == {red, blue, "{'class': 'UNLABELLED'}"}
        instances = shown(data, "instance_segmentation_fast", env)
        assert set(instances) == {f"{home}/red", f"{home}/blue/geometry", "UNLABELLED"}
        assert instances[f"{home}/red"] == semantic[red] and instances[f"{home}/blue/geometry"] == semantic[blue]
        prims = shown(data, "instance_id_segmentation_fast", env)
        meshes = {f"{home}/{name}/geometry/mesh" for name in ("red", "blue", "box")}
        assert set(prims) == meshes | {"/World/ground/GroundPlane/CollisionPlane"}
        assert prims[f"{home}/red/geometry/mesh"] == semantic[red] > 10
        paths = data.info[env]["instance_segmentation_fast"]
        of_path = {path: key for key, path in paths["idToLabels"].items()}
        assert paths["idToSemantics"][of_path[f"{home}/red"]] == {"class": "ball", "color": "red"}
        assert paths["idToSemantics"][of_path["BACKGROUND"]] == {"class": "BACKGROUND"}
    assert data.info["semantic_segmentation"] == data.info[0]["semantic_segmentation"]  # type: ignore[call-overload]
    if colored:
        colors = host(data.output["semantic_segmentation"])[0].reshape(-1, 4)
        assert (colors == (9, 8, 7, 255)).all(1).sum() == shown(data, "semantic_segmentation", 0)[red]
        assert (colors == (1, 2, 3, 255)).all(1).any()


def test_labels_that_are_filtered(sim: SimulationContext) -> None:
    """What has no label that counts is as if it had none, and an instance is the nearest prim that has one."""
    _body = things()
    offset = at(EYE, AHEAD)
    ones = {
        "color": camera(f"{ENV}/a", offset=offset, semantic_filter=["color"]),
        "ball": camera(f"{ENV}/b", offset=offset, semantic_filter="class: ball | cube"),
    }
    sim.reset()
    home = "/World/envs/env_2"
    color = shown(ones["color"].data, "semantic_segmentation", 2)
    assert set(color) == {"{'color': 'red'}", "{'color': 'blue'}", "{'class': 'UNLABELLED'}"}
    instances = shown(ones["color"].data, "instance_segmentation_fast", 2)
    assert set(instances) == {f"{home}/red", f"{home}/blue", "UNLABELLED"}
    assert set(shown(ones["ball"].data, "semantic_segmentation", 2)) == {"{'class': 'ball'}", "{'class': 'UNLABELLED'}"}
    assert set(shown(ones["ball"].data, "instance_segmentation_fast", 2)) == {f"{home}/red", "UNLABELLED"}
    assert len(shown(ones["ball"].data, "instance_id_segmentation_fast", 2)) == 4


def test_labels_that_are_new(sim: SimulationContext) -> None:
    """A label that a prim gets while the simulation plays is in the next picture; nothing is where nothing is."""
    _body = things()
    one = camera(f"{ENV}/eye", offset=at(EYE, looking([1.0, 0.0, 0.3])))
    sim.reset()
    assert "{'class': 'BACKGROUND'}" in shown(one.data, "semantic_segmentation", 0)
    assert "BACKGROUND" in shown(one.data, "instance_id_segmentation_fast", 1)
    one.set_world_poses(orientations=np.tile([0.97, 0.0, 0.24, 0.0], (3, 1)), convention="world")
    prim = stage.get_stage().GetPrimAtPath("/World/ground")
    sim_utils.add_labels(prim, ["floor"])
    one.update(0.01)
    assert "{'class': 'floor'}" in shown(one.data, "semantic_segmentation", 1)
    assert "/World/ground" in shown(one.data, "instance_segmentation_fast", 2)
