"""Things that users are told once: what has no meaning without a renderer, a user interface or Fabric."""

from __future__ import annotations

import logging

logger = logging.getLogger("phalanx.facade")

_told: set[str] = set()


def tell_once(message: str, level: int = logging.INFO) -> None:
    """Log a message, the first time; warnings show where nobody has configured logging."""
    if message not in _told:
        _told.add(message)
        logger.log(level, message)
