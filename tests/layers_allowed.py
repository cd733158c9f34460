# ruff: noqa: E501
"""What still goes against the order of the rooms, see ``layers.py``. These lists only ever shrink."""

UPWARD = []

CIRCULAR = [
    "facade/isaaclab/actuators/actuator_base -> facade/isaaclab/actuators/actuator_base_cfg",
    "facade/isaaclab/actuators/actuator_base_cfg -> facade/isaaclab/actuators/actuator_base",
    "facade/isaaclab/actuators/actuator_net -> facade/isaaclab/actuators/actuator_net_cfg",
    "facade/isaaclab/actuators/actuator_net_cfg -> facade/isaaclab/actuators/actuator_net",
    "facade/isaaclab/actuators/actuator_pd -> facade/isaaclab/actuators/actuator_pd_cfg",
    "facade/isaaclab/actuators/actuator_pd_cfg -> facade/isaaclab/actuators/actuator_pd",
    "facade/isaaclab/scene/interactive_scene -> facade/isaaclab/scene/state",
    "facade/isaaclab/scene/state -> facade/isaaclab/scene/interactive_scene",
    "facade/isaaclab/sensors/ray_caster/patterns/patterns -> facade/isaaclab/sensors/ray_caster/patterns/patterns_cfg",
    "facade/isaaclab/sensors/ray_caster/patterns/patterns_cfg -> facade/isaaclab/sensors/ray_caster/patterns/patterns",
    "facade/isaaclab/sim/spawners/from_files/from_files -> facade/isaaclab/sim/spawners/from_files/from_files_cfg",
    "facade/isaaclab/sim/spawners/from_files/from_files_cfg -> facade/isaaclab/sim/spawners/from_files/from_files",
    "facade/isaaclab/sim/spawners/lights/lights -> facade/isaaclab/sim/spawners/lights/lights_cfg",
    "facade/isaaclab/sim/spawners/lights/lights_cfg -> facade/isaaclab/sim/spawners/lights/lights",
    "facade/isaaclab/sim/spawners/materials/physics_materials -> facade/isaaclab/sim/spawners/materials/physics_materials_cfg",
    "facade/isaaclab/sim/spawners/materials/physics_materials_cfg -> facade/isaaclab/sim/spawners/materials/physics_materials",
    "facade/isaaclab/sim/spawners/materials/visual_materials -> facade/isaaclab/sim/spawners/materials/visual_materials_cfg",
    "facade/isaaclab/sim/spawners/materials/visual_materials_cfg -> facade/isaaclab/sim/spawners/materials/visual_materials",
    "facade/isaaclab/sim/spawners/meshes/meshes -> facade/isaaclab/sim/spawners/meshes/meshes_cfg",
    "facade/isaaclab/sim/spawners/meshes/meshes_cfg -> facade/isaaclab/sim/spawners/meshes/meshes",
    "facade/isaaclab/sim/spawners/sensors/sensors -> facade/isaaclab/sim/spawners/sensors/sensors_cfg",
    "facade/isaaclab/sim/spawners/sensors/sensors_cfg -> facade/isaaclab/sim/spawners/sensors/sensors",
    "facade/isaaclab/sim/spawners/shapes/shapes -> facade/isaaclab/sim/spawners/shapes/shapes_cfg",
    "facade/isaaclab/sim/spawners/shapes/shapes_cfg -> facade/isaaclab/sim/spawners/shapes/shapes",
    "facade/isaaclab/sim/spawners/wrappers/wrappers -> facade/isaaclab/sim/spawners/wrappers/wrappers_cfg",
    "facade/isaaclab/sim/spawners/wrappers/wrappers_cfg -> facade/isaaclab/sim/spawners/wrappers/wrappers",
    "facade/isaaclab/terrains/height_field/hf_terrains -> facade/isaaclab/terrains/height_field/hf_terrains_cfg",
    "facade/isaaclab/terrains/height_field/hf_terrains -> facade/isaaclab/terrains/height_field/utils",
    "facade/isaaclab/terrains/height_field/hf_terrains_cfg -> facade/isaaclab/terrains/height_field/hf_terrains",
    "facade/isaaclab/terrains/height_field/utils -> facade/isaaclab/terrains/height_field/hf_terrains_cfg",
    "facade/isaaclab/terrains/terrain_generator -> facade/isaaclab/terrains/terrain_generator_cfg",
    "facade/isaaclab/terrains/terrain_generator_cfg -> facade/isaaclab/terrains/terrain_generator",
    "facade/isaaclab/terrains/trimesh/mesh_terrains -> facade/isaaclab/terrains/trimesh/mesh_terrains_cfg",
    "facade/isaaclab/terrains/trimesh/mesh_terrains -> facade/isaaclab/terrains/trimesh/repeated",
    "facade/isaaclab/terrains/trimesh/mesh_terrains_cfg -> facade/isaaclab/terrains/trimesh/mesh_terrains",
    "facade/isaaclab/terrains/trimesh/repeated -> facade/isaaclab/terrains/trimesh/mesh_terrains_cfg",
    "facade/isaaclab/utils/modifiers/modifier -> facade/isaaclab/utils/modifiers/modifier_base",
    "facade/isaaclab/utils/modifiers/modifier -> facade/isaaclab/utils/modifiers/modifier_cfg",
    "facade/isaaclab/utils/modifiers/modifier_base -> facade/isaaclab/utils/modifiers/modifier_cfg",
    "facade/isaaclab/utils/modifiers/modifier_cfg -> facade/isaaclab/utils/modifiers/modifier",
    "facade/isaaclab/utils/noise/noise_cfg -> facade/isaaclab/utils/noise/noise_model",
    "facade/isaaclab/utils/noise/noise_model -> facade/isaaclab/utils/noise/noise_cfg",
    "facade/isaaclab_contrib/actuators/thruster -> facade/isaaclab_contrib/actuators/thruster_cfg",
    "facade/isaaclab_contrib/actuators/thruster_cfg -> facade/isaaclab_contrib/actuators/thruster",
]

REACHES = []

LOOSE = []
