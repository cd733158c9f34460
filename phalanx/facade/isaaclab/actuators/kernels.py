"""Actuator models as kernels: the laws of :mod:`.actuator_pd`, all joints of an articulation at once.

One launch turns targets into efforts for every model of an articulation, reads where joints are from the engine, and
writes what its drives are to do; delayed targets take two more for each of position, velocity and effort.
"""

from phalanx.components import Coordinate, DofState, DriveTarget
from phalanx.ecs import Component, Field, Table, function, read, rows, spread, system, update, write
from phalanx.world.engine.launches import Environments

IDLE, IMPLICIT, EXPLICIT, NETWORK = 0, 1, 2, 3
"""What drives a joint: nothing, the simulation, efforts of a model, or those that a network said."""

Joint = Table("joint", "a joint of an articulation, in every column of a view")
Number = Table("number", "arrays as users have them, number by number")
Step = Table("step", "how far environments are apart in an articulation's arrays")
Drives = Table("drives", "1 if targets of positions and velocities are handed on to the simulation's drives")
Column = Table("column", "a robot of all environments in a view")
Late = Table("late joint", "a joint whose targets come late, in every column of a view")
RowStep = Table("row step", "how many rows of a view environments are apart")
Length = Table("length", "how many values are kept")
Slice = Table("slice", "how many numbers a kept value has")


class JointPlace(Component, table=Joint):
    """Where a joint is in the engine's tables and in users' arrays, and what drives it."""

    dof = Field(dtype="int32", doc="its dof", constant=True)
    coord = Field(dtype="int32", doc="its coordinate", constant=True)
    kind = Field(dtype="int32", doc="IDLE, IMPLICIT, EXPLICIT or NETWORK", constant=True)
    offset = Field(dtype="int32", doc="of environment 0 in the articulation's arrays", constant=True)
    first = Field(dtype="int32", doc="of environment 0 in the models' arrays", constant=True)
    step = Field(dtype="int32", doc="how far environments are apart there", constant=True)
    slows = Field(dtype="int32", doc="1 if its effort falls with speed", constant=True)
    late = Field(dtype="int32", doc="1 if its targets come late", constant=True)
    points = Field(dtype="int32", doc="first point of the table of its linkage", constant=True)
    end = Field(dtype="int32", doc="one past the last; the same as the first: there is no linkage", constant=True)
    owns = Field(dtype="int32", doc="1 if its model has efforts in arrays of its own", constant=True)


class Asked(Component, table=Number):
    """What is asked of joints, as users have it."""

    position = Field(unit="rad", doc="position target", shared=True)
    velocity = Field(unit="rad/s", doc="velocity target", shared=True)
    effort = Field(unit="N m", doc="effort on top", shared=True)


class AskedLate(Component, table=Joint):
    """The same as it was some steps ago."""

    position = Field(unit="rad", doc="position target")
    velocity = Field(unit="rad/s", doc="velocity target")
    effort = Field(unit="N m", doc="effort on top")


class Gains(Component, table=Number):
    """Parameters of models, as users have them."""

    stiffness = Field(unit="N m/rad", doc="proportional gain", shared=True)
    damping = Field(unit="N m s/rad", doc="derivative gain", shared=True)
    effort_limit = Field(unit="N m", doc="most effort", shared=True)
    velocity_limit = Field(unit="rad/s", doc="speed at which a motor has no torque left", shared=True)
    saturation = Field(unit="N m", doc="effort of a motor at standstill", shared=True)


class Learned(Component, table=Number):
    """What networks see, and what they say, laid out as models' arrays are."""

    seen = Field(doc="(2) error of position, rad, and velocity, rad/s", shared=True)
    said = Field(unit="N m", doc="effort", shared=True)


class Linkage(Component, table=Number):
    """Tables of linkages, one behind the other."""

    angle = Field(unit="rad", doc="angle of the joint", constant=True)
    effort = Field(unit="N m", doc="most effort there", constant=True)


class Made(Component, table=Number):
    """What models make of it, as users have it: of the articulation, and of models that have no part of that."""

    computed = Field(unit="N m", doc="before limits", shared=True)
    applied = Field(unit="N m", doc="within limits", shared=True)
    own_computed = Field(unit="N m", doc="before limits", shared=True)
    own_applied = Field(unit="N m", doc="within limits", shared=True)


