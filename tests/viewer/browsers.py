"""What tests in a real browser share."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image

FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]


def chromium() -> Iterator[Any]:
    """Chromium, which draws without a GPU here; the test is skipped where it does not start."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with playwright.sync_playwright() as made:
        try:
            running = made.chromium.launch(executable_path=found, args=FLAGS)
        except playwright.Error as error:
            pytest.skip(f"there is no Chromium that starts: {str(error).splitlines()[0]}")
        yield running
        running.close()


def pixels(page: Any, **clip: int) -> np.ndarray:
    """(height, width, 3) of a page, or of a part of it."""
    page.wait_for_timeout(300)
    data = page.screenshot(timeout=90_000, clip=clip or None)
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def differs(before: np.ndarray, after: np.ndarray) -> float:
    """Share of pixels that are clearly others."""
    return float((np.abs(before - after).max(axis=-1) > 12).mean())


def tab(page: Any, name: str) -> None:
    """Open a tab of the panel."""
    page.get_by_role("tab", name=name, exact=True).click()


def slider(page: Any, label: str) -> Any:
    """The thumb of a slider, which takes keys."""
    row = 'xpath=ancestor::div[.//*[@role="slider"]][1]//*[@role="slider"]'
    return page.locator("label", has_text=label).first.locator(row).first


def press(page: Any, label: str, key: str) -> None:
    """Move a slider by a key."""
    slider(page, label).press(key)
