"""Cameras, and what can be done with their pictures."""
