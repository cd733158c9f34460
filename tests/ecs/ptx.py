"""PTX without a GPU."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any


def why_no_ptx() -> str:
    """Reason why kernels cannot be compiled to PTX here; empty when they can."""
    if importlib.util.find_spec("numba_cuda") is None:
        return "numba-cuda is not installed (pip install 'phalanx[cuda12]')"
    nvvm: Any = importlib.import_module("numba.cuda.cudadrv.nvvm")
    pathfinder: Any = importlib.import_module("cuda.pathfinder")
    try:
        nvvm.NVVM()
        pathfinder.load_nvidia_dynamic_lib("nvrtc")
    except Exception as error:  # it has a type of its own for each way of not being there
        return f"NVVM or NVRTC is not installed: {error}"
    return ""


def float64_instructions(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines() if ".f64" in line]
    return [line for line in lines if not line.startswith((".reg", "//"))]
