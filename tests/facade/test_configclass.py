"""Configurations: what becomes a field, who shares what, and dictionaries there and back."""

# What the decorator adds is tested here, so the type checker has to look away; and defaults may be mutable.
# pyright: basic, reportCallIssue=false, reportGeneralTypeIssues=false
# ruff: noqa: RUF012

from __future__ import annotations

import abc
import math
from collections.abc import Callable
from dataclasses import MISSING, field, fields
from typing import Any, ClassVar

import numpy as np
import pytest

from phalanx.facade.isaaclab.utils import configclass
from phalanx.facade.isaaclab.utils.dict import class_to_dict, update_class_from_dict
from phalanx.facade.isaaclab.utils.io import dump_yaml, load_yaml


def square(x: float) -> float:
    return x * x


class Plain:
    gain = 2.0


@configclass
class ViewerCfg:
    eye: list = [7.5, 7.5, 7.5]
    lookat: tuple[float, float, float] = (0.0, 0.0, 0.0)
    backend: Any = None


@configclass
class EnvCfg:
    num_envs: int = MISSING  # pyright: ignore[reportAssignmentType]
    spacing = 4.0
    viewer: ViewerCfg = ViewerCfg()
    gains = {"hip": 1.0, "knee": 2.0}
    reward: Callable = square
    class_type: type = Plain
    name: str = MISSING  # pyright: ignore[reportAssignmentType]
    LIMIT: ClassVar[int] = 3

    class Inner:
        """Not a field."""

    @property
    def area(self) -> float:
        return self.spacing**2

    @classmethod
    def default(cls) -> EnvCfg:
        return cls(num_envs=1, name="")

    @staticmethod
    def twice(x: float) -> float:
        return 2 * x

    def method(self) -> float:
        return self.spacing


@configclass
class ChildCfg(EnvCfg):
    spacing = 5.0
    extra: list[ViewerCfg] = [ViewerCfg(), ViewerCfg(eye=[1.0])]

    def __post_init__(self) -> None:
        self.name = f"{self.num_envs} environments"
        self.viewer.eye[0] = 1.5


def test_members_are_fields_and_methods_are_not():
    names = [f.name for f in fields(EnvCfg)]
    assert sorted(names) == [
        "class_type", "gains", "name", "num_envs", "reward", "spacing", "viewer"
    ]  # fmt: skip
    cfg = EnvCfg.default()
    assert cfg.area == 16.0 and cfg.method() == 4.0 and EnvCfg.twice(2.0) == 4.0 and EnvCfg.LIMIT == 3
    assert cfg.reward(3.0) == 9.0 and cfg.class_type is Plain and isinstance(EnvCfg.Inner(), EnvCfg.Inner)
    assert EnvCfg(num_envs=2).name is MISSING


def test_instances_share_nothing():
    shared = ViewerCfg(eye=[1.0, 2.0, 3.0])
    a, b = EnvCfg(num_envs=1, viewer=shared), EnvCfg(num_envs=1, viewer=shared)
    a.viewer.eye[0] = 9.0
    a.gains["hip"] = 9.0
    assert b.viewer.eye == shared.eye == [1.0, 2.0, 3.0]
    assert b.gains["hip"] == EnvCfg().gains["hip"] == 1.0
    assert EnvCfg().viewer is not EnvCfg().viewer


def test_inheritance_keeps_order_and_overrides():
    cfg = ChildCfg(num_envs=4)
    assert cfg.spacing == 5.0 and cfg.name == "4 environments" and cfg.viewer.eye == [1.5, 7.5, 7.5]
    assert EnvCfg().viewer.eye == [7.5, 7.5, 7.5]
    assert [f.name for f in fields(ChildCfg)][:7] == [f.name for f in fields(EnvCfg)]
    assert ChildCfg.__dataclass_fields__["spacing"].type is float


def test_parents_post_init_is_called_as_classes_ask():
    @configclass
    class Parent:
        calls: list = []

        def __post_init__(self):
            self.calls.append("parent")

    @configclass
    class Silent(Parent):
        pass

    @configclass
    class Asking(Parent):
        def __post_init__(self):
            super().__post_init__()
            self.calls.append("child")

    @configclass
    class Alone(Parent):
        def __post_init__(self):
            self.calls.append("child")

    assert (Silent().calls, Asking().calls, Alone().calls) == (["parent"], ["parent", "child"], ["child"])
    assert Parent().calls == ["parent"]


