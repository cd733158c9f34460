"""What all configurations of spawners have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any

from phalanx.facade.isaaclab.sim import schemas
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class SpawnerCfg:
    """What to put on the stage: ``cfg.func(prim_path, cfg, translation, orientation)`` does it.

    The path's last but one part may be a regular expression: prims are then made below all prims that match.
    """

    func: Callable[..., Any] = MISSING  # pyright: ignore[reportAssignmentType]
    """The function that makes the prim and returns it."""

    visible: bool = True
    """Whether it is shown."""

    semantic_tags: list[tuple[str, str]] | None = None
    """Pairs of a type and a value, such as ``("class", "table")``, that are kept on the prim."""

    copy_from_source: bool = True
    """Whether prims below several parents are copies of the first one; else they inherit from it."""


@configclass
class RigidObjectSpawnerCfg(SpawnerCfg):
    """What to put on the stage, with physics."""

    mass_props: schemas.MassPropertiesCfg | None = None
    """Mass or density."""

    rigid_props: schemas.RigidBodyPropertiesCfg | None = None
    """Of the rigid body; without them shapes are static colliders."""

    collision_props: schemas.CollisionPropertiesCfg | None = None
    """Of colliders; without them shapes are only to be looked at."""

    activate_contact_sensors: bool = False
    """Whether rigid bodies report their contacts."""


@configclass
class DeformableObjectSpawnerCfg(SpawnerCfg):
    """What to put on the stage as a deformable body, which is not simulated yet."""

    mass_props: schemas.MassPropertiesCfg | None = None
    """Mass or density."""

    deformable_props: schemas.DeformableBodyPropertiesCfg | None = None
    """Of the deformable body: spawning it raises ``NotImplementedError``."""
