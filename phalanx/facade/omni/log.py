"""What scripts import as ``omni.log``: messages, to the logger ``omni``."""

from __future__ import annotations

import logging

_logger = logging.getLogger("omni")


def verbose(message: str, *, channel: str = "") -> None:
    """Log details."""
    _log(logging.DEBUG, message, channel)


def info(message: str, *, channel: str = "") -> None:
    """Log what happens."""
    _log(logging.INFO, message, channel)


def warn(message: str, *, channel: str = "") -> None:
    """Log a warning."""
    _log(logging.WARNING, message, channel)


def error(message: str, *, channel: str = "") -> None:
    """Log an error."""
    _log(logging.ERROR, message, channel)


def fatal(message: str, *, channel: str = "") -> None:
    """Log an error after which nothing can go on; it does not end the process."""
    _log(logging.CRITICAL, message, channel)


def _log(level: int, message: str, channel: str) -> None:
    logger = _logger.getChild(channel) if channel else _logger
    logger.log(level, "%s", message, stacklevel=3)


__all__ = ["error", "fatal", "info", "verbose", "warn"]
