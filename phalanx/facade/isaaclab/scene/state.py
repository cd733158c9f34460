"""States of scenes, as they are kept in recordings of demonstrations: by kind, name and quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phalanx.facade.namespaces import array, copy, rows

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.scene.interactive_scene import InteractiveScene

State = dict[str, dict[str, dict[str, Any]]]
ROOT = {"root_pose": "root_link_pose_w", "root_velocity": "root_com_vel_w"}
JOINTS = {"joint_position": "joint_pos", "joint_velocity": "joint_vel"}
NODES = {"nodal_position": "nodal_pos_w", "nodal_velocity": "nodal_vel_w"}
OBJECTS = {"object_pose": "object_link_pose_w", "object_velocity": "object_com_vel_w"}

_PLACES = ("_pose", "nodal_position")
"""Ends of the names of what depends on where an environment is."""


def _families(scene: InteractiveScene) -> dict[str, tuple[dict[str, Any], dict[str, str]]]:
    """Assets of each kind by name, and where their data has what a state holds."""
    found = {
        "articulation": (scene.articulations, {**ROOT, **JOINTS}),
        "deformable_object": (scene.deformable_objects, NODES),
        "rigid_object": (scene.rigid_objects, ROOT),
    }
    if scene.rigid_object_collections:
        found["rigid_object_collection"] = (scene.rigid_object_collections, OBJECTS)
    return found


def read_state(scene: InteractiveScene, is_relative: bool) -> State:
    """See :meth:`InteractiveScene.get_state`."""
    origins = scene.env_origins
    state: State = {}
    for kind, (family, quantities) in _families(scene).items():
        state[kind] = {}
        for name, asset in family.items():
            one = state[kind][name] = {key: copy(getattr(asset.data, where)) for key, where in quantities.items()}
            for pose in (one[key] for key in quantities if key.endswith(_PLACES) and is_relative):
                pose[..., :3] -= origins if pose.ndim == 2 else origins[:, None]
    return state


def write_state(scene: InteractiveScene, state: State, env_ids: Any, is_relative: bool) -> None:
    """See :meth:`InteractiveScene.reset_to`."""
    kinds = _families(scene)
    given = {
        (kind, name): {key: _given(state, kind, name, key, scene.device) for key in quantities}
        for kind, (family, quantities) in kinds.items()
        for name in family
    }
    origins = scene.env_origins if env_ids is None else scene.env_origins[rows(env_ids)]
    scene.reset(env_ids)
    for (kind, name), values in given.items():
        asset = kinds[kind][0][name]
        for key in values:
            if key.endswith(_PLACES) and is_relative:
                pose = values[key] = copy(values[key])
                pose[..., :3] += origins if pose.ndim == 2 else origins[:, None]
        if "nodal_position" in values:
            asset.write_nodal_pos_to_sim(values["nodal_position"], env_ids=env_ids)
            asset.write_nodal_velocity_to_sim(values["nodal_velocity"], env_ids=env_ids)
            continue
        if "object_pose" in values:
            asset.write_object_link_pose_to_sim(values["object_pose"], env_ids=env_ids)
            asset.write_object_com_velocity_to_sim(values["object_velocity"], env_ids=env_ids)
            continue
        asset.write_root_link_pose_to_sim(values["root_pose"], env_ids=env_ids)
        asset.write_root_com_velocity_to_sim(values["root_velocity"], env_ids=env_ids)
        if "joint_position" in values:
            position, velocity = values["joint_position"], values["joint_velocity"]
            asset.write_joint_state_to_sim(position, velocity, env_ids=env_ids)
            asset.set_joint_position_target(position, env_ids=env_ids)
            asset.set_joint_velocity_target(velocity, env_ids=env_ids)
    scene.write_data_to_sim()


def _given(state: State, kind: str, name: str, key: str, device: str) -> Any:
    try:
        return array(state[kind][name][key], device, "float32")
    except KeyError:
        raise KeyError(f"reset_to: the state has no state[{kind!r}][{name!r}][{key!r}]") from None
