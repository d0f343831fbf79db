"""The table of --spills, and the loops of each listed function with --loops."""

from .tables import GREEN, RED, YELLOW, format_table

_HEADER = ("Address", "Packets", "Insns", "HVX", "Frame", "Loops", "V-Loop (st/ld)", "V-Tot", "S-Loop (st/ld)", "S-Tot",
           "Notes", "Function")
_LOOP_HEADER = ("Loop", "Kind", "Range", "Packets", "HVX", "HVX/Pkt", "V-Mem (st/ld)", "V-Spills", "S-Spills", "Calls",
                "Notes")


def print_spills(library, functions, everything, show_loops, paint, out):
    """functions: the reports that passed --func; everything: list those without spills too."""
    listed = [f for f in functions if everything or f.total.vector_spills or f.total.scalar_spills]
    listed.sort(key=lambda f: (-f.in_loops.vector_spills, -f.total.vector_spills, -f.in_loops.scalar_spills,
                               -f.total.scalar_spills, f.function.address))
    out.write(f"{library.path} (v{library.elf.arch})\n")
    if listed:
        lines = format_table(_HEADER, [_row(f) for f in listed])
        out.write("\n".join(lines[:2]) + "\n")
        for report, line in zip(listed, lines[2:]):
            out.write(paint(line, _colour(report)) + "\n")
            if show_loops:
                _print_loops(report, out)
    out.write(_footer(functions, listed))


def _row(f):
    inner, total = f.in_loops, f.total
    return (f"0x{f.function.address:x}", total.packets, total.instructions, total.hvx_ops, _frame(f.frame),
            len(f.loops), cell(inner.vector_spill_stores, inner.vector_spill_loads), total.vector_spills,
            cell(inner.scalar_spill_stores, inner.scalar_spill_loads), total.scalar_spills, " ".join(_notes(f)),
            f.readable)


def cell(stores, loads):
    """"3 (1s,2l)", or "0"."""
    return f"{stores + loads} ({stores}s,{loads}l)" if stores + loads else "0"


def _frame(frame):
    return f"{frame.frame_bytes}{'+' if frame.dynamic else ''}"


def _notes(f):
    if f.in_loops.vector_spill_stores and f.in_loops.vector_spill_loads:
        yield "[V-ROUNDTRIP!]"
    elif f.in_loops.vector_spill_loads:
        yield "v-readonly"
    if f.uses_qfloat:
        yield "[QF-SPILL!]" if f.total.vector_spills else "qf"
    if f.unknown_words:
        yield f"[{f.unknown_words} UNKNOWN WORDS!]"
    objects = sum(s.kind == "local" for s in f.frame.slots)
    if objects:
        yield f"locals:{objects}"


def _colour(f):
    if f.in_loops.vector_spills or (f.uses_qfloat and f.total.vector_spills):
        return RED
    return YELLOW if f.total.vector_spills else GREEN


def loop_rows(report):
    """The rows of a function's loops, under loop_header()."""
    for loop in report.loops:
        counts = loop.counts
        density = counts.hvx_ops / counts.packets if counts.packets else 0.0
        notes = [note for note, holds in (("dual-hvx", density >= 1.5), ("pipelined", loop.loop.pipelined),
                                          ("branches", not loop.straight)) if holds]
        yield ("  " * (loop.loop.depth - 1) + f"#{loop.loop.index}", loop.loop.kind, f"0x{loop.start:x}-0x{loop.end:x}",
               counts.packets, counts.hvx_ops, f"{density:.2f}", f"{counts.vector_stores}s,{counts.vector_loads}l",
               cell(counts.vector_spill_stores, counts.vector_spill_loads),
               cell(counts.scalar_spill_stores, counts.scalar_spill_loads), counts.calls, " ".join(notes))


def loop_header():
    return _LOOP_HEADER


def _print_loops(report, out):
    rows = list(loop_rows(report))
    for line in format_table(_LOOP_HEADER, rows) if rows else []:
        out.write(f"    {line}\n")


def _footer(functions, listed):
    in_loops = sum(f.in_loops.vector_spills > 0 for f in functions)
    qf = sum(f.uses_qfloat and f.total.vector_spills > 0 for f in functions)
    vector, scalar = (sum(getattr(f.total, name) for f in functions) for name in ("vector_spills", "scalar_spills"))
    return (f"{len(functions)} functions analysed, {len(listed)} listed; {in_loops} with vector spills in loops, "
            f"{qf} with vector spills beside qf; {vector} vector and {scalar} scalar spills\n\n")
