"""What configurations of importers have in common: fields that are set, also by functions of their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any


class Settings:
    """A dataclass whose fields are also set by functions: ``set_fix_base(True)`` for ``fix_base = True``.

    A field that does not exist is refused, so that a name that is mistyped is told.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field.

        Raises:
            AttributeError: there is no such field.
        """
        known = [each.name for each in fields(self)]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        if name not in known:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; there are {', '.join(known)}")
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Callable[[Any], None]:
        """The function that sets a field, for ``set_`` and the field's name.

        Raises:
            AttributeError: there is no such field.
        """
        field = name.removeprefix("set_")
        if name.startswith("set_") and field in {each.name for each in fields(self)}:  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
            return lambda value: setattr(self, field, value)
        raise AttributeError(f"{type(self).__name__} has no {name!r}")


__all__ = ["Settings"]
