"""Opens USD files, with what they are composed of, and only from folders that the user named.

Layers are opened one by one, each only once it is known to lie where it may, before a stage composes any of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from phalanx.io.formats.usd.bindings import Ar, Sdf, Stage, Tf, Usd
from phalanx.io.formats.usd.size import check_size
from phalanx.io.reading import limits
from phalanx.io.reading.boundary import of_file, place
from phalanx.io.reading.errors import LoadError


def open_stage(path: str | os.PathLike[str], asset_dirs: Iterable[str | os.PathLike[str]] = ()) -> Stage:
    """The stage of a file, with all payloads.

    What it refers to may lie in its own folder, in that of the package around it (a parent folder with a
    ``package.xml``) and in ``asset_dirs``, all with what is below them, symbolic links followed.

    Raises:
        LoadError: a file is missing, cannot be read or lies elsewhere.
    """
    file = Path(path)
    if not file.is_file():
        raise LoadError(f"{path}: no such file; check the path (the current folder is {os.getcwd()}).")
    allowed = _allowed(file, asset_dirs)
    with place(of_file(path)):
        return _open(path, file, allowed)


def _open(path: str | os.PathLike[str], file: Path, allowed: list[Path]) -> Stage:
    layers = _check(file, allowed)
    check_size(layers[str(file)], layers)
    try:
        stage = Usd.Stage.Open(str(file), Usd.Stage.LoadAll)
    except Tf.ErrorException as error:
        raise LoadError(f"{path}: this is not a readable USD file ({_short(error)}); export it again.") from None
    for layer in stage.GetUsedLayers():
        outer = Ar.SplitPackageRelativePathOuter(layer.realPath)[0]
        if outer and not _inside(outer, allowed):
            raise LoadError(f"{path}: it is composed of {outer}, {_elsewhere(allowed)}")
    return stage


def problems(stage: Stage) -> list[str]:
    """What could not be composed, one sentence each."""
    return [f"it could not be composed as written: {_short(error)}" for error in stage.GetCompositionErrors()]


def _allowed(file: Path, asset_dirs: Iterable[str | os.PathLike[str]]) -> list[Path]:
    folder = Path(os.path.realpath(file)).parent
    package = next((one for one in (folder, *folder.parents) if (one / "package.xml").is_file()), None)
    given = [Path(os.path.realpath(os.path.expanduser(one))) for one in asset_dirs]
    return [folder, *([package] if package else []), *given]


def _check(file: Path, allowed: list[Path]) -> dict[str, Any]:
    """Open a file's layers in turn and refuse what leads elsewhere; returns them by what they are called."""
    waiting = [(str(file), "")]
    seen: dict[str, Any] = {}
    while waiting:
        name, source = waiting.pop()
        if name in seen:
            continue
        limits.check("includes", len(seen), of_file(source))
        limits.check("mesh_bytes", os.path.getsize(name) if os.path.isfile(name) else 0, of_file(name))
        seen[name] = layer = _layer(name, source)
        for prim in layer.rootPrims:
            _refuse_clips(prim, layer)
        for given in sorted(filter(None, layer.GetCompositionAssetDependencies())):  # "" is the layer itself
            waiting.append((_resolved(given, layer, allowed), layer.identifier))
    return seen


def _refuse_clips(prim: Any, layer: Any) -> None:
    """Value clips would open further files, when values are asked for."""
    if prim.HasInfo("clips"):
        raise LoadError(
            f"{layer.identifier}: <{prim.path}>: value clips are not read; flatten the stage, or remove them."
        )
    for child in prim.nameChildren:
        _refuse_clips(child, layer)
    for variants in prim.variantSets.values():
        for variant in variants.variants.values():
            _refuse_clips(variant.primSpec, layer)


def _resolved(given: str, layer: Any, allowed: list[Path]) -> str:
    """The file behind a name in a layer, which must be there and may be opened."""
    where = f"{layer.identifier}: @{given}@"
    if given.startswith("`"):
        raise LoadError(f"{where} is an expression; write the path itself.")
    if "://" in given and not given.startswith("file://"):
        raise LoadError(f"{where} is an address; download it and refer to its path.")
    name = unquote(given.removeprefix("file://"))
    anchored = Sdf.ComputeAssetPathRelativeToLayer(layer, name)
    outer = Ar.SplitPackageRelativePathOuter(anchored)[0]
    if not os.path.isabs(outer):
        found = Ar.GetResolver().Resolve(outer)
        outer = str(found) or os.path.join(os.path.dirname(layer.realPath), outer)
    if not _inside(outer, allowed):
        raise LoadError(f"{where} leads to {os.path.realpath(outer)}, {_elsewhere(allowed)}")
    if not os.path.isfile(outer):
        raise LoadError(f"{where}: the file {outer} is missing.")
    return anchored


def _layer(name: str, source: str) -> Any:
    try:
        layer = Sdf.Layer.FindOrOpen(name)
    except Tf.ErrorException as error:
        raise LoadError(f"{name}: this is not a readable USD file ({_short(error)}); export it again.") from None
    if not layer:
        by = f" (referred to by {source})" if source else ""
        raise LoadError(f"{name}: this is not a readable USD file{by}; export it again.")
    return layer


def _inside(file: str, allowed: list[Path]) -> bool:
    real = Path(os.path.realpath(file))
    return any(real.is_relative_to(folder) for folder in allowed)


def _elsewhere(allowed: list[Path]) -> str:
    folders = ", ".join(dict.fromkeys(str(folder) for folder in allowed))
    return f"outside the folders allowed for this file ({folders}); move it there or add its folder to asset_dirs."


def _short(error: Any) -> str:
    text = " ".join(str(error).split())
    _, _, after = text.partition(" : ")
    return (after or text).strip("' ")[:300]
