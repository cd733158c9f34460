"""One module a command of ``phalanx``; a module's imports that take time are inside its functions."""
