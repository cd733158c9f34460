"""What can go wrong with a farm, in a sentence that says what to do."""

from __future__ import annotations


class FarmError(RuntimeError):
    """A farm cannot start, go on, or be read."""


class StoreError(FarmError):
    """What a farm writes cannot be written or read where it was to be."""
