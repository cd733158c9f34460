"""What ``phalanx assets`` takes."""

from __future__ import annotations

from phalanx.commands.cli.options import Action, Flag, Folder, Names


def assets(
    action: Action,
    name: Names = (),
    folder: Folder = None,
    replace: Flag = False,
) -> int:
    """Make stand-ins for the robots' files that Isaac Lab looks for on NVIDIA's servers, or fetch those.

    Args:
        action: list says what there is; build writes stand-ins from published descriptions; fetch asks NVIDIA's server.
        name: which, such as anymal-c or "anymal-*"; all by default, but for fetch.
        folder: where they go; by default PHALANX_ASSET_ROOT, else the user's folder of data.
        replace: build: write over files that are no stand-ins.
    """
    from phalanx.commands.assets import assets

    assets(action, [*name], folder, replace)
    return 0
