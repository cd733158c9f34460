"""Python objects in pickle files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from phalanx.ecs.whole_files import write_bytes


def load_pickle(filename: str) -> Any:
    """The object in a pickle file. Reading one executes what it says: only read files that you trust."""
    return pickle.loads(Path(filename).read_bytes())


def dump_pickle(filename: str, data: Any) -> None:
    """Write an object to a pickle file; ``.pkl`` is appended to names without it, missing folders are made."""
    path = Path(filename if str(filename).endswith("pkl") else f"{filename}.pkl")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, pickle.dumps(data))