def test_bases_that_are_no_configurations_and_fields_of_dataclasses():
    class Mixin:
        rate = 50
        names = ["a"]

    class Base(abc.ABC):  # noqa: B024
        def run(self):
            return self.rate  # pyright: ignore[reportAttributeAccessIssue]

    @configclass
    class Cfg(Mixin, Base):
        own: dict = field(default_factory=dict)
        later: int = field()  # pyright: ignore[reportGeneralTypeIssues]
        rate: int = 60

        kind = dict

    assert Cfg.__annotations__["kind"] == type[dict]
    cfg = Cfg()
    cfg.names.append("b")
    assert Cfg().names == ["a"] and cfg.own == {} and cfg.later is MISSING and cfg.run() == 60
    assert {f.name for f in fields(cfg)} == {"rate", "names", "own", "later", "kind"}


def test_a_narrower_annotation_keeps_the_default():
    @configclass
    class Narrow(EnvCfg):
        viewer: ViewerCfg
        spacing: float

    assert Narrow().viewer.eye == [7.5, 7.5, 7.5] and Narrow().spacing == 4.0


def test_a_member_without_value_and_annotation_is_told():
    with pytest.raises(TypeError, match="Missing type annotation for 'x' in class Bad"):

        @configclass
        class Bad:
            x = MISSING


def test_an_annotation_without_a_value_is_told():
    with pytest.raises(ValueError, match=r"'x' of class Bad has no value: give it one, or dataclasses\.MISSING"):

        @configclass
        class Bad(ViewerCfg):
            lookat: tuple
            count: ClassVar[int]
            x: int


def test_options_of_dataclasses():
    @configclass(frozen=True)
    class Frozen:
        values: list = [1]

    with pytest.raises(AttributeError):
        Frozen().values = [2]  # pyright: ignore[reportAttributeAccessIssue]


# -- validate, replace, copy -----------------------------------------------------------------------------------------


def test_validate_names_what_is_missing_everywhere():
    cfg = ChildCfg()
    cfg.extra[1].backend = {"deep": [MISSING]}
    with pytest.raises(TypeError) as error:
        cfg.validate()  # pyright: ignore[reportAttributeAccessIssue]
    assert str(error.value).splitlines() == [
        "Missing values detected in object ChildCfg for the following fields:",
        "  - num_envs",
        "  - extra[1].backend.deep[0]",
    ]
    ChildCfg(num_envs=1).validate()  # pyright: ignore[reportAttributeAccessIssue]


def test_replace_and_copy():
    cfg: Any = EnvCfg(num_envs=1, name="a")
    other, changed = cfg.copy(), cfg.replace(num_envs=2)
    assert other == cfg and other is not cfg and other.viewer is not cfg.viewer
    other.viewer.eye[0] = -1.0
    assert cfg.viewer.eye[0] == 7.5
    assert (changed.num_envs, changed.name, cfg.num_envs) == (2, "a", 1)
    with pytest.raises(TypeError, match="num_env"):
        cfg.replace(num_env=3)


# -- dictionaries ----------------------------------------------------------------------------------------------------


def test_to_dict_is_plain():
    cfg: Any = ChildCfg(num_envs=3)
    cfg.viewer.backend = np.zeros(2)
    found = cfg.to_dict()
    assert found["class_type"] == f"{__name__}:Plain" and found["reward"] == f"{__name__}:square"
    assert found["extra"][1] == {"eye": [1.0], "lookat": (0.0, 0.0, 0.0), "backend": None}
    assert found["viewer"]["backend"] is cfg.viewer.backend
    assert class_to_dict(EnvCfg())["num_envs"] == {}  # as 2.3.2 has it: MISSING is an object without attributes
    with pytest.raises(ValueError, match="expected an object with attributes, not int"):
        class_to_dict(3)


def test_dictionaries_there_and_back():
    cfg: Any = ChildCfg(num_envs=3)
    other: Any = ChildCfg(num_envs=0, spacing=1.0, reward=math.sqrt, class_type=dict)
    other.gains["hip"] = other.viewer.eye = None
    other.from_dict(cfg.to_dict())
    assert other == cfg and other.reward is square


