"""From models to rows of the engine's tables, when a world is built."""
