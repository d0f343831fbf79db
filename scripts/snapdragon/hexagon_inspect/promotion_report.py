"""The table of --promotions: conversions, soft-float, division helpers and double precision, with how many are in
loops."""

from .tables import GREEN, RED, YELLOW, format_table

_HEADER = ("Address", "Loops", "In-Loop", "Total", "Half", "Double", "Soft-float", "Division", "Math", "What",
           "Function")
_KINDS = ("half", "double", "soft-float", "division", "math")


def _findings(report):
    """[(kind, name, loop depth)] of a function."""
    calls = [(c.kind, c.name, c.depth) for c in report.calls if c.kind]
    return calls + [("double", d.name, d.depth) for d in report.doubles]


def print_promotions(library, functions, everything, paint, out):
    """functions: the reports that passed --func; everything: list those without findings too."""
    listed = [(f, _findings(f)) for f in functions if everything or _findings(f)]
    listed.sort(key=lambda pair: (-sum(d > 0 for _, _, d in pair[1]), -len(pair[1]), pair[0].function.address))
    out.write(f"{library.path} (v{library.elf.arch})\n")
    if listed:
        lines = format_table(_HEADER, [_row(f, found) for f, found in listed])
        out.write("\n".join(lines[:2]) + "\n")
        for (_, found), line in zip(listed, lines[2:]):
            out.write(paint(line, _colour(found)) + "\n")
    total = sum(len(_findings(f)) for f in functions)
    looping = sum(depth > 0 for f in functions for _, _, depth in _findings(f))
    out.write(f"{len(functions)} functions analysed, {len(listed)} listed; {total} findings, {looping} in loops\n\n")


def _row(report, found):
    names = {}
    for _, name, depth in found:
        names.setdefault(name, [0, 0])
        names[name][0] += 1
        names[name][1] += depth > 0
    what = ", ".join(f"{name}: {count}" + (f" ({inside} in loops)" if inside else "")
                     for name, (count, inside) in names.items())
    by_kind = [sum(kind == k for k, _, _ in found) for kind in _KINDS]
    return (f"0x{report.function.address:x}", len(report.loops), sum(d > 0 for _, _, d in found), len(found),
            *by_kind, what, report.readable)


def _colour(found):
    serious = [depth for kind, _, depth in found if kind != "math"]
    return RED if any(serious) else YELLOW if serious else GREEN
