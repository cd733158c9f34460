"""Writing what some environments have measured into what all have."""

from __future__ import annotations

from typing import Any

from phalanx.facade.namespaces import common, copy


def put(data: Any, name: str, values: Any, chosen: Any) -> None:
    """Let an attribute have new values in some environments.

    What was handed out before stays as it was.

    Args:
        data: what has the attribute.
        name: of the attribute, (n, ...).
        values: (n, ...), of all environments.
        chosen: index of the environments that get theirs; ``slice(None)`` for all.
    """
    setattr(data, name, merged(getattr(data, name), values, chosen))


def merged(old: Any, values: Any, chosen: Any) -> Any:
    """What some environments have measured, ``values[chosen]``, and for the others what there was."""
    if isinstance(chosen, slice):
        return values
    _, kept, values = common(copy(old), values)
    kept[chosen] = values[chosen]
    return kept


def set_to(data: Any, name: str, value: float, env_ids: Any) -> None:
    """Let an attribute have one value in some environments; nothing where it is ``None``."""
    old = getattr(data, name)
    if old is not None:
        new = copy(old)
        new[env_ids] = value
        setattr(data, name, new)


def pushed(history: Any, newest: Any) -> Any:
    """A history (n, T, ...), newest first, with a newer entry (n, ...) and without its oldest."""
    xp, history, newest = common(history, newest)
    return xp.concatenate([newest[:, None], history[:, :-1]], 1)
