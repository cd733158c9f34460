"""The order of a step: phases, and the systems of each in the order in which they run.

A world has as few of them as it can do with, see :func:`phalanx.systems.systems`; ``phalanx info ROBOT --step`` prints
those of one. The schedule of a world runs them in this order, and finds a place between them for systems that users
add, by what these read and write and by ``after=`` and ``before=``. On GPUs some systems stand in for several
(:data:`phalanx.systems.SUBSTITUTES`), and what shares no field runs side by side. So a new system goes into its module,
and into its place here: nothing else says where it runs.
"""

from phalanx.ecs import System
from phalanx.systems import fluid
from phalanx.systems.collision import (
    broad_phase,
    near_misses,
    nearest,
    planes,
    seams,
    sweep_and_prune,
    turning,
)
from phalanx.systems.collision import contacts as collision_contacts
from phalanx.systems.collision.mesh_contact import convex_height_field, convex_mesh, round_height_field, round_mesh
from phalanx.systems.collision.narrow import boxes, capsule_box, capsules, convex, guard, spheres
from phalanx.systems.collision.sdf_contact import convex_sdf, on_planes, sdf_height_field, sdf_mesh, two_sdf
from phalanx.systems.deformable import (
    attachments,
    cloth,
    cloth_clusters,
    cloth_near,
    cloth_touch,
    coarse_loads,
    collision_points,
    contact_search,
    corotation,
    coupling,
    damping,
    elasticity,
    fluids,
    grains,
    link_drives,
    link_forces,
    link_motion,
    link_reports,
    mesh_search,
    modes,
    particle_cells,
    particle_links,
    particle_near,
    particle_touch,
    particle_touch_momentum,
    particle_touch_near,
    particle_touch_points,
    pressed_particles,
    rope,
    rope_twist,
    sections,
    small_steps,
    sweep,
    ties,
)
from phalanx.systems.deformable import contacts as deformable_contacts
from phalanx.systems.deformable import momentum as deformable_momentum
from phalanx.systems.dynamics import (
    actuation,
    factorization,
    forces,
    free_spin,
    inertia,
    integration,
    kinematic_targets,
    kinematics,
    midpoint,
    motion_clamping,
    pivot_energy,
    pivots,
    springs,
)
from phalanx.systems.dynamics import momentum as dynamics_momentum
from phalanx.systems.reports import contact_forces, reactions
from phalanx.systems.sleep import decide, sleepers
from phalanx.systems.solver import (
    bouncing,
    contact_rows,
    contact_solver,
    dof_rows,
    dof_solver,
    even_loads,
    grips,
    load_steps,
    loads,
    mimics,
    soft_contacts,
    squeezes,
    sweeps,
    tendons,
    torsion,
)
from phalanx.systems.solver.islands import tied_bodies
from phalanx.systems.solver.loops import limit_rows, limits, matrix, rows, solver, stiffness

SUBSTEP = (
    "actuate",
    "dynamics",
    "factorize",
    "collide",
    "rows",
    "solve",
    "deform",
    "load",
    "sweep",
    "bounce",
    "sweep",
    "recouple",
    "integrate",
    "transport",
    "kinematics",
    "transport",
    "conserve",
    "velocities",
)
"""Phases repeated in every substep; ``sweep`` runs position_iterations times, then velocity_iterations times, and
``deform`` stands for phases of deformable bodies, some of which are repeated."""

REFRESH = ("kinematics", "velocities")
"""Phases that make everything derived agree with coordinates and velocities that the host has written."""

STEP = (*SUBSTEP, "sense")
"""All phases of a step; ``sense`` runs once, after the last substep."""

QUERIES = (
    "query_bodies",
    "query_gravity",
    "query_contacts",
    "query_contact_wrenches",
    "query_joints",
    "query_contact_views",
)
"""Run only when somebody asks."""

