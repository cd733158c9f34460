"""What a world simulates only if something in it asks for it: when it is built, or at any time after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phalanx.components import ShapeMaterial, TreeSleep
from phalanx.components.fluid import FluidBoxModel
from phalanx.components.sdf import DistanceFieldGeometry
from phalanx.ecs import Table
from phalanx.systems import feature_systems

if TYPE_CHECKING:
    from phalanx.world.contents import Contents

MOVING_SURFACES = "moving_surfaces"
TORSION = "torsion"

SLEEP = "sleep"
MESH_CORNERS = "mesh_corners"
FLUID = "fluid"
SQUEEZES = "squeezes"
SOFT_CONTACTS = "soft_contacts"

PARAMETERS = {
    TORSION: (ShapeMaterial.torsional_patch_radius, ShapeMaterial.min_torsional_patch_radius),
    SLEEP: (TreeSleep.threshold, TreeSleep.stabilization_threshold),
    MESH_CORNERS: (DistanceFieldGeometry.cell,),
    SOFT_CONTACTS: (ShapeMaterial.contact_stiffness,),
    FLUID: (FluidBoxModel.density, FluidBoxModel.viscosity),
}
"""Parameters that ask for a feature where they are not zero."""


def need(world: Contents, feature: str) -> None:
    """Give a world a feature, one of :data:`phalanx.systems.FEATURES`, unless it has it; a built one at once."""
    if feature in world._features:
        return
    world._features.add(feature)
    if world.built:
        schedule(world, feature)
        world._store.version += 1  # programs are made anew, with its systems


def schedule_all(world: Contents) -> None:
    """Find out which features a world needs whose tables are filled, and add their systems."""
    for feature, fields in PARAMETERS.items():
        with world._store.active():
            asked = any(bool(world._store.view(field).any()) for field in fields)
        if asked:
            world._features.add(feature)
    for feature in sorted(world._features):
        schedule(world, feature)


def schedule(world: Contents, feature: str) -> None:
    """Add the systems of a feature to a world's schedule, as far as there is what they follow, and their arrays."""
    store = world._store
    known = {system.name for system in world.schedule.systems()}
    for system in feature_systems(feature, world._together, known):
        targets = [access.target for access in system.arguments.values()]
        if all(store.has_rows(target if isinstance(target, Table) else target.table) for target in targets):
            world.schedule.add(system)
            for access in system.field_arguments.values():
                store.array(access.target)
