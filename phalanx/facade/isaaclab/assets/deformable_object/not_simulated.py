"""What everything about deformable objects says."""

from __future__ import annotations

from typing import Any, NoReturn


def refuse(name: str) -> NoReturn:
    """Raise NotImplementedError for something by its name."""
    raise NotImplementedError(f"{name}: soft bodies are not simulated yet; use RigidObject")


def missing(owner: str, name: str, doc: str) -> Any:
    """A property that there is nothing to read for."""

    def get(self: Any) -> Any:
        refuse(f"{owner}.{name}")

    return property(get, doc=doc)
