"""What scripts import as ``carb``: messages to the log, and settings. Messages go to the logger ``carb``."""

from __future__ import annotations

import logging

from phalanx.facade.carb import settings
from phalanx.facade.carb.types import Double2, Double3, Double4, Float2, Float3, Float4, Int2, Int3

_logger = logging.getLogger("carb")


def log_verbose(message: str) -> None:
    """Log details."""
    _logger.debug("%s", message, stacklevel=2)


def log_info(message: str) -> None:
    """Log what happens."""
    _logger.info("%s", message, stacklevel=2)


def log_warn(message: str) -> None:
    """Log a warning."""
    _logger.warning("%s", message, stacklevel=2)


def log_error(message: str) -> None:
    """Log an error."""
    _logger.error("%s", message, stacklevel=2)


def log_fatal(message: str) -> None:
    """Log an error after which nothing can go on; it does not end the process."""
    _logger.critical("%s", message, stacklevel=2)


__all__ = [
    "Double2",
    "Double3",
    "Double4",
    "Float2",
    "Float3",
    "Float4",
    "Int2",
    "Int3",
    "log_error",
    "log_fatal",
    "log_info",
    "log_verbose",
    "log_warn",
    "settings",
]
