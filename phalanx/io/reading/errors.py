"""What is wrong with a file."""


class LoadError(ValueError):
    """A file cannot be used. The message names the file, the line where known, the element, and the remedy."""
