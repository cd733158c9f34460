"""What robots, shapes and materials are before there is a world: plain data, and what is worked out from it."""
