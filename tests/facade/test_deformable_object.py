"""Deformable objects are declared, and say that they are not simulated."""

from __future__ import annotations

import inspect

import pytest

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.assets import (
    AssetBase,
    DeformableObject,
    DeformableObjectCfg,
    DeformableObjectData,
)


def test_the_configuration_can_be_made() -> None:
    cfg = DeformableObjectCfg(prim_path="/World/sponge")
    cfg.validate()  # pyright: ignore[reportAttributeAccessIssue]
    assert cfg.class_type is DeformableObject and cfg.spawn is None and cfg.collision_group == 0 and not cfg.debug_vis
    assert cfg.init_state.pos == (0.0, 0.0, 0.0) and cfg.init_state.rot == (1.0, 0.0, 0.0, 0.0)
    assert not hasattr(cfg.init_state, "lin_vel")
    assert cfg.visualizer_cfg.prim_path == "/Visuals/DeformableTarget" and list(cfg.visualizer_cfg.markers) == [
        "target"
    ]


def test_the_object_cannot_be_made_and_leaves_nothing() -> None:
    now = stage.new_stage()
    cfg = DeformableObjectCfg(prim_path="/World/sponge", spawn=sim_utils.CuboidCfg(size=(1.0, 1.0, 1.0)))
    patterns = physics_events.patterns()
    with pytest.raises(NotImplementedError, match="DeformableObject '/World/sponge': soft bodies are not simulated"):
        cfg.class_type(cfg)
    assert not now.GetPrimAtPath("/World/sponge")
    assert physics_events.patterns() == patterns


@pytest.mark.parametrize("cls", [DeformableObject, DeformableObjectData])
def test_every_member_says_so(cls: type) -> None:
    """All that the class declares itself, methods and properties."""
    one = object.__new__(cls)
    names = [name for name in vars(cls) if not name.startswith("_") and name != "cfg"]
    assert len(names) >= 10
    for name in names:
        with pytest.raises(NotImplementedError, match=rf"{cls.__name__}\.{name}: .* are not simulated yet"):
            found = getattr(one, name)
            wanted = [p for p in inspect.signature(found).parameters.values() if p.default is p.empty]
            found(*[0.0] * len(wanted))
    assert issubclass(DeformableObject, AssetBase)