@function
def within(x, low, high):
    """x, or the nearest bound; what is no number stays so."""
    found = x
    if x > high:
        found = high
    if found < low:
        found = low
    return found


@function
def on_line(xs, ys, first, end, x):
    """The function through points, straight in between and constant beyond them."""
    i = first
    while i < end - 2 and x > xs[i + 1, 0]:
        i += 1
    j = min(i + 1, end - 1)
    inside = within(x, xs[first, 0], xs[end - 1, 0])
    slope = (ys[j, 0] - ys[i, 0]) / (xs[j, 0] - xs[i, 0]) if j > i else 0.0
    return ys[i, 0] + slope * (inside - xs[i, 0])


@system(phase="actuate")
def actuate_joints(
    lanes,
    count=rows(Joint),
    envs=rows(Environments),
    apart=rows(Step),
    drives=rows(Drives),
    dof=read(JointPlace.dof),
    coord=read(JointPlace.coord),
    kind=read(JointPlace.kind),
    offset=read(JointPlace.offset),
    first=read(JointPlace.first),
    step=read(JointPlace.step),
    slows=read(JointPlace.slows),
    late=read(JointPlace.late),
    points=read(JointPlace.points),
    end=read(JointPlace.end),
    owns=read(JointPlace.owns),
    q=read(Coordinate.value),
    qd=read(DofState.velocity),
    asked_position=read(Asked.position),
    asked_velocity=read(Asked.velocity),
    asked_effort=read(Asked.effort),
    late_position=read(AskedLate.position),
    late_velocity=read(AskedLate.velocity),
    late_effort=read(AskedLate.effort),
    stiffness=read(Gains.stiffness),
    damping=read(Gains.damping),
    effort_limit=read(Gains.effort_limit),
    velocity_limit=read(Gains.velocity_limit),
    saturation=read(Gains.saturation),
    said=read(Learned.said),
    angle=read(Linkage.angle),
    most_there=read(Linkage.effort),
    target_position=write(DriveTarget.position),
    target_velocity=write(DriveTarget.velocity),
    target_effort=write(DriveTarget.effort),
    computed=write(Made.computed),
    applied=write(Made.applied),
    own_computed=write(Made.own_computed),
    own_applied=write(Made.own_applied),
):
    """τ = Kp (q* - q) + Kd (q̇* - q̇) + τ* within limits: the effort limit, those of a motor, and those of a linkage.

    Explicit models give the simulation the effort, implicit ones what was asked, which their efforts only estimate.
    """
    for i in spread(count):
        d, c, what = dof[i, 0], coord[i, 0], kind[i, 0]
        place, mine, way = offset[i, 0], first[i, 0], step[i, 0]
        motor, delayed, begin, stop, apart_too = slows[i, 0], late[i, 0], points[i, 0], end[i, 0], owns[i, 0]
        for e in lanes:
            if e < envs:
                at = e * apart + place
                pos, vel, effort = asked_position[at, 0], asked_velocity[at, 0], asked_effort[at, 0]
                if drives == 1:
                    target_position[d, e] = pos
                    target_velocity[d, e] = vel
                if what == IDLE:
                    target_effort[d, e] = 0.0
                else:
                    if delayed == 1:
                        pos, vel, effort = late_position[i, e], late_velocity[i, e], late_effort[i, e]
                    n = e * way + mine
                    angle_now, speed = q[c, e], qd[d, e]
                    wanted = effort + stiffness[n, 0] * (pos - angle_now) + damping[n, 0] * (vel - speed)
                    if what == NETWORK:
                        wanted = said[n, 0]
                    most = effort_limit[n, 0]
                    low, high = -most, most
                    if motor == 1:
                        fraction = speed / velocity_limit[n, 0]
                        high = min(max(saturation[n, 0] * (1.0 - fraction), -most), most)
                        low = max(min(saturation[n, 0] * (-1.0 - fraction), most), -most)
                    given = within(wanted, low, high)
                    if stop > begin:
                        most = on_line(angle, most_there, begin, stop, angle_now)
                        given = within(given, -most, most)
                    computed[at, 0] = wanted
                    applied[at, 0] = given
                    if apart_too == 1:
                        own_computed[n, 0] = wanted
                        own_applied[n, 0] = given
                    target_effort[d, e] = effort if what == IMPLICIT else given


