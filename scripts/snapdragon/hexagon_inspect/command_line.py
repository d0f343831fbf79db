"""The arguments of the program, and what it does with them. Exit code 0: clean, 1: findings, 2: wrong use or unusable
files."""

import argparse
import pathlib
import re
import signal
import sys

from . import crash_addresses, json_report, listing, promotion_report, spill_report, strict_rules
from .analysis import LibraryReport
from .errors import InspectError
from .libraries import find_libraries, open_libraries, parse_arch
from .tables import GREEN, RED, Paint
from .tools import demangle

ROOT = pathlib.Path(__file__).resolve().parents[3]


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="ggml-hexagon-inspect.py",
        description="Looks into Hexagon ELF files (.so, .o, .a): register spills, float promotions, annotated disassembly, "
                    "crash addresses. Needs LLVM's or Qualcomm's objdump. Exit code 0: clean, 1: findings, 2: wrong use or "
                    "unusable files.")
    files = parser.add_argument_group("files")
    files.add_argument("--lib", action="append", default=[], metavar="PATH",
                       help="file to inspect; may be given several times (default: the libraries of the newest build)")
    files.add_argument("--arch", metavar="VNN", help="only files of this architecture, such as v73")
    modes = parser.add_argument_group("reports (default: --spills)")
    modes.add_argument("--spills", action="store_true", help="vector and scalar register spills, and where they are")
    modes.add_argument("--promotions", action="store_true",
                       help="half and double conversions, soft-float calls, division helpers, double precision")
    modes.add_argument("--disasm", nargs="?", const="", metavar="FUNC",
                       help="disassembly with loops, spills and calls marked; FUNC is a name or a regular expression")
    modes.add_argument("--addr2line", nargs="*", metavar="ADDR",
                       help="function, file and line of addresses; - reads them from a log on standard input")
    _add_options(parser)
    return parser.parse_args(arguments)


def _add_options(parser):
    options = parser.add_argument_group("options")
    options.add_argument("--func", "--fn", "-f", metavar="RE",
                         help="only functions whose mangled, readable or short name matches")
    options.add_argument("--all", "-a", action="store_true", help="list functions without findings too")
    options.add_argument("--loops", action="store_true", help="with --spills: the loops of each listed function")
    options.add_argument("--json", action="store_true", help="everything that is known about the functions, as JSON")
    options.add_argument("--strict", action="store_true",
                         help="exit with 1 if a function breaks a rule; with --func only those that match are judged")
    options.add_argument("--max-inloop-vspills", type=int, default=0, metavar="N",
                         help="vector spills in loops allowed per function")
    options.add_argument("--strict-stores-only", action="store_true", help="judge vector spill stores only")
    options.add_argument("--max-promotions", type=int, default=0, metavar="N", help="promotions allowed per function")
    options.add_argument("--dma-pattern", default="", metavar="RE", help="names of functions that only move data")
    options.add_argument("--max-dma-vec-ops", type=int, default=0, metavar="N",
                         help="HVX instructions allowed in such a function")
    options.add_argument("--spills-only", action="store_true",
                         help="with --disasm: only marked packets and what is around them")
    options.add_argument("-C", "--context", type=int, default=2, metavar="N", help="packets around a marked one")
    options.add_argument("--limit", type=int, default=20, metavar="N", help="functions to disassemble at most, 0: all")
    options.add_argument("--base", default="0", metavar="ADDR", help="with --addr2line: where the library was loaded")
    options.add_argument("--no-color", action="store_true", help="no colours, even on a terminal")


