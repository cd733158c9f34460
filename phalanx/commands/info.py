"""``phalanx info``."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def info(robot: str, fix_inertias: bool = False, json: Path | None = None) -> None:
    """Print what a robot file says and what is odd in it, or a mesh as the rigid object that it would be."""
    from phalanx.commands.as_json import check_json, say, write_json
    from phalanx.commands.common import user_mistakes
    from phalanx.io.formats import element_files, library
    from phalanx.io.formats.rigid_body import rigid_model
    from phalanx.models.facts import facts
    from phalanx.models.info import describe
    from phalanx.models.meshes.mesh_files import FORMATS

    check_json(json)
    if Path(robot).suffix[1:].lower() in element_files.FORMATS:
        with user_mistakes():
            report = element_report(Path(robot))
        say(element_text(report), json)
        with user_mistakes():
            write_json(json, report)
        return
    with user_mistakes():
        if Path(robot).suffix[1:].lower() in FORMATS:
            model = rigid_model(robot, Path(robot).stem)
        else:
            model = library.load_robot(robot, visuals=True, fix_inertias=fix_inertias)
    say(describe(model), json)
    with user_mistakes():
        write_json(json, facts(model))


def element_report(path: Path) -> dict[str, Any]:
    """What a mesh of elements is made of, and how good its elements are (1 is regular, 0 flat)."""
    from phalanx.io.formats.element_files import read_elements
    from phalanx.models.meshes.tet_mesh import TetMesh

    found = read_elements(path)
    report: dict[str, Any] = {"file": str(path), "nodes": len(found.nodes)}
    report["size"] = (found.nodes.max(axis=0) - found.nodes.min(axis=0)).tolist() if len(found.nodes) else [0.0] * 3
    for corners, name in ((4, "tetrahedra"), (3, "triangles")):
        if not len(found.elements.get(corners, ())):
            continue
        mesh = found.tets() if corners == 4 else found.triangles()
        quality = mesh.quality
        report[name] = {
            "count": len(quality),
            "nodes": len(mesh.nodes),
            "least_quality": float(quality.min()),
            "mean_quality": float(quality.mean()),
            "worst": int(quality.argmin()),
            "of": float(mesh.volumes.sum() if isinstance(mesh, TetMesh) else mesh.areas.sum()),
        }
        if corners == 4:  # the triangles of such files are mostly those of the surface
            break
    return report


def element_text(report: dict[str, Any]) -> str:
    """The report, for people."""
    x, y, z = report["size"]
    lines = [f"{report['file']}: {report['nodes']} nodes, {x:.4g} x {y:.4g} x {z:.4g} m"]
    for name, unit in (("tetrahedra", "m^3"), ("triangles", "m^2")):
        if name in report:
            each = report[name]
            lines.append(f"{name:<13}{each['count']} on {each['nodes']} nodes, {each['of']:.4g} {unit}")
            lines.append(
                f"quality      {each['least_quality']:.3f} at least (number {each['worst']}), "
                f"{each['mean_quality']:.3f} on average; 1 is regular, 0 flat"
            )
    return "\n".join(lines)
