"""Recordings as datasets of other projects: one file of this folder a format."""
