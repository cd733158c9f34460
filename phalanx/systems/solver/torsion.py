"""Torsional friction: what touches at one point resists spinning about its normal.

A point has no extent, so Coulomb's friction at it does not brake a ball that spins on the spot. A real contact is a
patch; its friction acts at some radius. That radius is, of the two shapes' ``torsional_patch_radius`` R and
``min_torsional_patch_radius`` r, the larger of each taken,

    max(r, sqrt(R * penetration)),

the radius of the circle in which a sphere of radius R is cut by a plane at that (small) depth, up to a factor of
sqrt(2), and of a Hertzian contact of that sphere exactly (Popov, Contact Mechanics and Friction, 2010, section 5.1: a^2
= R d). It is what PhysX documents of shapes' patch radii. The torque is at most friction coefficient * normal force *
radius, with the static coefficient up to a rim speed of :data:`phalanx.systems.solver.contact_solver.STICTION`, as
along the surface. Pairs that touch at several points resist by friction at those points, and get no torsional friction
on top.

Only worlds in which some shape has a radius run these systems.
"""

import math

from phalanx.components import (
    BodyReaction,
    Contact,
    ContactCount,
    ContactDof,
    ContactImpulse,
    ContactMotion,
    ContactPoint,
    ContactRow,
    ContactSpin,
    ContactSurface,
    DofGain,
    DofMotion,
    DofRelation,
    DofSolve,
    DofState,
    DofTopology,
    LinkContact,
    MassFactor,
    MassTopology,
    PreviousSpin,
    Scratch,
    Settings,
    ShapeMaterial,
    ShapeTopology,
    SpinJacobian,
)
from phalanx.ecs import function, read, rows, spread, system, update, write
from phalanx.systems.solver.contact_solver import STICTION

NEIGHBOURS = 8
"""Contacts of one pair are at most so many, one behind the other."""

TOUCHING = 1e-4
"""m: surfaces nearer than this touch, so far as it matters whether a pair touches at several points."""

HALVINGS = 32
"""Enough to find a number among all that there may be."""


@system(over=Contact, phase="collide", only_with="remember_contacts")
def remember_spins(
    c,
    e,
    count=read(ContactCount.current),
    key=read(ContactPoint.key),
    spin=read(ContactSpin.last),
    old_key=write(PreviousSpin.key),
    old=write(PreviousSpin.impulse),
):
    """Keep the torsional impulses of the last list."""
    old_key[c, e] = key[c, e]
    old[c, e] = spin[c, e] if c < count[0, e] else 0.0


@system(over=Contact, phase="collide", only_with="contact_surfaces")
def spin_patches(
    c,
    e,
    count=read(ContactCount.current),
    before=read(Scratch.before),
    key=read(ContactPoint.key),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    separation=read(ContactPoint.separation),
    patch=read(ShapeMaterial.torsional_patch_radius),
    least=read(ShapeMaterial.min_torsional_patch_radius),
    old_key=read(PreviousSpin.key),
    old=read(PreviousSpin.impulse),
    radius=write(ContactSpin.radius),
    last=write(ContactSpin.last),
):
    """The radius of each contact's patch, and its torsional impulse in the substep before."""
    size = 0.0
    impulse = 0.0
    if c < count[0, e]:
        a, b = shape_a[c, e], shape_b[c, e]
        depth = max(-separation[c, e], 0.0)
        size = max(max(least[a, e], least[b, e]), math.sqrt(max(patch[a, e], patch[b, e]) * depth))
        if size > 0.0:
            for o in range(max(c - NEIGHBOURS, 0), min(c + NEIGHBOURS + 1, count[0, e])):
                if o != c and shape_a[o, e] == a and shape_b[o, e] == b and separation[o, e] < TOUCHING:
                    size = 0.0
        if size > 0.0:
            low, high = 0, before[0, e]
            for _ in range(HALVINGS):  # keys grow
                middle = (low + high) >> 1
                if low < high and old_key[middle, e] < key[c, e]:
                    low = middle + 1
                elif low < high:
                    high = middle
            if low < before[0, e] and old_key[low, e] == key[c, e]:
                impulse = old[low, e]
    radius[c, e] = size
    last[c, e] = impulse


