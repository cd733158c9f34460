"""The text of functions and systems: what it says and what it reaches."""
