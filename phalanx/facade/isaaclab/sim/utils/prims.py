"""Everything about single prims, under the name by which scripts know the module."""

from phalanx.facade.isaaclab.sim.utils.attributes import (
    as_floats as _to_tuple,  # noqa: F401  Isaac Lab's own tests reach for it
)
from phalanx.facade.isaaclab.sim.utils.attributes import (
    change_prim_property,
    safe_set_attribute_on_usd_prim,
    safe_set_attribute_on_usd_schema,
)
from phalanx.facade.isaaclab.sim.utils.creation import (
    add_usd_reference,
    create_prim,
    delete_prim,
    export_prim_to_file,
    get_usd_references,
    make_uninstanceable,
    move_prim,
    select_usd_variants,
    set_prim_visibility,
)
from phalanx.facade.isaaclab.sim.utils.decorators import (
    apply_nested,
    clone,
)
from phalanx.facade.isaaclab.sim.utils.materials import (
    bind_physics_material,
    bind_visual_material,
)

__all__ = [
    "add_usd_reference",
    "apply_nested",
    "bind_physics_material",
    "bind_visual_material",
    "change_prim_property",
    "clone",
    "create_prim",
    "delete_prim",
    "export_prim_to_file",
    "get_usd_references",
    "make_uninstanceable",
    "move_prim",
    "safe_set_attribute_on_usd_prim",
    "safe_set_attribute_on_usd_schema",
    "select_usd_variants",
    "set_prim_visibility",
]