@function
def chain_has(first, moves, relations, da, db, low, k):
    """Whether dof k of the tree that begins with dof ``low`` moves one side of a contact of dofs da and db."""
    a = da if da >= 0 and first[max(da, 0), 0] == low else -1
    b = db if db >= 0 and first[max(db, 0), 0] == low else -1
    on_a = a >= 0 and moves[relations[max(a, 0), 0] + k if a >= 0 else 0, 0] == 1
    on_b = b >= 0 and moves[relations[max(b, 0), 0] + k if b >= 0 else 0, 0] == 1
    return on_a or on_b


@system(phase="rows", only_with="contact_jacobians")
def spin_jacobians(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    moves=read(DofRelation.moves),
    relations=read(DofTopology.relations),
    angular=read(DofTopology.angular),
    first=read(DofTopology.tree_first),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    factor=read(MassFactor.value),
    mobility=read(DofSolve.inverse_pivot),
    axis=read(DofMotion.axis),
    qd=read(DofState.velocity),
    count=read(ContactCount.current),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    normal=read(ContactPoint.normal),
    radius=read(ContactSpin.radius),
    speed=update(ContactSpin.speed),
    inverse=update(ContactSpin.inverse),
    jacobian=update(SpinJacobian.value),
):
    """Spin about each normal per decoupled velocity, in the contact's rows, and its inverse per unit impulse."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in spread(most):
        on = 0
        for e in lanes:
            speed[c, e] = 0.0
            inverse[c, e] = 0.0
            if c < count[0, e]:
                on = 1 if radius[c, e] > 0.0 else on
        base = c * width
        wide = extent[c, lanes[0]] if on == 1 else 0
        for i in range(wide):
            k = dof[base + i, lanes[0]]
            low = first[k, 0]
            for e in lanes:
                here = c < count[0, e]
                a = dof_a[c, e] if here else -1
                b = dof_b[c, e] if here else -1
                on_a = 1.0 if chain_has(first, moves, relations, a, -1, low, k) else 0.0
                on_b = 1.0 if chain_has(first, moves, relations, -1, b, low, k) else 0.0
                along = axis[k, 0, e] * normal[c, 0, e] + axis[k, 1, e] * normal[c, 1, e]
                along = (on_a - on_b) * (along + axis[k, 2, e] * normal[c, 2, e])
                along = along if here and angular[k, 0] == 1 else 0.0
                speed[c, e] += along * qd[k, e]
                jacobian[base + i, e] = along
        for i in range(wide - 1, -1, -1):
            d = dof[base + i, lanes[0]]
            for e in lanes:
                inverse[c, e] += mobility[d, e] * jacobian[base + i, e] * jacobian[base + i, e]
            for j in range(i):
                a = dof[base + j, lanes[0]]
                up = depth[d, 0] - depth[a, 0]
                s = chain[d, 0] + max(up, 0)
                if up > 0 and column[s, 0] == a:
                    for e in lanes:
                        jacobian[base + j, e] -= factor[s, e] * jacobian[base + i, e]
        for e in lanes:
            inverse[c, e] = 1.0 / inverse[c, e] if inverse[c, e] > 0.0 else 0.0


@system(phase="solve", only_with="warm_start_contacts")
def warm_start_spins(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    count=read(ContactCount.current),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    radius=read(ContactSpin.radius),
    last=read(ContactSpin.last),
    total=write(ContactSpin.value),
    jacobian=read(SpinJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    change=update(Scratch.change),
    u=update(DofGain.velocity),
):
    """Apply the torsional impulses of the substep before."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in range(most):
        on = 0
        for e in lanes:
            if c < count[0, e]:
                on = 1 if radius[c, e] > 0.0 else on
            total[c, e] = last[c, e]
            change[0, 0, e] = last[c, e]
        base = c * width
        for i in spread(extent[c, lanes[0]] if on == 1 else 0):
            k = dof[base + i, lanes[0]]
            for e in lanes:
                u[k, e] += mobility[k, e] * jacobian[base + i, e] * change[0, 0, e]


