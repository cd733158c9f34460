"""Scene queries: rays, overlaps, sweeps, penetration."""
