"""What a benchmark ran on: hardware and versions, for the record."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

PACKAGES = (
    "numba",
    "llvmlite",
    "numpy",
    "numba-cuda",
    "cupy-cuda12x",
    "cupy-cuda13x",
    "mujoco",
    "mujoco-warp",
    "warp-lang",
)


def machine() -> dict[str, Any]:
    """Versions of packages, the processor with how many of them this process may use, memory, and the GPU."""
    import phalanx as px
    from phalanx.ecs.cpu.threads import num_processors

    found: dict[str, Any] = {
        "phalanx": px.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
    }
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    found["processor"] = _processor()
    found["processors"] = num_processors()
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        found["memory_bytes"] = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if hasattr(os, "getloadavg"):
        found["load_average"] = os.getloadavg()[0]
    from phalanx.ecs.device import cuda_available

    if cuda_available():
        import cupy  # pyright: ignore[reportMissingImports]

        properties = cupy.cuda.runtime.getDeviceProperties(0)
        found["gpu"] = properties["name"].decode()
        found["gpu_memory_bytes"] = int(properties["totalGlobalMem"])
        found["cuda_driver"] = cupy.cuda.runtime.driverGetVersion()
    return found


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
