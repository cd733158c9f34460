"""Deformable bodies of worlds: how they are added, and what users read and write of them."""