@system(phase="actuate")
def show_networks(
    lanes,
    count=rows(Joint),
    envs=rows(Environments),
    apart=rows(Step),
    dof=read(JointPlace.dof),
    coord=read(JointPlace.coord),
    kind=read(JointPlace.kind),
    offset=read(JointPlace.offset),
    first=read(JointPlace.first),
    step=read(JointPlace.step),
    q=read(Coordinate.value),
    qd=read(DofState.velocity),
    asked_position=read(Asked.position),
    seen=write(Learned.seen),
):
    """Let networks see how far joints are from what was asked, and how fast they are."""
    for i in spread(count):
        d, c, place, mine, way = dof[i, 0], coord[i, 0], offset[i, 0], first[i, 0], step[i, 0]
        if kind[i, 0] == NETWORK:
            for e in lanes:
                if e < envs:
                    n = e * way + mine
                    seen[2 * n, 0] = asked_position[e * apart + place, 0] - q[c, e]
                    seen[2 * n + 1, 0] = qd[d, e]


class LatePlace(Component, table=Late):
    """Where a joint whose targets come late is."""

    joint = Field(dtype="int32", doc="its row among all joints", constant=True)
    offset = Field(dtype="int32", doc="of environment 0 in the articulation's arrays", constant=True)
    first = Field(dtype="int32", doc="of environment 0 in a kept value", constant=True)
    step = Field(dtype="int32", doc="how far environments are apart there", constant=True)
    row = Field(dtype="int32", doc="of environment 0 among a view's rows", constant=True)


class History(Component, table=Number):
    """The last values of a target, and how old those are that count."""

    asked = Field(doc="the value of now", shared=True)
    late = Field(doc="the value that counts")
    kept = Field(doc="the last values", shared=True)
    newest = Field(dtype="int32", doc="which of them is a row's latest", shared=True)
    lags = Field(dtype="int32", doc="steps by which a row's values are late; 64 bits each", shared=True)
    pushes = Field(dtype="int32", doc="values that a row got since its reset; 64 bits each", shared=True)


@system(phase="actuate")
def delay_targets(
    lanes,
    count=rows(Late),
    envs=rows(Environments),
    apart=rows(Step),
    row_step=rows(RowStep),
    length=rows(Length),
    size=rows(Slice),
    joint=read(LatePlace.joint),
    offset=read(LatePlace.offset),
    first=read(LatePlace.first),
    step=read(LatePlace.step),
    row=read(LatePlace.row),
    asked=read(History.asked),
    lags=read(History.lags),
    pushes=read(History.pushes),
    newest=read(History.newest),
    kept=update(History.kept),
    late=write(History.late),
):
    """Keep the targets of now, and hand on older ones, the oldest since a reset where none is old enough."""
    for n in spread(count):
        j, place, mine, way, own = joint[n, 0], offset[n, 0], first[n, 0], step[n, 0], row[n, 0]
        for e in lanes:
            if e < envs:
                value = asked[e * apart + place, 0]
                at = e * way + mine
                r = e * row_step + own
                now = newest[r, 0] + 1
                if now >= length:
                    now = 0
                ago = min(lags[2 * r, 0], min(pushes[2 * r, 0], length - 1))
                then = now - ago
                if then < 0:
                    then += length
                kept[now * size + at, 0] = value
                late[j, e] = kept[then * size + at, 0]


class ColumnPlace(Component, table=Column):
    """A column of a view."""

    row = Field(dtype="int32", doc="of environment 0 among a view's rows", constant=True)


@system(over=Column, phase="actuate")
def count_targets(
    n,
    e,
    envs=rows(Environments),
    row_step=rows(RowStep),
    length=rows(Length),
    row=read(ColumnPlace.row),
    pushes=update(History.pushes),
    newest=update(History.newest),
):
    """One more value is kept."""
    if e >= envs:
        return
    r = e * row_step + row[n, 0]
    pushes[2 * r, 0] += 1
    now = newest[r, 0] + 1
    newest[r, 0] = now if now < length else 0
