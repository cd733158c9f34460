"""Robots, meshes and scenes in; trajectories and pictures out."""
