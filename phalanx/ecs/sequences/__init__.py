"""What runs in place of a sequence of systems."""
