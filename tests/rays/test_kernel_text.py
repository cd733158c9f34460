"""What kernels over rays are compiled to: PTX without a GPU, and what cannot be a kernel."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from phalanx.images.image_kernels import draw_pixels
from phalanx.images.motion import remember_frames
from phalanx.images.world_camera import attach_cameras
from phalanx.images.world_scene import gather_poses
from phalanx.rays.generate import generated
from phalanx.rays.placing import place_instances
from phalanx.rays.primitives import Reals
from phalanx.rays.ray_kernels import cast_pattern, cast_rays

NOTHING = (("FIELDS", 0), ("MESHES", 0), ("PLANES", 0), ("SOLIDS", 0))
EVERYTHING = tuple((name, 1) for name, _ in NOTHING)
PICTURES = tuple((name, 1) for name in ("MOTION", "ORIGINS", "SHADED", "SMOOTH", "TEXTURED", "TRANSPARENT"))
PICTURES += (("SHADOWS", 2),)


@pytest.fixture(scope="module")
def cuda() -> Iterator[ModuleType]:
    """The CUDA back end, told of a device of compute capability 9.0: helpers are compiled for the current one."""
    if importlib.util.find_spec("numba_cuda") is None:
        pytest.skip("numba-cuda is not installed (pip install 'phalanx[cuda12]')")
    nvvm: Any = importlib.import_module("numba.cuda.cudadrv.nvvm")
    try:
        nvvm.NVVM()
    except Exception as error:  # it has a type of its own for each way of not being there
        pytest.skip(f"NVVM is not installed: {error}")
    dispatcher: Any = importlib.import_module("numba.cuda.dispatcher")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=(9, 0)))
        yield importlib.import_module("phalanx.rays.cuda")


@pytest.mark.parametrize(
    ("kernel", "constants"),
    [
        (place_instances, ()),
        (remember_frames, ()),
        (gather_poses, ()),
        (attach_cameras, ()),
        (draw_pixels, (*EVERYTHING, *PICTURES)),
        (cast_rays, (*NOTHING[:1], ("MESHES", 1), *NOTHING[2:])),
        (cast_pattern, (("ALONE", 1), *NOTHING[:1], ("MESHES", 1), *NOTHING[2:], ("TOGETHER", 1))),
        (cast_pattern, EVERYTHING),
    ],
    ids=["place", "remember", "gather", "attach", "images", "meshes", "alone", "everything"],
)
def test_compiles_to_ptx(kernel: Any, constants: Any, cuda: ModuleType) -> None:
    """Without float64, in one function; trees are loaded by 16 bytes."""
    text = cuda.compile_ptx(kernel, constants)
    assert ".target sm_90" in text and ".entry" in text
    assert not [line for line in text.splitlines() if ".f64" in line and not line.strip().startswith((".reg", "//"))]
    assert "call" not in text
    if constants:
        assert len(re.findall(r"ld\.global\.nc\.v4", text)) >= 8
        assert len(re.findall(r"ld\.global\.nc\.v4\.u32", text)) == 6  # near and far sides of eight boxes
        assert not re.search(r"\bld\.[fbu]32", text), "loads that do not know where they read"


def test_kernels_are_made_for_their_case() -> None:
    """Constants are replaced, and text is the same for the same."""
    one, two = generated(cast_rays, "cpu", EVERYTHING), generated(cast_rays, "cpu", NOTHING)
    assert "\nSOLIDS = 1\n" in one.source and "\nSOLIDS = 0\n" in two.source and one.entry != two.entry
    assert generated(cast_rays, "cpu", EVERYTHING) is one
    assert "search_mesh = search_by_distance" in one.source
    assert "search_mesh = search_by_octant" in generated(cast_rays, "cpu", EVERYTHING, "cuda").source


def wrong(ray, values: Reals, number: float) -> None:
    """No kernel: its last argument is not one of theirs."""
    values[ray] = number


def test_what_is_no_kernel() -> None:
    with pytest.raises(ValueError, match="cast_rays uses no constants named CLOUDS"):
        generated(cast_rays, "cpu", (("CLOUDS", 1),))
    with pytest.raises(
        TypeError, match=r"wrong: \{'number': 'float'\}: annotations must be among Bytes, Int, Ints, Real"
    ):
        generated(wrong, "cpu")
