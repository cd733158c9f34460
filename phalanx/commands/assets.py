"""``phalanx assets``: stand-ins for the files of Isaac Lab's robots, or NVIDIA's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from phalanx.commands.common import UserError, progress_bar, user_mistakes


def assets(action: str, names: Sequence[str], where: Path | None, replace: bool) -> None:
    """List, build or fetch.

    Raises:
        UserError: a name is unknown, a package is missing, or a server cannot be reached.
    """
    from phalanx.assets import catalogue
    from phalanx.assets.places import folder

    root = folder() if where is None else where
    try:
        chosen = catalogue.chosen(names)
    except KeyError as error:
        raise UserError(f"{error.args[0][0].upper()}{error.args[0][1:]}.") from None
    if action == "fetch" and not names:
        raise UserError("Say which files to fetch: phalanx assets fetch anymal-c franka; `assets list` has the names.")
    try:
        if action == "list":
            _list(chosen, root)
        elif action == "build":
            _build(chosen, root, replace)
        else:
            _fetch(chosen, root)
    except ImportError as error:  # of USD, by which files are told from stand-ins
        raise UserError(str(error)) from error


def _list(chosen: Sequence[Any], root: Path) -> None:
    from phalanx.assets.building import is_stand_in

    print(f"Below {root}:")
    for one in chosen:
        path = root / one.files[0]
        state = "-" if not path.exists() else "stand-in" if is_stand_in(path) else "own file"
        print(f"{one.name:22}{state:10}{one.files[0]}")


def _build(chosen: Sequence[Any], root: Path, replace: bool) -> None:
    from phalanx.assets.building import build
    from phalanx.assets.descriptions import MissingPackageError

    count, kept, missing = 0, [], []
    with user_mistakes(), progress_bar(len(chosen), "file", "stand-ins") as bar:
        for one in chosen:
            try:
                written = build(one, root, replace)
            except MissingPackageError as error:
                missing.append((one.name, str(error)))
                written = []
            except ImportError as error:
                raise UserError(f"{one.name}: {error}") from error
            else:
                kept += [] if written else [one.name]
            count += len(written)
            bar.update(1)
    print(f"{count} files of stand-ins are below {root}.")
    if kept:
        print(f"Kept, since files of your own are there: {', '.join(kept)}; --replace writes over them.")
    if missing and not count:
        raise UserError(f"{missing[0][1]}.")
    if missing:
        print(f"Not made: {', '.join(name for name, _ in missing)}; {missing[0][1]}.")


def _fetch(chosen: Sequence[Any], root: Path) -> None:
    from phalanx.assets.fetching import FetchError, fetch

    for one in chosen:
        for name in one.files:
            bars: dict[str, Any] = {}

            def tell(file: str, have: int, total: int, bars: dict[str, Any] = bars) -> None:
                if file not in bars:
                    bars[file] = progress_bar(total, "B", Path(file).name)
                bars[file].update(have - bars[file].n)

            try:
                with user_mistakes():
                    found = fetch(name, root, tell)
            except FetchError as error:
                raise UserError(f"{one.name}: {error}.") from error
            finally:
                for bar in bars.values():
                    bar.close()
            print(f"{one.name}: {len(found.files)} files, {found.size / 1e6:.1f} MB fetched: {root / name}")
            if found.missing:
                print(f"{one.name}: the server does not have {', '.join(found.missing)}")
