"""What readers of whole scenes share: grounds, the one robot of a file, and what users are warned of."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

from phalanx.io.reading.errors import LoadError
from phalanx.models.robot_model import RobotModel

USD_SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")

MOST = 8
"""Sentences in a warning."""

NAMED = 6
"""Names in a sentence."""

SCENE_SUFFIXES = (".xml", ".mjcf", *USD_SUFFIXES)
"""Endings of files that hold whole scenes."""

SOFT = "the engine's contacts and limits are rigid, so softness is not taken over"
SPRINGS = "taken over as springs and dampers"
"""Part of what is said where softness is."""


@dataclass
class Ground:
    """A plane: its unit ``normal``, its ``distance`` from the origin along that, m, and its surface."""

    name: str
    normal: tuple[float, float, float]
    distance: float
    material: dict[str, object]
    contact_type: int
    contact_affinity: int


def keyframe_names(models: Iterable[RobotModel]) -> list[str]:
    """Names of the keyframes of any of the models, each once."""
    return list(dict.fromkeys(frame.name for model in models for frame in model.keyframes))


def one_robot(
    path: str | os.PathLike[str], robots: dict[str, RobotModel], contents: Iterable[str], told: list[str], adder: str
) -> RobotModel:
    """The only one of a file's robots, with what is told of the file and what is left out as its warnings.

    Args:
        robots: by name.
        contents: names of all that the file has, the robots included.
        told: warnings of the scene.
        adder: the method that adds all of it.

    Raises:
        LoadError: there is not exactly one robot.
    """
    if len(robots) != 1:
        raise LoadError(
            f"{path}: the file has {len(robots)} robots ({_some(list(robots)) or 'none'}) where one is needed; load it "
            f"as a scene, by {adder}."
        )
    ((name, model),) = robots.items()
    model.warnings = list(told)
    left = [one for one in contents if one != name]
    if left:
        model.warnings.append(f"{path}: only the robot is loaded, without {_some(left)}; {adder} loads all.")
    return model


def _some(names: list[str]) -> str:
    return ", ".join(names[:NAMED]) + (", ..." if len(names) > NAMED else "")


def warn_of(sentences: list[str], path: str) -> None:
    """Warn of what a file has that is not simulated, all at once; how soft contacts are goes without saying."""
    told = [text for text in sentences if SOFT not in text and SPRINGS not in text]
    if told:
        more = f"\n... and {len(told) - MOST} more, see its warnings" if len(told) > MOST else ""
        warnings.warn(f"{path} has what is not simulated:\n" + "\n".join(told[:MOST]) + more, stacklevel=4)
