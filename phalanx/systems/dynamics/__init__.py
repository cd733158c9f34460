"""Motion without contact: drives, inertia, forces, integration."""
