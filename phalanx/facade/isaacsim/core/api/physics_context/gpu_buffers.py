"""Sizes of PhysX's GPU buffers: they are kept, and have no effect, since the engine's buffers grow by themselves."""

from __future__ import annotations

from typing import Any


class GpuBuffers:
    """The part of a physics context that keeps them."""

    def _read(self, name: str) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _read(); define it in the class")

    def _write(self, name: str, value: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no _write(); define it in the class")

    def set_gpu_collision_stack_size(self, value: int) -> None:
        """Keep a size for the stack of collisions, bytes."""
        self._write("gpuCollisionStackSize", int(value))

    def get_gpu_collision_stack_size(self) -> int:
        """The size that is kept for the stack of collisions, bytes."""
        return self._read("gpuCollisionStackSize")

    def set_gpu_found_lost_aggregate_pairs_capacity(self, value: int) -> None:
        """Keep a size for found and lost pairs of aggregates."""
        self._write("gpuFoundLostAggregatePairsCapacity", int(value))

    def get_gpu_found_lost_aggregate_pairs_capacity(self) -> int:
        """The size that is kept for found and lost pairs of aggregates."""
        return self._read("gpuFoundLostAggregatePairsCapacity")

    def set_gpu_found_lost_pairs_capacity(self, value: int) -> None:
        """Keep a size for found and lost pairs."""
        self._write("gpuFoundLostPairsCapacity", int(value))

    def get_gpu_found_lost_pairs_capacity(self) -> int:
        """The size that is kept for found and lost pairs."""
        return self._read("gpuFoundLostPairsCapacity")

    def set_gpu_heap_capacity(self, value: int) -> None:
        """Keep a size for the heap, bytes."""
        self._write("gpuHeapCapacity", int(value))

    def get_gpu_heap_capacity(self) -> int:
        """The size that is kept for the heap, bytes."""
        return self._read("gpuHeapCapacity")

    def set_gpu_max_num_partitions(self, value: int) -> None:
        """Keep a size for partitions of the solver."""
        self._write("gpuMaxNumPartitions", int(value))

    def get_gpu_max_num_partitions(self) -> int:
        """The size that is kept for partitions of the solver."""
        return self._read("gpuMaxNumPartitions")

    def set_gpu_max_particle_contacts(self, value: int) -> None:
        """Keep a size for contacts of particles."""
        self._write("gpuMaxParticleContacts", int(value))

    def get_gpu_max_particle_contacts(self) -> int:
        """The size that is kept for contacts of particles."""
        return self._read("gpuMaxParticleContacts")

    def set_gpu_max_rigid_contact_count(self, value: int) -> None:
        """Keep a size for contacts of rigid bodies."""
        self._write("gpuMaxRigidContactCount", int(value))

    def get_gpu_max_rigid_contact_count(self) -> int:
        """The size that is kept for contacts of rigid bodies."""
        return self._read("gpuMaxRigidContactCount")

    def set_gpu_max_rigid_patch_count(self, value: int) -> None:
        """Keep a size for patches of contact of rigid bodies."""
        self._write("gpuMaxRigidPatchCount", int(value))

    def get_gpu_max_rigid_patch_count(self) -> int:
        """The size that is kept for patches of contact of rigid bodies."""
        return self._read("gpuMaxRigidPatchCount")

    def set_gpu_max_soft_body_contacts(self, value: int) -> None:
        """Keep a size for contacts of soft bodies."""
        self._write("gpuMaxSoftBodyContacts", int(value))

    def get_gpu_max_soft_body_contacts(self) -> int:
        """The size that is kept for contacts of soft bodies."""
        return self._read("gpuMaxSoftBodyContacts")

    def set_gpu_temp_buffer_capacity(self, value: int) -> None:
        """Keep a size for the buffer for temporary data, bytes."""
        self._write("gpuTempBufferCapacity", int(value))

    def get_gpu_temp_buffer_capacity(self) -> int:
        """The size that is kept for the buffer for temporary data, bytes."""
        return self._read("gpuTempBufferCapacity")

    def set_gpu_total_aggregate_pairs_capacity(self, value: int) -> None:
        """Keep a size for pairs of aggregates."""
        self._write("gpuTotalAggregatePairsCapacity", int(value))

    def get_gpu_total_aggregate_pairs_capacity(self) -> int:
        """The size that is kept for pairs of aggregates."""
        return self._read("gpuTotalAggregatePairsCapacity")
