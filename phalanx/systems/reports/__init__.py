"""What is computed from a step when users ask for it."""
