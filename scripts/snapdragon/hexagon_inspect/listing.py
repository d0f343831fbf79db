"""The annotated disassembly of --disasm: objdump's lines with loops, stack accesses and calls marked."""

from .errors import InspectError
from .spill_report import loop_header, loop_rows
from .tables import RED, YELLOW, format_table

_COLUMN = 80  # of the marks


def print_listing(chosen, pattern, options, paint, out):
    """chosen: [(LibraryReport, functions that passed --func)]; pattern: of --disasm, None for all of these. A name that
    is exactly the pattern goes before names that only match it. Raises InspectError if none does."""
    wanted = [(library, f) for library, functions in chosen for f in functions]
    if pattern is not None:
        exact = [(library, f) for library, f in wanted if pattern.pattern in (f.name, f.readable, *f.function.aliases)]
        wanted = exact or [(library, f) for library, f in wanted if any(map(pattern.search, (f.name, f.readable)))]
        if not wanted:
            raise InspectError(f"no function matches '{pattern.pattern}'")
    shown = wanted[:options.limit] if options.limit else wanted
    for library, report in shown:
        _print_function(library, report, options, paint, out)
    if len(shown) < len(wanted):
        out.write(f"{len(wanted) - len(shown)} more functions match; --limit 0 shows all\n")


def _print_function(library, report, options, paint, out):
    for line in _head(library, report):
        out.write(line + "\n")
    rows = list(loop_rows(report))
    for line in format_table(loop_header(), rows) if rows else []:
        out.write(f"  {line}\n")
    out.write("\n")
    marks = _marks(report)
    packets = report.function.packets
    shown = _shown_packets(packets, marks, options)
    last = -1
    for place in shown:
        if place != last + 1:
            out.write("...\n")
        last = place
        for address, line in packets[place].lines:
            out.write(_marked(line, marks.get(address, []), paint) + "\n")
    if last != len(packets) - 1:
        out.write("...\n")
    out.write("\n")


def _head(library, report):
    function, total = report.function, report.total
    share = 100 * total.hvx_ops / total.instructions if total.instructions else 0
    yield f"{report.readable}"
    yield (f"  {library.path} (v{library.elf.arch}), 0x{function.address:x}-0x{function.address + function.size:x}, "
           f"{function.size} bytes, {total.packets} packets, {total.instructions} instructions, {share:.0f}% HVX")
    yield (f"  frame {report.frame.frame_bytes} bytes{' and more' if report.frame.dynamic else ''}, "
           f"{len(report.loops)} loops, {total.vector_spills} vector and {total.scalar_spills} scalar spills, {total.calls} calls"
           f"{', qf' if report.uses_qfloat else ''}")


def _marks(report):
    """{address of a word: [text, whether it is a finding]}."""
    found = {}

    def mark(address, text, finding=True):
        found.setdefault(address, []).append((text, finding))

    for loop in report.loops:
        header = report.graph.blocks[loop.loop.header].packets[0]
        mark(header.address, f"LOOP#{loop.loop.index}-START {loop.loop.kind} depth {loop.loop.depth}", False)
    for packet in report.function.packets:
        for level, ends in ((0, packet.ends_loop0), (1, packet.ends_loop1)):
            if ends:
                mark(packet.lines[-1][0], f"LOOP{level}-END", False)
        if packet.unknown:
            mark(packet.address, "UNKNOWN WORD")
    for slot in report.frame.slots:
        for access in slot.accesses:
            _mark_access(report, slot, access, mark)
    for call in report.calls:
        what = call.kind.upper() if call.kind else "TAIL-CALL" if call.tail else "CALL"
        what = f"{what}:{call.name or '?'}"
        mark(call.address, what + in_loop(call.depth), bool(call.kind) or call.depth > 0)
    for double in report.doubles:
        mark(double.address, f"DOUBLE:{double.name}{in_loop(double.depth)}")
    return found


def in_loop(depth):
    return ":IN-LOOP" if depth else ""


def _mark_access(report, slot, access, mark):
    what = "STORE" if access.direction == "store" else "LOAD" if access.direction == "load" else "UPDATE"
    place = "?" if access.offset is None else f"{access.offset:+d}"
    if slot.kind == "spill":
        kind = "V-SPILL" if access.vector else "S-SPILL"
    else:
        kind = slot.kind.upper()
    mark(access.address, f"{kind}:{what}({place}){in_loop(report.depth_at(access.address))}", slot.kind == "spill")


def _marked(line, marks, paint):
    text = line.expandtabs().rstrip()
    if not marks:
        return text
    labels = " ".join(f"[{text}]" for text, _ in marks)
    serious = any(finding and ("V-SPILL" in text or "IN-LOOP" in text) for text, finding in marks)
    return text.ljust(_COLUMN) + " " + paint(labels, RED if serious else YELLOW)


def _shown_packets(packets, marks, options):
    """The places of the packets to print."""
    if not options.spills_only:
        return range(len(packets))
    shown = set()
    for place, packet in enumerate(packets):
        if any(finding for address, _ in packet.lines for _, finding in marks.get(address, ())):
            shown.update(range(max(0, place - options.context), min(len(packets), place + options.context + 1)))
    return sorted(shown)
