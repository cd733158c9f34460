"""What scripts import from ``pxr`` that usd-core does not have; everything else of ``pxr`` is usd-core's own."""
