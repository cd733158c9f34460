"""What ``phalanx doctor`` takes."""

from __future__ import annotations


def doctor() -> int:
    """Say what is installed, what is missing, and which version of Isaac Lab is spoken."""
    from phalanx.commands.doctor import doctor

    return doctor()
