"""What a world simulates only if something in it asks for it: when it is built, or at any time after."""

from __future__ import annotations

from phalanx.components import ShapeMaterial, TreeSleep, TreeTopology
from phalanx.components.fluid import FluidBoxModel
from phalanx.components.sdf import DistanceFieldGeometry
from phalanx.ecs import Table
from phalanx.systems import feature_systems
from phalanx.world.engine.engine import Engine

MOVING_SURFACES = "moving_surfaces"
TURNING_SUPPORTS = "turning_supports"
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


def need(engine: Engine, feature: str) -> None:
    """Give a world a feature, one of :data:`phalanx.systems.FEATURES`, unless it has it; a built one at once."""
    if feature in engine.features:
        return
    engine.features.add(feature)
    if engine.built:
        schedule(engine, feature)
        engine.store.version += 1  # programs are made anew, with its systems


def schedule_all(engine: Engine) -> None:
    """Find out which features a world needs whose tables are filled, and add their systems."""
    for feature, fields in PARAMETERS.items():
        with engine.store.active():
            asked = any(bool(engine.store.view(field).any()) for field in fields)
        if asked:
            engine.features.add(feature)
    if _may_turn(engine):
        engine.features.add(TURNING_SUPPORTS)
    for feature in sorted(engine.features):
        schedule(engine, feature)


def _may_turn(engine: Engine) -> bool:
    """Whether there is something loose, and something that may take it along an arc: kinematic, or an arm."""
    with engine.store.active():
        topology = engine.store[TreeTopology]
        free, yields = topology.is_free != 0, topology.yields != 0
        moves = topology.end_dof > topology.first_dof
        return bool((free & yields).any() and (moves & ~(free & yields)).any())


def schedule(engine: Engine, feature: str) -> None:
    """Add the systems of a feature to a world's schedule, as far as there is what they follow, and their arrays."""
    store = engine.store
    known = {system.name for system in engine.schedule.systems()}
    for system in feature_systems(feature, engine.one_tree, known):
        targets = [access.target for access in system.arguments.values()]
        if system.name in known:
            continue
        if all(store.has_rows(target if isinstance(target, Table) else target.table) for target in targets):
            engine.schedule.add(system)
            for access in system.field_arguments.values():
                store.array(access.target)
