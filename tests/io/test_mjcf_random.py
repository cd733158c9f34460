"""Files made at random mean the same as in MuJoCo: whatever bodies, joints, classes and frames are put together."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles import host
from oracles.mjcf_compare import check_file, check_mass_matrices, check_poses, joints_of, nodes_of, set_states
from oracles.mjcf_oracle import MjcfOracle

import phalanx as px
from phalanx.ecs import Store
from phalanx.io.formats.mjcf import load_scene
from phalanx.models.pose import body_frames

numbers = st.floats(-2.0, 2.0).map(lambda x: round(x, 3))
sizes = st.floats(0.01, 0.5).map(lambda x: round(x, 3))


def triple(strategy: st.SearchStrategy[float], count: int = 3) -> st.SearchStrategy[str]:
    return st.lists(strategy, min_size=count, max_size=count).map(lambda v: " ".join(map(str, v)))


def attribute(name: str, strategy: st.SearchStrategy) -> st.SearchStrategy[str]:
    """The attribute, or nothing."""
    return st.one_of(st.just(""), strategy.map(lambda value: f' {name}="{value}"'))


directions = triple(numbers).filter(lambda text: np.linalg.norm([float(w) for w in text.split()]) > 0.1)
turns = st.one_of(
    st.just(""),
    triple(numbers, 4)
    .filter(lambda text: np.linalg.norm([float(w) for w in text.split()]) > 0.1)
    .map(lambda text: f' quat="{text}"'),
    triple(st.floats(-180, 180).map(lambda x: round(x, 2))).map(lambda text: f' euler="{text}"'),
    st.tuples(directions, st.integers(-180, 180)).map(lambda pair: f' axisangle="{pair[0]} {pair[1]}"'),
    directions.map(lambda text: f' zaxis="{text}"'),
)
poses = st.tuples(attribute("pos", triple(numbers)), turns).map("".join)
classes = attribute("class", st.sampled_from(["main", "a", "b"]))
ends = st.tuples(triple(numbers), directions).map(
    lambda pair: (
        f' fromto="{pair[0]} '
        + " ".join(str(float(x) + float(y)) for x, y in zip(pair[0].split(), pair[1].split(), strict=True))
        + '"'
    )
)
geoms = st.one_of(
    st.tuples(sizes, poses).map(lambda v: f'<geom type="sphere" size="{v[0]}"{v[1]}'),
    st.tuples(st.sampled_from(["box", "ellipsoid"]), triple(sizes), poses).map(
        lambda v: f'<geom type="{v[0]}" size="{v[1]}"{v[2]}'
    ),
    st.tuples(st.sampled_from(["capsule", "cylinder"]), triple(sizes, 2), poses).map(
        lambda v: f'<geom type="{v[0]}" size="{v[1]}"{v[2]}'
    ),
    st.tuples(st.sampled_from(["capsule", "cylinder", "box", "ellipsoid"]), sizes, ends).map(
        lambda v: f'<geom type="{v[0]}" size="{v[1]}"{v[2]}'
    ),
)
extras = st.tuples(
    classes,
    attribute("mass", st.floats(0.1, 5.0).map(lambda x: round(x, 2))),
    attribute("friction", triple(sizes, 1)),
    attribute("contype", st.integers(0, 7)),
    attribute("conaffinity", st.integers(0, 7)),
    attribute("group", st.integers(0, 4)),
).map("".join)
shapes = st.tuples(geoms, extras).map(lambda pair: f"{pair[0]}{pair[1]}/>")
joints = st.tuples(
    st.sampled_from(["hinge", "slide"]),
    directions,
    attribute("pos", triple(numbers)),
    attribute("range", st.tuples(st.integers(-90, -1), st.integers(1, 90)).map(lambda v: f"{v[0]} {v[1]}")),
    attribute("ref", numbers),
    attribute("stiffness", sizes),
    attribute("springref", numbers),
    attribute("damping", sizes),
    classes,
).map(lambda v: f'<joint type="{v[0]}" axis="{v[1]}"' + "".join(v[2:]) + "/>")


def body(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    inside = st.tuples(
        st.lists(joints, max_size=3).map("".join),
        shapes,
        st.lists(st.one_of(shapes, children), max_size=3).map("".join),
    ).map("".join)
    framed = st.tuples(poses, children).map(lambda pair: f"<frame{pair[0]}>{pair[1]}</frame>")
    copied = st.tuples(triple(numbers), triple(numbers), children).map(
        lambda v: f'<replicate count="2" offset="{v[0]}" euler="{v[1]}">{v[2]}</replicate>'
    )
    plain = st.tuples(poses, attribute("childclass", st.sampled_from(["a", "b"])), inside).map(
        lambda v: f"<body{v[0]}{v[1]}>{v[2]}</body>"
    )
    return st.one_of(plain, framed, copied)


leaves = st.tuples(poses, st.lists(joints, max_size=2).map("".join), shapes).map(
    lambda v: f"<body{v[0]}>{v[1]}{v[2]}</body>"
)
bodies = st.recursive(leaves, body, max_leaves=5)
free = st.tuples(poses, shapes, st.lists(bodies, max_size=2).map("".join)).map(
    lambda v: f"<body{v[0]}><freejoint/>{v[1]}{v[2]}</body>"
)
files = st.tuples(
    st.sampled_from(["xyz", "ZYX", "zxZ"]),
    st.sampled_from(["true", "auto"]),
    st.lists(st.one_of(bodies, free, shapes), min_size=1, max_size=3).map("".join),
).map(
    lambda v: (
        f"""<mujoco><compiler eulerseq="{v[0]}" inertiafromgeom="{v[1]}" inertiagrouprange="0 4"/>
    <default><joint armature=".1"/><default class="a"><joint damping=".3"/><geom density="300"/>
    <default class="b"><geom condim="1" margin=".01"/><joint ref=".1"/></default></default></default>
    <worldbody>{v[2]}</worldbody></mujoco>"""
    )
)


@settings(max_examples=60, deadline=None)
@given(files, st.integers(0, 1000))
def test_random_files(text: str, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.xml"
        file.write_text(text)
        oracle, scene = MjcfOracle(file), load_scene(file)
    check_file(oracle, scene)
    q = oracle.random_state(np.random.default_rng(seed))
    places, turned = oracle.poses(q)
    numbers_of = {id(node): n for n, node in enumerate(nodes_of(scene), 1)}
    states = oracle.joint_state(scene, q)
    for tree in scene.trees.values():
        if not tree.nodes:
            continue
        root = oracle.root_pose(scene, tree.name, q)
        frames = body_frames(tree.model, states[tree.name], root[:3].tolist(), root[3:].tolist())
        for node in tree.nodes:
            rotation, origin = frames[node.name]
            np.testing.assert_allclose(origin, places[numbers_of[id(node)]], atol=1e-9)
            np.testing.assert_allclose(rotation, turned[numbers_of[id(node)]], atol=1e-9)
    assert len(joints_of(scene)) == oracle.model.njnt


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=files, seed=st.integers(0, 1000))
def test_random_worlds(text: str, seed: int, device: str) -> None:
    world = px.World(2, device=device, dtype="float64")
    patched = patch.object(Store, "precompile")  # what does not run need not be compiled
    with patched, tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        file = Path(folder) / "model.xml"
        file.write_text(text)
        warnings.simplefilter("ignore")  # of what is not simulated
        oracle, scene, added = MjcfOracle(file), load_scene(file), world.add_mjcf(file)
        rng = np.random.default_rng(seed)
        states = [oracle.random_state(rng) for _ in range(2)]
        if added.robots or added.objects:
            set_states(world, added, scene, oracle, states)
            check_poses(added, scene, oracle, states, host)
            check_mass_matrices(added, scene, oracle, states, host)
