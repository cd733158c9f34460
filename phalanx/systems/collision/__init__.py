"""Which shapes are near, and where they touch."""
