"""The one exception that a user sees, as one line."""


class BenchError(Exception):
    """Something that stops the benchmark; its text is the line to print."""
