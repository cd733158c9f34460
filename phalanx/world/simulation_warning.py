"""The warning of worlds."""


class SimulationWarning(UserWarning):
    """Something in a running simulation needs attention; the message says what to do."""
