"""Impulses of contacts, joints, limits and tendons."""
