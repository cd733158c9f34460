"""What scripts import as ``usd``: schemas of Isaac Sim."""
