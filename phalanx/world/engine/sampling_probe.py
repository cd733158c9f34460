"""What takes samples within steps, without stopping them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from phalanx.ecs import Field, System


class Probe:
    """Systems that run after every ``every``-th step, as part of it, and keep what they find in arrays of their own.

    See :mod:`phalanx.systems.reports.sampling`. Users who want to look at a world between steps have
    ``World.after_step``; a probe is for what must not cost a call in between.
    """

    every: int
    """Steps from sample to sample: of steps whose number is a multiple of it."""
    phases: Sequence[str]
    """Phases of queries that compute what it samples."""
    systems: Sequence[System]
    """What runs after them, in order."""
    arrays: Mapping[Field, Any]
    """Padded arrays of the fields that only its systems know, of the stride of the world's store."""

    def room(self) -> int:
        """How many samples it can take now, at least one; called before steps that it samples. It may wait."""
        raise NotImplementedError(f"{type(self).__name__} has no room(); define it in the class")

    def taken(self, count: int) -> None:
        """The last ``count`` samples have been taken, or queued on a GPU. It must be quick, and not fail."""
        raise NotImplementedError(f"{type(self).__name__} has no taken(); define it in the class")
