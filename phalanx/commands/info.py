"""``phalanx info``."""

from __future__ import annotations

from pathlib import Path


def info(robot: str, fix_inertias: bool = False, json: Path | None = None) -> None:
    """Print what a robot file says and what is odd in it, or a mesh as the rigid object that it would be."""
    from phalanx.commands.as_json import check_json, say, write_json
    from phalanx.commands.common import user_mistakes
    from phalanx.io.formats import library
    from phalanx.io.formats.rigid_body import rigid_model
    from phalanx.models.facts import facts
    from phalanx.models.info import describe
    from phalanx.models.meshes.mesh_files import FORMATS

    check_json(json)
    with user_mistakes():
        if Path(robot).suffix[1:].lower() in FORMATS:
            model = rigid_model(robot, Path(robot).stem)
        else:
            model = library.load_robot(robot, visuals=True, fix_inertias=fix_inertias)
    say(describe(model), json)
    with user_mistakes():
        write_json(json, facts(model))