ORDER: dict[str, tuple[System, ...]] = {
    # Who sleeps and who wakes, what kinematic objects move to, and what drives ask for.
    "actuate": (
        kinematic_targets.follow_targets,
        decide.begin_islands,
        actuation.drive_joints,
        decide.notice_changes,
        decide.measure_quiet,
        decide.join_touching,
        decide.join_joined,
        decide.judge_islands,
        sleepers.keep_loads,
    ),
    # Bias, gravity and other forces on links, brought to dofs; the mass matrix (with ball joints: in kinematics).
    "dynamics": (
        sleepers.still_sleepers,
        forces.bias_accelerations,
        fluid.fluid_wrenches,
        inertia.mass_matrix,
        forces.link_forces,
        forces.subtree_forces,
        fluid.add_fluid_wrenches,
        forces.subtree_wrenches,
        forces.project_forces,
    ),
    # The factor of the mass matrix, with implicit drives in it, and velocities without constraints.
    "factorize": (
        springs.stiffen_springs,
        pivots.mean_pivots,
        springs.pull_springs,
        stiffness.stiffen_loops,
        factorization.implicit_mass,
        factorization.factorize_mass,
        midpoint.mean_turn,
        factorization.free_velocity,
        midpoint.turn_evenly,
        pivots.trust_pivots,
        pivots.turn_pivots_evenly,
    ),
    # Pairs of shapes that are near, contacts of pairs by kinds of shapes, and with planes; which are kept, and where.
    "collide": (
        torsion.remember_spins,
        collision_contacts.remember_contacts,
        planes.point_distances,
        broad_phase.shape_poses,
        on_planes.thin_plane_points,
        collision_contacts.start_contacts,
        broad_phase.shape_bounds,
        sweep_and_prune.sort_bounds,
        planes.pick_near_points,
        sweep_and_prune.sweep_bounds,
        nearest.keep_nearest_candidates,
        sweep_and_prune.sort_candidates,
        broad_phase.near_pairs,
        broad_phase.list_candidates,
        broad_phase.relate_candidates,
        spheres.collide_spheres,
        capsules.collide_capsules,
        capsule_box.collide_capsule_box,
        boxes.collide_boxes,
        convex.collide_convex,
        guard.guard_fast_shapes,
        round_mesh.collide_round_with_mesh,
        convex_mesh.collide_convex_with_mesh,
        round_height_field.collide_round_with_height_field,
        convex_height_field.collide_convex_with_height_field,
        convex_sdf.collide_convex_with_sdf,
        two_sdf.collide_two_sdf,
        sdf_mesh.collide_sdf_with_mesh,
        sdf_height_field.collide_sdf_with_height_field,
        near_misses.drop_near_misses,
        seams.chain_candidates,
        seams.drop_seam_contacts,
        nearest.keep_nearest_contacts,
        planes.place_plane_contacts,
        planes.plane_contacts,
        collision_contacts.place_pair_contacts,
        collision_contacts.pair_contacts,
        collision_contacts.contact_surfaces,
        collision_contacts.surface_drifts,
        turning.arc_drifts,
        torsion.spin_patches,
        decide.find_touching,
        soft_contacts.soften_contacts,
        decide.wake_touched,
    ),
    # Rows of limits, tendons, loop joints and contacts: Jacobians, and what impulses do.
    "rows": (
        sleepers.hold_sleepers,
        rows.loop_rows,
        limit_rows.loop_limit_rows,
        dof_rows.activate_dof_rows,
        even_loads.share_loads,
        contact_rows.contact_windows,
        grips.even_out_grips,
        tendons.tendon_rows,
        rows.loop_jacobians,
        sleepers.rest_dof_rows,
        squeezes.press_what_is_squeezed,
        rows.decouple_loops,
        dof_rows.list_dof_rows,
        contact_rows.contact_jacobians,
        torsion.spin_jacobians,
        matrix.loop_matrix,
        dof_rows.dof_jacobians,
        contact_rows.decouple_contacts,
        contact_rows.ease_contacts,
        contact_rows.contact_blocks,
        matrix.factorize_loops,
        limit_rows.loop_limit_shares,
    ),
    # Impulses of the substep before, to begin with.
    "solve": (
        sweeps.start_sweeps,
        dof_solver.warm_start_dofs,
        mimics.warm_start_mimics,
        tendons.warm_start_tendons,
        matrix.forget_broken,
        solver.warm_start_loops,
        limits.warm_start_loop_limits,
        contact_solver.warm_start_contacts,
        torsion.warm_start_spins,
    ),
    # Momentum that deformable bodies have.
    "deform_momentum": (
        deformable_momentum.sum_momenta,
        particle_touch_momentum.add_impulses_of_touched,
        particle_touch_momentum.find_what_pushes_touched,
        sections.sum_momenta_of_sections,
        deformable_momentum.body_momenta,
    ),
    # What nodes may touch.
    "deform_begin": (
        elasticity.elastic_constants,
        collision_points.begin_collision_points,
        deformable_contacts.remember_node_contacts,
        cloth.cloth_constants,
        rope.rope_constants,
        rope_twist.begin_couples,
        cloth_near.cloth_drift,
        cloth_clusters.begin_clusters,
        link_motion.begin_links,
        deformable_momentum.begin_momentum,
        particle_touch_momentum.begin_impulses_of_touched,
        particle_touch_momentum.begin_bodies_of_touched,
        contact_search.group_bounds,
        sections.section_bounds,
        attachments.begin_attachments,
        ties.begin_ties,
        ties.begin_tied_nodes,
        ties.join_tied,
        link_motion.forecast_dofs,
        contact_search.deformable_bounds,
        link_motion.forecast_motion,
        contact_search.near_deformables,
        link_motion.forecast_links,
        contact_search.find_node_contacts,
        link_forces.near_links,
        link_drives.ease_links,
        link_motion.hold_links,
        mesh_search.find_mesh_contacts,
        link_motion.start_links,
        collision_points.press_carriers,
        collision_points.share_out_firmness,
        deformable_contacts.begin_node_contacts,
        pressed_particles.find_pressed,
        pressed_particles.find_pressed_parts,
    ),
    # Cells that particles are in.
    "deform_cells": (
        particle_cells.particle_keys,
        particle_cells.clear_cells,
        particle_cells.begin_sort,
        coarse_loads.clear_blocks,
    ),
    # Particles in the order of their cells, digit by digit.
    "deform_sort": (
        particle_cells.count_digits,
        particle_cells.count_runs,
        particle_cells.count_all,
        particle_cells.sort_keys,
        particle_cells.next_digit,
    ),
    # Particles that may touch.
    "deform_pairs": (
        particle_cells.mark_cells,
        particle_cells.places_in_order,
        particle_near.find_pairs,
        coarse_loads.mark_blocks,
    ),
    # Triangles of cloth that may come near each other.
    "deform_near": (
        cloth_near.cloth_budgets,
        cloth_near.cloth_bounds,
        cloth_near.patch_bounds,
        cloth_near.region_bounds,
        particle_touch_near.find_touched,
        particle_touch_near.string_touched,
        particle_touch_near.touched_budgets,
        particle_touch_near.touched_bounds,
        particle_touch_near.bounds_of_touched_patches,
        particle_touch_near.bounds_of_touched_regions,
        cloth_near.near_regions,
        cloth_near.near_cloth,
    ),
    # Where inertia takes nodes.
    "deform_predict": (
        small_steps.predict_nodes,
        deformable_contacts.move_anchors,
        attachments.move_attachments,
        rope_twist.begin_turning,
        collision_points.predict_collision_points,
    ),
    # What cloth touches of cloth, and which sheets that joins.
    "deform_touch": (
        cloth_touch.touch_cloth,
        cloth_clusters.partners_of_groups,
        sections.partners_of_sections,
        cloth_clusters.cloth_partners,
        collision_points.answer_collision_points,
        cloth_clusters.join_clusters,
    ),
    # Nodes of soft bodies, colour by colour.
    "deform_sweep": (sweep.relax_nodes,),
    # Nodes of cloth, colour by colour, in turns with those of soft bodies.
    "deform_cloth": (cloth.relax_cloth,),
    # Nodes of ropes, from end to end.
    "deform_rope": (
        rope_twist.turn_rope,
        rope_twist.bend_rope,
        rope.row_of_rope,
        rope.solve_rope,
    ),
    # Velocities of particles, but for what touches them.
    "deform_particles_begin": (
        grains.begin_particles,
        fluids.fluid_begin,
        fluids.turn_fluid,
        particle_touch.fluid_behind_touched,
        particle_touch.begin_touched,
        pressed_particles.find_press_rates,
        pressed_particles.count_pressed,
        pressed_particles.sum_pressed,
        pressed_particles.press_particles,
    ),
    # What blocks of deep grains know of their particles.
    "deform_level": (
        coarse_loads.level_of_particles,
        coarse_loads.sum_blocks,
        coarse_loads.join_blocks,
    ),
    # By how much impulses grow, repeated.
    "deform_rounds": (coarse_loads.better_factors,),
    # Impulses that grow.
    "deform_loads": (
        coarse_loads.factors_of_particles,
        coarse_loads.scale_loads,
    ),
    # What touches particles, repeated.
    "deform_particles": (
        fluids.push_fluid,
        grains.move_particles,
        particle_touch.rest_on_touched,
        grains.relax_pairs,
        particle_touch.press_by_touched,
        fluids.press_fluid,
    ),
    # Links that nodes push.
    "deform_couple": (
        collision_points.follow_sweeps,
        particle_links.push_of_particles,
        link_forces.sum_link_forces,
        particle_links.sum_particle_forces,
        coupling.give_way,
        attachments.give_attachments,
        coupling.give_anchors,
    ),
    # Motion of bodies as rigid ones.
    "deform_modes": (
        ties.tie_forces_on_bodies,
        ties.pull_of_ties_on_bodies,
        modes.sum_groups,
        particle_touch.touched_forces_on_bodies,
        rope_twist.couple_of_rope,
        sections.sum_sections,
        modes.solve_modes,
        cloth_clusters.solve_cluster_modes,
        deformable_contacts.add_impulses,
        attachments.add_attachment_impulses,
        ties.add_tie_impulses,
        ties.add_impulses_of_ties,
        modes.move_nodes,
    ),
    # Where particles go, and what they push links with.
    "deform_particles_end": (
        grains.finish_particles,
        grains.slow_parted_particles,
        particle_touch.end_on_touched,
        particle_touch_momentum.impulses_of_touched,
        particle_touch_momentum.follow_bodies_of_touched,
        particle_links.impulses_of_particles,
    ),
    # Velocities of nodes.
    "deform_finish": (
        cloth_near.cloth_way,
        small_steps.count_small_steps,
        rope_twist.finish_turning,
        cloth_touch.bound_cloth,
        collision_points.bound_collision_meshes,
        collision_points.hold_back_nodes,
        small_steps.finish_nodes,
        collision_points.finish_collision_points,
        deformable_contacts.finish_node_contacts,
        attachments.finish_attachments,
        ties.finish_ties,
        link_forces.sum_link_impulses,
        particle_links.sum_particle_impulses,
        coupling.push_links,
    ),
    # Damping and rotations of soft bodies, what surfaces of deformable bodies do to each other, and what collision
    # meshes hand on: of each colour of nodes before it is swept.
    "deform_forces": (
        collision_points.follow_colours,
        ties.tie_forces,
        ties.pull_of_ties,
        cloth_touch.touch_forces,
        particle_touch.touched_forces,
        damping.damp_nodes,
        corotation.corotate_nodes,
        collision_points.collision_forces,
        particle_touch_points.touched_forces_of_points,
    ),
    # Momentum that bodies must have.
    "deform_end": (
        rope_twist.impulse_of_twist,
        coupling.push_dofs,
        deformable_momentum.restore_momentum_of_deformables,
        deformable_momentum.check_deformables,
        cloth_clusters.restore_momentum_of_clusters,
        ties.find_what_pushes_tied,
        ties.restore_momentum_of_tied,
        deformable_momentum.correct_nodes,
    ),
    # Who carries what: loads of resting contacts, searched a few times over.
    "load": (
        loads.look_for_loads,
        tied_bodies.find_islands,
        squeezes.leave_what_is_pressed,
        loads.judge_sweep,
        loads.leave_what_is_known,
        load_steps.swept_velocities,
        load_steps.hold_at_bounds,
        load_steps.step_loads,
        load_steps.cut_loads,
        loads.take_loads,
    ),
    # One sweep of the solver over all rows; repeated, before ``bounce`` and after it.
    "sweep": (
        dof_solver.sweep_dofs,
        mimics.sweep_mimics,
        tendons.sweep_tendons,
        solver.sweep_loops,
        solver.sweep_ropes,
        limits.sweep_loop_limits,
        contact_solver.sweep_normals,
        contact_solver.sweep_friction,
        torsion.sweep_spins,
        sweeps.advance,
    ),
    # Speeds with which contacts that hit part again.
    "bounce": (
        bouncing.find_bounces,
        bouncing.bounce,
    ),
    # From the solver's velocities to those of dofs.
    "recouple": (sweeps.recouple,),
    # Coordinates and velocities at the end of the substep.
    "integrate": (
        dynamics_momentum.cap_root_velocity,
        solver.break_loops,
        actuation.applied_efforts,
        dof_solver.keep_limits,
        pivots.carry_pivots,
        pivot_energy.carry_energy,
        limits.break_by_limits,
        motion_clamping.find_walls_in_the_way,
        motion_clamping.clamp_motion,
        integration.check_finite,
        dynamics_momentum.carry_momentum,
        pivots.lift_pivots,
        integration.update_coordinates,
        free_spin.keep_spin_energy,
        integration.update_velocities,
        sleepers.leave_sleepers,
    ),
    # Ball joints' velocities go with their turn; before the kinematics and after them.
    "transport": (
        pivots.mean_velocities,
        pivots.transport_pivots,
    ),
    # Poses of links, inertias about them, axes of motion, lengths of tendons.
    "kinematics": (
        kinematics.place_links,
        pivots.keep_pivots,
        inertia.link_inertias,
        kinematics.motion_axes,
        inertia.subtree_inertias,
        tendons.tendon_lengths,
        inertia.unit_momenta,
        inertia.mass_matrix,
        pivots.pivot_masses,
        pivots.factorize_pivots,
    ),
    # Momentum that the change of pose took goes back to free roots.
    "conserve": (
        pivots.lower_pivots,
        pivots.restore_pivots,
        pivot_energy.restore_energy,
        dynamics_momentum.restore_momentum,
        dynamics_momentum.cap_restored_velocity,
        sleepers.leave_roots,
    ),
    # Velocities of links.
    "velocities": (kinematics.link_velocities,),
    # Poses and velocities of bodies.
    "query_bodies": (kinematics.body_states,),
    # Efforts that hold against gravity.
    "query_gravity": (
        forces.link_weights,
        forces.subtree_weights,
        forces.gravity_force,
    ),
    # Contact forces of bodies.
    "query_contacts": (
        link_reports.clear_contact_forces,
        contact_forces.contact_forces,
        link_reports.contact_forces_of_nodes,
    ),
    # Their normal parts and torques.
    "query_contact_wrenches": (
        link_reports.clear_normal_forces,
        contact_forces.contact_wrenches,
        link_reports.normal_forces_of_nodes,
        torsion.spin_wrenches,
    ),
    # Wrenches that joints transmit.
    "query_joints": (
        reactions.link_accelerations,
        reactions.body_needs,
        tendons.tendon_reactions,
        fluid.fluid_reactions,
        solver.loop_reactions,
        limits.loop_limit_reactions,
        link_reports.deformable_reactions,
        reactions.contact_reactions,
        torsion.spin_reactions,
        reactions.joint_wrenches,
    ),
}
"""Of each phase its systems, in order."""
