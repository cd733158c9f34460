"""Particles: grains and fluids.

Their small step: the grid (``deform_cells``), sorted digit by digit (``deform_sort``), who is near whom
(``deform_pairs``), and, after all nodes have been predicted, velocities with what pushed them before
(``deform_particles_begin``) and sweeps over pairs and contacts (``deform_particles``). Forces on links go with those of
other deformable bodies.
"""
