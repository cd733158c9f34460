"""The memory of a recorder: samples that the world's steps write, and that a thread takes to the disk meanwhile.

There is room for :data:`PARTS` chunks of samples, used in turn. On a GPU every part has a twin in page-locked memory of
the host; when a part is full, one copy a field is queued behind the steps that filled it, on a stream of its own, so
that the steps after it need not wait.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.components import Contact, SampleSlot
from phalanx.ecs import Field, System
from phalanx.io.recordings.samples import Source
from phalanx.systems.reports.sampling import SAMPLERS, next_sample
from phalanx.world.engine.sampling_probe import Probe

if TYPE_CHECKING:
    from phalanx.world.world import World

PARTS = 3
"""Chunks that there is room for: one that fills, and two that wait for the disk or are on their way to it."""

Columns = Callable[[], dict[str, np.ndarray]]
"""Waits for the samples and returns them by name, (time, env, *item)."""


def _limited(source: Source) -> bool:
    """Whether there may be more rows by and by than it takes."""
    return source.field.table is Contact


class Tape(Probe):
    """Samples of sources, a chunk at a time.

    ``room`` and ``taken`` are asked of its owner. Samples are numbered; chunk ``n`` has those from ``n * chunk`` on,
    and takes the place of chunk ``n - PARTS``, which its owner must have written before.
    """

    def __init__(
        self,
        world: World,
        sources: Mapping[str, Source],
        every: int,
        chunk: int,
        room: Callable[[], int],
        taken: Callable[[int], None],
    ) -> None:
        self.every, self.chunk = every, chunk
        self._room, self._taken = room, taken
        self._world, self._sources = world, dict(sources)
        store, device = world.engine.store, world.engine.device
        self._fields = list(dict.fromkeys(source.field for source in sources.values()))
        samplers = [SAMPLERS[field] for field in self._fields]
        self.phases = tuple(dict.fromkeys(phase for sampler in samplers for phase in sampler.phases))
        self.systems: list[System] = [*(sampler.system for sampler in samplers), next_sample]
        contacts = max((s.item[0] for s in sources.values() if _limited(s)), default=0)
        self._rows = {
            field: contacts if field.table is Contact else max(store.rows(field.table), 1) for field in self._fields
        }
        shapes = {
            SAMPLERS[field].kept: (PARTS * chunk * self._rows[field], *field.shape, store.stride)
            for field in self._fields
        }
        self.arrays: dict[Field, Any] = {kept: self._zeros(shape, store.real) for kept, shape in shapes.items()}
        self._host: Mapping[Field, np.ndarray] = dict(self.arrays)
        self.arrays[SampleSlot.current] = self._zeros((1, store.stride), "int32")
        self.arrays[SampleSlot.contacts] = self._zeros((1, store.stride), "int32")
        self.arrays[SampleSlot.contacts][...] = contacts
        self._stream: Any = None
        if device.is_cuda:
            import cupy  # pyright: ignore[reportMissingImports]
            import cupyx  # pyright: ignore[reportMissingImports]

            self._host = {kept: cupyx.empty_pinned(shape, store.real) for kept, shape in shapes.items()}
            self._stream = cupy.cuda.Stream(non_blocking=True)

    def _zeros(self, shape: tuple[int, ...], dtype: str) -> Any:
        """Memory that has been written to: the first touch of a page may cost more than all that follow."""
        with self._world.engine.store.active():
            array = self._world.engine.device.xp.empty(shape, dtype)
            array.fill(0)
        return array

    def room(self) -> int:
        """See :class:`Probe`."""
        return self._room()

    def taken(self, count: int) -> None:
        """See :class:`Probe`."""
        self._taken(count)

    def start(self, number: int) -> None:
        """Let the next sample be the first of a chunk."""
        with self._world.engine.store.active():
            self.arrays[SampleSlot.current][...] = number % PARTS * self.chunk

    def take(self, number: int, count: int) -> Columns:
        """The first ``count`` samples of a chunk, once they are there; the steps that make them may still be queued.

        Values are views of the tape where they can be: valid until the chunk ``number + PARTS`` is started.
        """
        if self._stream is None:
            return partial(self._columns, number, count, {})
        import cupy  # pyright: ignore[reportMissingImports]
        import cupyx  # pyright: ignore[reportMissingImports]

        assert self._world.engine.device.stream is not None
        with self._world.engine.store.active():
            finished = {
                name: cupy.ascontiguousarray(source.finish(self._samples(self.arrays, source, number, count), cupy))
                for name, source in self._sources.items()
                if source.finish is not None
            }
            filled = self._world.engine.device.stream.record()
        self._stream.wait_event(filled)
        for field in self._fields:
            kept, place = SAMPLERS[field].kept, self._place(field, number, count)
            self.arrays[kept][place].get(stream=self._stream, out=self._host[kept][place], blocking=False)
        found = {}
        for name, values in finished.items():
            found[name] = cupyx.empty_pinned(values.shape, values.dtype)
            values.get(stream=self._stream, out=found[name], blocking=False)
        done = self._stream.record()

        def columns() -> dict[str, np.ndarray]:
            done.synchronize()
            finished.clear()  # kept until they were copied
            return self._columns(number, count, found)

        return columns

    def _columns(self, number: int, count: int, finished: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        columns = {}
        for name, source in self._sources.items():
            values = finished.get(name)
            if values is None:
                values = self._samples(self._host, source, number, count)
                values = values if source.finish is None else source.finish(values, np)
            columns[name] = np.moveaxis(values, -1, 1)
        return columns

    def _samples(self, arrays: Mapping[Field, Any], source: Source, number: int, count: int) -> Any:
        """(count, rows, *item, env) of a source."""
        samples = arrays[SAMPLERS[source.field].kept][self._place(source.field, number, count)]
        samples = samples.reshape(count, -1, *samples.shape[1:])
        rows = source.rows if isinstance(source.rows, slice) or arrays is self._host else self._on_device(source.rows)
        return samples[:, rows, ..., : self._world.num_envs]

    def _on_device(self, rows: np.ndarray) -> Any:
        return self._world.engine.device.xp.asarray(rows)

    def _place(self, field: Field, number: int, count: int) -> slice:
        first = number % PARTS * self.chunk
        return slice(first * self._rows[field], (first + count) * self._rows[field])
