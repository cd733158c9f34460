"""What scripts import as ``usd.schema``."""
