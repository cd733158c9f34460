"""Contact views: which bodies are asked for, and what their contacts with others amount to.

The rows of all views of a world lie behind each other: shapes view by view, pairs body by body and then filter by
filter, contacts pair by pair.
"""

from phalanx.ecs import Component, Field, Table

View = Table("contact view", "what one contact view reports")
ViewedShape = Table("viewed shape", "each shape once for each contact view")
ViewedBody = Table("viewed body", "bodies whose contacts are reported")
ViewedPair = Table("viewed pair", "bodies whose contacts are reported, with each filter")
ViewedContact = Table("viewed contact", "slots for the contacts of viewed pairs")


class ViewTopology(Component, table=View):
    """Which rows are a view's."""

    first_body = Field(dtype="int32", doc="first viewed body", constant=True)
    filters = Field(dtype="int32", doc="number of filters", constant=True)
    first_pair = Field(dtype="int32", doc="first viewed pair", constant=True)
    end_pair = Field(dtype="int32", doc="one past its last viewed pair", constant=True)
    first_slot = Field(dtype="int32", doc="first viewed contact", constant=True)
    end_slot = Field(dtype="int32", doc="one past its last viewed contact", constant=True)


class ViewedShapeRole(Component, table=ViewedShape):
    """What a shape is to a view."""

    body = Field(dtype="int32", doc="viewed body that it belongs to, from the view's first; -1: none", constant=True)
    filter = Field(dtype="int32", doc="filter that it belongs to, -1: none", constant=True)


class ViewState(Component, table=View):
    """How a query went."""

    missing = Field(dtype="int32", doc="most contacts that had no slot in a query since the last report")


class ViewedBodyImpulse(Component, table=ViewedBody):
    """Contact impulses on a body in the last substep."""

    total = Field(3, unit="N s", doc="sum over all its contacts, world axes")
    normal = Field(3, unit="N s", doc="sum of the normal parts, world axes")


class ViewedPairImpulse(Component, table=ViewedPair):
    """Contact impulses on a body from the bodies of a filter in the last substep."""

    total = Field(3, unit="N s", doc="sum over its contacts, world axes")
    normal = Field(3, unit="N s", doc="sum of the normal parts, world axes")
    count = Field(dtype="int32", doc="contacts, as far as they have slots")
    start = Field(dtype="int32", doc="its first slot, from the view's first")
    end = Field(dtype="int32", doc="one past the last slot that is filled")


class ViewedContactState(Component, table=ViewedContact):
    """A contact of a viewed pair."""

    point = Field(3, unit="m", doc="from the environment's origin, world axes")
    normal = Field(3, doc="unit normal, from the filter to the body, world axes")
    separation = Field(unit="m", doc="distance less rest offsets, negative when penetrating")
    push = Field(unit="N s", doc="normal impulse on the body, along the normal")
    friction = Field(3, unit="N s", doc="tangential impulse on the body, world axes")