def main(arguments=None):
    """The exit code of the program."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    options = parse_arguments(arguments)
    try:
        return _run(options)
    except InspectError as error:
        sys.stdout.flush()
        print(f"ggml-hexagon-inspect.py: error: {error}", file=sys.stderr)
        return 2


def _run(options):
    pattern = _compiled("--func", options.func) if options.func else None
    limits = strict_rules.Limits(
        options.max_inloop_vspills, options.strict_stores_only, options.max_promotions,
        _compiled("--dma-pattern", options.dma_pattern) if options.dma_pattern else None, options.max_dma_vec_ops)
    listing_pattern = _compiled("--disasm", options.disasm) if options.disasm else None
    elves = _chosen_files(options)
    paint = Paint(sys.stdout.isatty() and not options.no_color)
    if options.addr2line is not None:
        return crash_addresses.print_addresses(elves[-1], options.addr2line, options.base, sys.stdin, sys.stdout)
    libraries = [_analysed(elf) for elf in elves]
    chosen = [(library, [f for f in library.functions if _matches(f, pattern)]) for library in libraries]
    if pattern and not any(functions for _, functions in chosen):
        raise InspectError(f"no function matches '{options.func}'")
    violations = _violations(options, chosen, limits) if options.strict else []
    if options.json:
        json_report.write_json(chosen, violations, sys.stdout)
    elif options.disasm is not None:
        listing.print_listing(chosen, listing_pattern, options, paint, sys.stdout)
    else:
        _print_tables(options, chosen, paint)
    return _verdict(options, libraries, violations, paint)


def _compiled(option, text):
    try:
        return re.compile(text)
    except re.error as error:
        raise InspectError(f"{option} '{text}': not a regular expression ({error})") from error


def _chosen_files(options):
    """The files to inspect. --disasm and --addr2line without --lib take the library of the highest architecture
    only."""
    arch = parse_arch(options.arch) if options.arch else None
    if not options.lib:
        paths = find_libraries(arch, ROOT)
        single = options.disasm is not None or options.addr2line is not None
        return open_libraries(paths[-1:] if single else paths)
    elves = [elf for elf in open_libraries(options.lib) if arch is None or elf.arch == arch]
    if not elves:
        raise InspectError(f"no file given by --lib is for v{arch}")
    return elves


def _analysed(elf):
    library = LibraryReport(elf)
    readable = demangle(f.name for f in library.functions)
    for report in library.functions:
        report.readable = readable[report.name]
    return library


def _matches(report, pattern):
    """True if a function passes --func: by its symbols, its readable name, or the last part of that without
    arguments."""
    if pattern is None:
        return True
    names = (report.name, *report.function.aliases, report.readable, short_name(report.readable))
    return any(pattern.search(name) for name in names)


def short_name(readable):
    """"run" of "void hexane::run<scale>(int)"."""
    depth, end = 0, len(readable)
    for place, letter in enumerate(readable):
        if depth == 0 and letter == "(" and not readable.startswith("(anonymous", place) and place:
            end = place
            break
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(letter, 0)
    name = re.sub(r"\(anonymous namespace\)", "", readable[:end])
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return re.split(r"::|\s", name.strip())[-1]


def _violations(options, chosen, limits):
    rules = [strict_rules.promotion_violations] if options.promotions else []
    if options.spills or not options.promotions:
        rules.append(strict_rules.spill_violations)
    return [(library.path, f.readable, text) for library, functions in chosen for f in functions for rule in rules
            for text in rule(f, limits)]


def _print_tables(options, chosen, paint):
    everything = options.all or bool(options.func)
    for library, functions in chosen:
        if options.spills or not options.promotions:
            spill_report.print_spills(library, functions, everything, options.loops, paint, sys.stdout)
        if options.promotions:
            promotion_report.print_promotions(library, functions, everything, paint, sys.stdout)


def _verdict(options, libraries, violations, paint):
    """Prints the result of --strict and of the check that every word was decoded; returns the exit code."""
    out = sys.stderr if options.json else sys.stdout
    if options.strict:
        for path, name, text in violations:
            out.write(f"{path}: {name}: {text}\n")
        verdict = f"STRICT CHECK {'FAILED' if violations else 'PASSED'}: {len(violations)} violations"
        out.write(paint(verdict, RED if violations else GREEN) + "\n")
    unknown = [library for library in libraries if library.unknown_words]
    if unknown:
        worst = unknown[0]
        where = next(f for f in worst.functions if f.unknown_words)
        raise InspectError(f"{worst.path}: the disassembler does not know {worst.unknown_words} words of code (the first "
                           f"in {where.readable}); the report is not complete")
    return 1 if violations else 0
