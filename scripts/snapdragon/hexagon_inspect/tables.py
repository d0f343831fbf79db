"""Text tables and colours for the terminal."""

RED, YELLOW, GREEN, BOLD = "31", "33", "32", "1"


class Paint:
    """Wraps text in terminal colours, or leaves it alone."""

    def __init__(self, enabled):
        self._enabled = enabled

    def __call__(self, text, colour):
        return f"\x1b[{colour}m{text}\x1b[0m" if self._enabled else text


def format_table(header, rows):
    """Lines of a table whose columns are as wide as their contents, those of numbers aligned to the right: header,
    rule, rows."""
    widths = [max(len(str(line[i])) for line in (header, *rows)) for i in range(len(header))]
    numeric = [all(str(row[i])[:1].isdigit() for row in rows) for i in range(len(header))]

    def line(cells):
        padded = [str(c).rjust(w) if n else str(c).ljust(w) for c, w, n in zip(cells, widths, numeric)]
        return "  ".join(padded).rstrip()

    return [line(header), "  ".join("-" * w for w in widths), *(line(row) for row in rows)]
