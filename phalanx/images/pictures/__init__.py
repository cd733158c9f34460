"""Pictures, films and videos of worlds."""
