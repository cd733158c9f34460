"""Isaac Sim 5.1's newer names for prims, objects and materials, whose arrays are Warp's; see :mod:`.prims`."""
