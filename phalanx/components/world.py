"""What there is once per environment: settings, status, and scratch for the solver."""

from phalanx.ecs import Component, Field, Table

World = Table("world", "one row: the environment as a whole")


class Settings(Component, table=World):
    """Parameters of the step."""

    timestep = Field(unit="s", doc="length of a substep", role="parameter", shared=True)
    gravity = Field(3, unit="m/s^2", doc="gravity, world frame", role="parameter", shared=True)
    position_iterations = Field(dtype="int32", doc="sweeps that move and push apart", role="parameter", shared=True)
    velocity_iterations = Field(
        dtype="int32", doc="sweeps that leave no push-out velocity", role="parameter", shared=True
    )
    projected = Field(
        dtype="int32",
        doc="0: each position sweep moves by its part of the substep (TGS); 1: the last one by all of it (PGS)",
        role="parameter",
        shared=True,
    )
    speculative = Field(
        dtype="int32",
        doc="1: contacts exist also where bodies may meet within the substep",
        role="parameter",
        shared=True,
    )
    sweep_axis = Field(dtype="int32", doc="0 1 2: axis along which bounds are sorted", role="parameter", shared=True)
    max_depenetration_velocity = Field(unit="m/s", doc="cap on the push-out velocity", role="parameter", shared=True)
    bounce_threshold = Field(unit="m/s", doc="slower impacts do not bounce", role="parameter", shared=True)


class Status(Component, table=World):
    """Flags that the host reads and reports."""

    diverged = Field(dtype="int32", doc="1: state became non-finite, environment frozen until reset", role="state")
    contacts_dropped = Field(dtype="int32", doc="most contacts that did not fit in one step since the last report")
    candidates_dropped = Field(dtype="int32", doc="most candidates that did not fit in one step, likewise")


class Sweep(Component, table=World):
    """Where the constraint solver is."""

    index = Field(dtype="int32", doc="sweeps done in this substep; the same number in all environments")
    contacts = Field(dtype="int32", doc="contacts that sweeps go over")
    dofs = Field(dtype="int32", doc="dofs that have rows")
    stepped = Field(dtype="int32", doc="1: the search for loads has taken steps besides its sweeps")


class Scratch(Component, table=World):
    """Per-environment accumulators of the constraint solver."""

    sum = Field(8, doc="dot products of the rows being solved", private=True)
    change = Field(8, unit="N s", doc="impulse changes of the rows being solved", private=True)
    row = Field(3, doc="what becomes of an entry of a contact's rows", private=True)
    place = Field(2, dtype="int32", doc="where the sides of a contact are in the walk over dofs, or -1", private=True)
    sought = Field(dtype="int32", doc="islands whose loads the search has not found yet")
    before = Field(dtype="int32", doc="contacts of the substep before")
    misses = Field(dtype="int32", doc="1: there are candidates that are passed", private=True)
