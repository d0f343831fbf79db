"""The one exception that ends a run with a line of text instead of findings."""


class InspectError(Exception):
    """A file, a tool or an argument is not usable; the text is one line for the user. The program exits with 2."""
