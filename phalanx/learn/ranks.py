"""Ranks: processes that train one policy together, by torch.distributed, as torchrun or ``phalanx train`` starts them.

Who a process is stands in the environment variables of torchrun: ``RANK``, ``LOCAL_RANK``, ``WORLD_SIZE``,
``LOCAL_WORLD_SIZE``, ``MASTER_ADDR``, ``MASTER_PORT``. One process alone is rank 0 of 1, and nothing is sent.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

import torch

PATIENCE = timedelta(minutes=30)
"""How long a rank waits for others: the first step may compile."""

GONE = ("Connection closed", "Connection reset", "Broken pipe", "remote process exited", "Socket", "NCCL")
"""What backends say when another rank has ended."""


class RankError(ValueError):
    """What torchrun's variables say cannot be."""


@dataclass(frozen=True)
class Ranks:
    """Which of how many processes this is.

    Attributes:
        rank: among all, from 0.
        local_rank: among those of this machine.
        count: of all.
        local_count: on this machine.
    """

    rank: int = 0
    local_rank: int = 0
    count: int = 1
    local_count: int = 1

    @staticmethod
    def of(environment: Mapping[str, str] = os.environ) -> Ranks:
        """As the environment variables say.

        Raises:
            RankError: they are no numbers, or none that go together.
        """
        if "WORLD_SIZE" not in environment:
            return Ranks()
        names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE")
        values = []
        for name in names:
            text = environment.get(name, environment["WORLD_SIZE"] if name == "LOCAL_WORLD_SIZE" else "0")
            if not text.isdigit():
                raise RankError(f"{name}={text!r}: must be a whole number; let torchrun or phalanx train set it")
            values.append(int(text))
        found = Ranks(*values)
        if not (found.rank < found.count and found.local_rank < found.local_count <= found.count):
            said = ", ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))
            raise RankError(f"{said} do not go together; let torchrun or phalanx train set them")
        return found

    @property
    def first(self) -> bool:
        """Whether this is the rank that writes logs and checkpoints."""
        return self.rank == 0

    def device(self, asked: str, gpus: int) -> str:
        """Where this rank simulates and learns.

        Args:
            asked: ``"cpu"``, ``"cuda:N"``, which ranks then share, or ``"auto"`` or ``"cuda"``: GPU ``LOCAL_RANK``, or
                what remains of it when divided by the number of GPUs, if these are fewer.
            gpus: GPUs of this machine.
        """
        if asked == "auto" and not gpus:
            return "cpu"
        if asked in ("auto", "cuda", "gpu"):
            return f"cuda:{self.local_rank % max(gpus, 1)}"
        return asked

    def backend(self, device: str, gpus: int) -> str:
        """``"nccl"`` where every rank of this machine has a GPU of its own, else ``"gloo"``."""
        own = device == f"cuda:{self.local_rank}" and self.local_count <= gpus
        return "nccl" if own else "gloo"

    # -- sending -------------------------------------------------------------------------------------------------

    def join(self, device: str) -> None:
        """Meet the others; each must call it. Nothing happens if there are none."""
        if self.count == 1 or torch.distributed.is_initialized():
            return
        backend = self.backend(device, torch.cuda.device_count())
        if device != "cpu":
            torch.cuda.set_device(device)
        torch.distributed.init_process_group(backend, rank=self.rank, world_size=self.count, timeout=PATIENCE)

    def leave(self) -> None:
        """Part from the others, at the end."""
        if self.count > 1 and torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()

    def sum(self, values: torch.Tensor) -> torch.Tensor:
        """Each number's sum over ranks, in place; the same bits on all of them."""
        if self.count > 1:
            torch.distributed.all_reduce(values)
        return values

    def mean(self, values: torch.Tensor) -> torch.Tensor:
        """Each number's mean over ranks, in place."""
        return self.sum(values).div_(self.count) if self.count > 1 else values

    def lost_another(self, error: BaseException) -> bool:
        """Whether an error is that another rank has ended."""
        return self.count > 1 and isinstance(error, RuntimeError) and any(word in str(error) for word in GONE)


@contextlib.contextmanager
def in_group() -> Iterator[None]:
    """Let what is imported within, and would make a group of ranks for itself, take the one that there is.

    :meth:`Ranks.join` has made it by then, with the backend and the device that suit, or there is one process.
    """
    before = torch.distributed.init_process_group, torch.cuda.set_device
    torch.distributed.init_process_group = torch.cuda.set_device = lambda *_, **__: None
    try:
        yield
    finally:
        torch.distributed.init_process_group, torch.cuda.set_device = before
