"""Meshes, hulls, height fields and distance fields, made and measured; read from files, kept on disk."""
