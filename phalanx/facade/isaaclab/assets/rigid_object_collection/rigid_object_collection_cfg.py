"""Configuration of a collection of rigid objects."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

from phalanx.facade.isaaclab.assets.rigid_object import RigidObjectCfg
from phalanx.facade.isaaclab.assets.rigid_object_collection.rigid_object_collection import RigidObjectCollection
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class RigidObjectCollectionCfg:
    """Configuration of a collection of rigid objects."""

    class_type: Any = RigidObjectCollection
    """The class of the asset."""
    rigid_objects: dict[str, RigidObjectCfg] = MISSING  # pyright: ignore[reportAssignmentType]
    """The objects by names of your choice, in the order that the collection has them."""
