"""Where bodies that carry instances are, from the poses that a world keeps."""

from phalanx.rays.primitives import Int, Ints, Reals, split


def place_bodies(
    item,
    slots: Int,
    stride: Int,
    poses: Reals,
    rows: Ints,
    own: Ints,
    envs: Ints,
    origins: Reals,
    position: Reals,
    orientation: Reals,
):
    """Put one body of one camera's environment of the scene where it is in the world.

    Args:
        item: camera * slots + body of the scene.
        stride: of ``poses`` (rows, 7, stride), environments last, from each environment's origin.
        rows: of bodies; -1: the environment's origin; -2: the world's.
        own: environments of bodies; -1: the camera's.
        envs: of cameras.
        origins: 3 an environment.
        position, orientation: results, 3 and 4 an item.
    """
    camera, slot = split(item, slots)
    row = rows[slot]
    env = own[slot]
    if env < 0:
        env = envs[camera]
    for k in range(3):
        position[3 * item + k] = 0.0
        orientation[4 * item + 1 + k] = 0.0
    orientation[4 * item] = 1.0
    if row >= -1:
        for k in range(3):
            position[3 * item + k] = origins[3 * env + k]
    if row >= 0:
        first = 7 * stride * row + env
        for k in range(3):
            position[3 * item + k] = position[3 * item + k] + poses[first + k * stride]
        for k in range(4):
            orientation[4 * item + k] = poses[first + (3 + k) * stride]
