"""Opening a GPU without waiting for what nothing here needs, or for one thing after the other."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from phalanx.ecs.errors import DeviceError


def open_device(index: int) -> Any:
    """CuPy's non-blocking stream on a CUDA device, which is made ready; the current device stays what it was.

    Raises:
        DeviceError: no driver, or no such device.
    """
    import cupy

    with ThreadPoolExecutor(1) as pool:
        opening = pool.submit(_open, index)  # takes the driver 0.3 s, in which this thread imports Numba
        from phalanx.ecs.cuda.kernels import cuda

        import_without_blas()
        opening.result()
    _let_small_launches_be()
    with current_device(cupy.cuda.runtime, index):
        cuda.select_device(index)
        return cupy.cuda.Stream(non_blocking=True)


@contextlib.contextmanager
def current_device(runtime: Any, index: int) -> Iterator[None]:
    """Make a device the current one, and the one that was when it ends."""
    before = runtime.getDevice()
    runtime.setDevice(index)
    try:
        yield
    finally:
        if before != index:  # which would ask for a context on the other device
            runtime.setDevice(before)


def _open(index: int) -> None:
    """Have the driver open a device."""
    from cupy.cuda import runtime

    try:
        count = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        raise DeviceError(f'no CUDA device can be used on this machine ({error}); use device="cpu"') from error
    if index >= count:
        raise DeviceError(
            f"device cuda:{index} is not there; this machine has {count}, from cuda:0 to cuda:{count - 1}"
        )
    runtime.setDevice(index)
    runtime.free(0)  # asks for a context


def import_without_blas() -> None:
    """Import Numba's functions of arrays, which it needs to load a kernel, but not SciPy's linear algebra.

    To find out whether there is a BLAS, Numba imports it, for 0.5 s; that SciPy is there says as much.
    """
    linalg: Any = importlib.import_module("numba.cuda.np.linalg")
    ask = linalg.ensure_blas
    linalg.ensure_blas = _ensure_scipy
    try:
        importlib.import_module("numba.cuda.np.arraymath")
    finally:
        linalg.ensure_blas = ask


def _ensure_scipy() -> None:
    if importlib.util.find_spec("scipy") is None:
        raise ImportError("SciPy has Numba's BLAS, and is not installed")


def _let_small_launches_be() -> None:
    """Have Numba say nothing about grids of few blocks, unless the environment says otherwise.

    It reads its environment when it is first imported, which a world on the CPU may have done before.
    """
    config: Any = importlib.import_module("numba.cuda.dispatcher").config
    config.CUDA_LOW_OCCUPANCY_WARNINGS = int(os.environ["NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS"])