@system(phase="sweep", only_with="sweep_friction")
def sweep_spins(
    lanes,
    slots=rows(Contact),
    row_count=rows(ContactRow),
    count=read(ContactCount.current),
    extent=read(ContactMotion.extent),
    dof=read(ContactDof.dof),
    static=read(ContactSurface.static_friction),
    dynamic=read(ContactSurface.dynamic_friction),
    normal=read(ContactImpulse.value),
    radius=read(ContactSpin.radius),
    speed=read(ContactSpin.speed),
    inverse=read(ContactSpin.inverse),
    jacobian=read(SpinJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    last=update(ContactSpin.last),
    total=update(ContactSpin.value),
    sum=update(Scratch.sum),
    change=update(Scratch.change),
    u=update(DofGain.velocity),
):
    """One sweep over torsional friction, contact by contact; impulses and their bounds are those of sweep_friction."""
    width = row_count // max(slots, 1)
    most = 0
    for e in lanes:
        most = max(most, count[0, e])
    for c in range(most):
        on = 0
        for e in lanes:
            if c < count[0, e]:
                on = 1 if radius[c, e] > 0.0 else on
            sum[0, 0, e] = speed[c, e]
        if on == 1:
            base = c * width
            for i in spread(extent[c, lanes[0]]):
                k = dof[base + i, lanes[0]]
                for e in lanes:
                    sum[0, 0, e] += jacobian[base + i, e] * u[k, e]
            for e in lanes:
                here = c < count[0, e]
                now = last[c, e]
                rubs = math.fabs(speed[c, e]) * radius[c, e] > STICTION
                most_torque = (dynamic[c, e] if rubs else static[c, e]) * radius[c, e] * max(normal[c, 0, e], 0.0)
                new = now - inverse[c, e] * sum[0, 0, e]
                new = min(max(new, -most_torque), most_torque) if here else now
                change[0, 0, e] = new - now
                last[c, e] = new
                total[c, e] = new
            for i in spread(extent[c, lanes[0]]):
                k = dof[base + i, lanes[0]]
                for e in lanes:
                    u[k, e] += mobility[k, e] * jacobian[base + i, e] * change[0, 0, e]


@system(phase="query_contact_wrenches", only_with="contact_wrenches")
def spin_wrenches(
    lanes,
    h=read(Settings.timestep),
    link=read(ShapeTopology.link),
    count=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    normal=read(ContactPoint.normal),
    spin=read(ContactSpin.value),
    wrench=update(LinkContact.wrench),
):
    """Add torsional friction to the contact wrenches of links."""
    for e in lanes:
        for c in range(count[0, e]):
            for side in range(2):
                i = link[shape_a[c, e] if side == 0 else shape_b[c, e], 0]
                torque = (spin[c, e] if side == 0 else -spin[c, e]) / h[0, e]
                if i >= 0:
                    for k in range(3):
                        wrench[i, k, e] += torque * normal[c, k, e]


@system(phase="query_joints", only_with="contact_reactions")
def spin_reactions(
    lanes,
    h=read(Settings.timestep),
    link=read(ShapeTopology.link),
    body=read(ShapeTopology.body),
    count=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    normal=read(ContactPoint.normal),
    spin=read(ContactSpin.value),
    acting=update(BodyReaction.acting),
):
    """Add torsional friction to what acts on bodies, for the wrenches that joints transmit."""
    for e in lanes:
        for c in range(count[0, e]):
            for side in range(2):
                s = shape_a[c, e] if side == 0 else shape_b[c, e]
                torque = (spin[c, e] if side == 0 else -spin[c, e]) / h[0, e]
                if link[s, 0] >= 0:
                    for k in range(3):
                        acting[body[s, 0], k, e] += torque * normal[c, k, e]
