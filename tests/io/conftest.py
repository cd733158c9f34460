"""What tests of files share."""

from __future__ import annotations

import pytest

from phalanx.ecs import Store


@pytest.fixture
def compile_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile what runs, and not beforehand all that a step would need: most of it is contact between all shapes."""
    monkeypatch.setattr(Store, "precompile", lambda self, systems: None)