def test_updates_reach_members_of_members():
    cfg: Any = ChildCfg(num_envs=3)
    viewer = cfg.viewer
    cfg.from_dict(
        {
            "spacing": 2,
            "viewer": {"lookat": [1.0, 2.0, 3.0]},
            "gains": {"knee": 7.0, "toe": 1.0},
            "extra": [{"eye": [4.0, 4.0]}, {"backend": {"a": 1}}],
            "reward": "math:hypot",
            "class_type": "lambda: 3",
        },
        allow_code=True,
    )
    assert cfg.viewer is viewer and viewer.lookat == (1.0, 2.0, 3.0) and viewer.eye == [1.5, 7.5, 7.5]
    assert type(cfg.spacing) is float and cfg.gains == {"hip": 1.0, "knee": 7.0, "toe": 1.0}
    assert cfg.extra[0].eye == [4.0, 4.0] and cfg.extra[1].backend == {"a": 1} and isinstance(cfg.extra[1], ViewerCfg)
    assert cfg.reward is math.hypot and cfg.class_type() == 3
    cfg.from_dict({"viewer": {"eye": (1.0, 2.0, 3.0), "lookat": [4.0]}})  # what is given stays, except where a tuple is
    assert viewer.eye == (1.0, 2.0, 3.0) and viewer.lookat == (4.0,)


@configclass
class RewardCfg:
    weight: Any = lambda x: 2.0 * x


@pytest.mark.parametrize("text", ["lambda x: open(x)", "(lambda: 3)", "no_such_package_here:run"])
def test_text_is_not_executed_unless_allowed(text, tmp_path):
    """A YAML file that somebody else has written must not run what it says."""
    cfg: Any = RewardCfg()
    file = str(tmp_path / "cfg.yaml")
    dump_yaml(file, {"weight": text})
    with pytest.raises(ValueError, match=r"\[Config\]: /weight is .*allow_code=True"):
        cfg.from_dict(load_yaml(file))
    assert cfg.weight(2.0) == 4.0
    with pytest.raises(ValueError, match="allow_code=True"):
        update_class_from_dict({"a": RewardCfg()}, {"a": {"weight": text}})


def test_lambdas_there_and_back():
    cfg: Any = RewardCfg()
    weight = cfg.weight
    cfg.from_dict(cfg.to_dict())
    assert cfg.weight is weight
    cfg.from_dict({"weight": "lambda x: 5"}, allow_code=True)
    assert cfg.weight(1) == 5


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ({"viewer": {"eyes": [1.0]}}, KeyError, "not found under namespace: /viewer/eyes. ViewerCfg has eye"),
        ({"copy": 3}, KeyError, "/copy"),
        ({"num_envs": 2.5}, ValueError, "namespace: /num_envs. Expected: int, Received: float"),
        ({"spacing": True}, ValueError, "namespace: /spacing. Expected: float, Received: bool"),
        ({"viewer": {"eye": 3.0}}, ValueError, "namespace: /viewer/eye. Expected: list, Received: float"),
        ({"viewer": 3.0}, ValueError, "namespace: /viewer. Expected: ViewerCfg"),
        ({"reward": 3.0}, ValueError, "namespace: /reward"),
        ({"reward": "math:no_such"}, ValueError, "'math:no_such' cannot be found"),
        ({"extra": [{"eye": [1.0]}]}, ValueError, "Incorrect length under namespace: /extra. Expected: 2, Received: 1"),
        ({"extra": [{"eye": [1.0]}, {"ear": 1}]}, KeyError, "/extra/1/ear"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(data, error, message):
    with pytest.raises(error) as told:
        update_class_from_dict(ChildCfg(num_envs=1), data)
    assert message in str(told.value)


def test_subclasses_that_are_not_decorated_have_their_members_too():
    """Isaac Lab's tutorial ``add_new_robot.py`` has such a scene."""

    @configclass
    class Scene:
        spacing: float = 2.0

    class Robots(Scene):
        ground = {"size": 1.0}
        arm = [1, 2]
        spacing = 5.0

        def helper(self) -> int:
            return 1

    class More(Robots):
        arm = [3]

    first, second = More(), More()
    assert set(vars(first)) == {"spacing", "arm", "ground"}
    first.arm.append(4)
    assert second.arm == [3] and Robots.arm == [1, 2] and first.arm == [3, 4]
    assert first.spacing == 2.0, "fields of the configuration keep its default, as with Isaac Lab"
    assert first.helper() == 1
