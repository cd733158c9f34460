"""Numba's cache of machine code, in files of our own.

Numba's own files are an index and numbered data beside a module or in folders that it chooses. Two processes that write
an index at once may have it name the wrong data, and a flipped bit is executed. Here each signature has one file, named
after all that it depends on, in the folder of :mod:`~phalanx.ecs.cache.folder`, with a checksum.

:func:`kept` is for functions of this package: ``numba.njit`` with ``cache=True``. :func:`keep` is for a function that
Numba has wrapped already.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

from phalanx.ecs.cache.files import discard, put_sealed, unsealed, warn_once
from phalanx.ecs.cache.folder import GENERATED, folders


class LostKernel(Exception):
    """A generated kernel was compiled, says its marker, but its machine code is gone or damaged."""


def kept(signature: Any = None, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """As ``numba.njit``, with machine code kept in the folder of kernels; with a signature, compiled at once."""

    def wrap(function: Callable[..., Any]) -> Any:
        made = keep(numba.njit(**options)(function))
        if signature is not None:
            made.compile(signature)
            made.disable_compile()
        return made

    return wrap


def keep(wrapped: Any, base: type[Any] = FunctionCache, strict: bool = False) -> Any:
    """Let a function that Numba has wrapped be kept.

    Args:
        base: Numba's class of caches for it.
        strict: raise :class:`LostKernel` where the machine code of a kernel is lost that has a marker.
    """
    function = wrapped.py_func if hasattr(wrapped, "py_func") else wrapped.__wrapped__
    made = _cache_class(base)(function)
    made._cache_file.strict = strict
    wrapped._cache = made
    return wrapped


@cache
def _cache_class(base: Any) -> Any:
    """A class of Numba's caches whose files are ours."""

    class Implementation(base._impl_class):
        _locator_classes = [_Locator]  # noqa: RUF012 (as Numba has it)

    class Kept(base):
        _impl_class = Implementation

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self._cache_file = KernelFiles(self._impl.locator)

    return Kept


class _Locator:
    """Tells Numba where a function's files are: ``beside`` is the folder of a generated module, ``stem`` a name."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        name = f"{function.__module__}.{function.__qualname__}"
        self.beside = Path(file).parent if name.startswith(GENERATED) else None
        self.stem = Path(file).stem if self.beside else name.replace("<", "").replace(">", "")

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Locator:
        """As Numba calls it."""
        return cls(function, file)

    def get_cache_path(self) -> str:
        """The folder that is written to."""
        return str(self.beside or folders().own)

    def ensure_cache_path(self) -> None:
        """It exists."""

    def get_source_stamp(self) -> str:
        """What the text is."""
        return "" if self.beside else _digest_of_file(self._py_file)

    def get_disambiguator(self) -> str:
        """Part of Numba's own names."""
        return "kept"


class KernelFiles:
    """A file for each signature of a function, in place of Numba's ``IndexDataCacheFile``."""

    def __init__(self, locator: _Locator) -> None:
        self._locator = locator
        self._stamp = locator.get_source_stamp()
        self.strict = False

    def load(self, key: Any) -> Any:
        """What was saved under a key, or None."""
        name = self._name(key)
        for path in (folder / name for folder in self._folders()):
            data = unsealed(path)
            if data is not None:
                try:
                    return pickle.loads(data)
                except Exception as error:  # of another version of what it is made of, whose checksum is right
                    discard(path, f"{type(error).__name__}: {error}")
        if self.strict and self._forget_marker():
            raise LostKernel(self._locator.stem)
        return None

    def save(self, key: Any, data: Any) -> None:
        """Keep what was compiled, if there is room for it."""
        path = Path(self._locator.get_cache_path()) / self._name(key)
        try:
            put_sealed(path, dumps(data))
        except OSError as error:
            warn_once(f"kernels cannot be kept in {path.parent}: {error.strerror}; later runs compile them again")

    def flush(self) -> None:
        """Forget everything; Numba asks for it when a function is compiled anew."""

    def _folders(self) -> list[Path]:
        if self._locator.beside is not None:
            return [self._locator.beside]
        both = folders()
        return [folder for folder in (both.shared, both.own) if folder is not None]

    def _name(self, key: Any) -> str:
        text = f"{key!r} {self._stamp} {numba.__version__} {sys.version}"
        return f"{self._locator.stem}.{hashlib.sha256(text.encode()).hexdigest()[:16]}.nbc"

    def _forget_marker(self) -> bool:
        """Remove the marker that says that a kernel has been compiled for the CPU; whether there was one."""
        marker = Path(self._locator._py_file).with_suffix(".cpu")
        try:
            marker.unlink()
        except OSError:
            return False
        return True


@cache
def _digest_of_file(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
