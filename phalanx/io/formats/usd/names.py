"""Names for actors, bodies and joints from the paths of prims."""

from __future__ import annotations


class Names:
    """Hands out names that are not taken: the prim's own, or as much of its path as it takes."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str) -> None:
        """Keep a name from being handed out."""
        self._taken.add(name)

    def free(self, path: str) -> str:
        """A name for the prim at a path."""
        parts = path.strip("/").split("/")
        for count in range(1, len(parts) + 1):
            name = "_".join(parts[-count:])
            if name not in self._taken:
                break
        else:
            number = 2
            while f"{parts[-1]}_{number}" in self._taken:
                number += 1
            name = f"{parts[-1]}_{number}"
        self._taken.add(name)
        return name
