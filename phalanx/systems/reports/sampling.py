"""Samples taken within a step: fields are copied to where a probe keeps them, as they are, environments last.

So a run of many steps stays one call, or one queue of graphs, although every step is recorded. A probe's slot counts
its samples; it is the same in all environments, but each has its own, since blocks of environments go through a run
of steps one after another.
"""

from dataclasses import dataclass

from phalanx.components import (
    Body,
    BodyContact,
    BodyState,
    ContactCount,
    Coordinate,
    DeformableMotion,
    DofState,
    DriveTarget,
    NodeState,
    SampledBody,
    SampledContact,
    SampledCoordinate,
    SampledDeformable,
    SampledDof,
    SampledNode,
    SampleSlot,
)
from phalanx.ecs import Field, System, read, rows, system, update, write
from phalanx.systems.reports import contact_sampling


def _numbers(source: Field, kept: Field) -> System:
    @system(phase="sample")
    def sample_numbers(
        lanes,
        count=rows(source.table),
        slot=read(SampleSlot.current),
        value=read(source),
        sample=write(kept),
    ):
        first = slot[0, lanes[0]] * count
        for i in range(count):
            for e in lanes:
                sample[first + i, e] = value[i, e]

    return sample_numbers


def _vectors(source: Field, kept: Field) -> System:
    @system(phase="sample")
    def sample_vectors(
        lanes,
        count=rows(source.table),
        slot=read(SampleSlot.current),
        value=read(source),
        sample=write(kept),
    ):
        first = slot[0, lanes[0]] * count
        for i in range(count):
            for k in range(3):
                for e in lanes:
                    sample[first + i, k, e] = value[i, k, e]

    return sample_vectors


@system(phase="sample")
def sample_poses(
    lanes,
    count=rows(Body),
    slot=read(SampleSlot.current),
    value=read(BodyState.pose),
    sample=write(SampledBody.pose),
):
    """Poses of bodies."""
    first = slot[0, lanes[0]] * count
    for i in range(count):
        for k in range(7):
            for e in lanes:
                sample[first + i, k, e] = value[i, k, e]


@system(phase="sample")
def sample_velocities(
    lanes,
    count=rows(Body),
    slot=read(SampleSlot.current),
    value=read(BodyState.velocity),
    sample=write(SampledBody.velocity),
):
    """Velocities of bodies."""
    first = slot[0, lanes[0]] * count
    for i in range(count):
        for k in range(6):
            for e in lanes:
                sample[first + i, k, e] = value[i, k, e]


@system(phase="sample")
def sample_forces(
    lanes,
    count=rows(Body),
    slot=read(SampleSlot.current),
    value=read(BodyContact.force),
    sample=write(SampledBody.contact_force),
):
    """Contact forces on bodies."""
    first = slot[0, lanes[0]] * count
    for i in range(count):
        for k in range(3):
            for e in lanes:
                sample[first + i, k, e] = value[i, k, e]


@system(phase="sample")
def next_sample(lanes, slot=update(SampleSlot.current)):
    """The last system of a probe."""
    for e in lanes:
        slot[0, e] += 1


@dataclass(frozen=True)
class Sampler:
    """How a field is sampled: by a system, into another field, after the phases that compute it."""

    system: System
    kept: Field
    phases: tuple[str, ...] = ()


SAMPLERS = (
    {
        source: Sampler(_numbers(source, kept), kept)
        for source, kept in (
            (Coordinate.value, SampledCoordinate.value),
            (DofState.velocity, SampledDof.velocity),
            (DofState.acceleration, SampledDof.acceleration),
            (DriveTarget.position, SampledDof.position_target),
            (DriveTarget.velocity, SampledDof.velocity_target),
            (DriveTarget.effort, SampledDof.effort_target),
            (ContactCount.current, SampledContact.count),
        )
    }
    | {
        source: Sampler(_vectors(source, kept), kept)
        for source, kept in (
            (DeformableMotion.origin, SampledDeformable.origin),
            (NodeState.position, SampledNode.offset),
            (NodeState.velocity, SampledNode.velocity),
        )
    }
    | {
        BodyState.pose: Sampler(sample_poses, SampledBody.pose, ("query_bodies",)),
        BodyState.velocity: Sampler(sample_velocities, SampledBody.velocity, ("query_bodies",)),
        BodyContact.force: Sampler(sample_forces, SampledBody.contact_force, ("query_contacts",)),
    }
    | {source: Sampler(each, kept) for source, (each, kept) in contact_sampling.SYSTEMS.items()}
)
"""The fields that can be sampled."""
