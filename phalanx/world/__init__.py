"""Worlds: what is in them, how they are laid out in tables, how they run, and how users read and write them."""
