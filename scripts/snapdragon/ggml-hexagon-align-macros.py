#!/usr/bin/env python3
"""Checks that the backslashes of multi-line #define macros stand in one column with nothing behind them, and puts them
there.

Bytes that are not UTF-8, line ends and a missing last line end stay as they are.
"""

import argparse
import collections
import dataclasses
import difflib
import fnmatch
import os
import pathlib
import re
import signal
import sys
import unicodedata

SUFFIXES = {".c", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".hxx", ".inl"}
SKIPPED_FOLDERS = (".*", "build", "build-*", "node_modules", "__pycache__")
DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)")
CONTINUED = re.compile(r"(.*?)([ \t]*)\\([ \t\f\v]*)(\r?)$", re.DOTALL)
# What may hide a #define: comments and string literals, raw ones over several lines.
HIDING = re.compile(r'//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)'
                    r'|R"(?P<tag>[^()\s\\]{0,16})\(.*?(?:\)(?P=tag)"|\Z)|"(?:\\.|[^"\\\n])*"', re.DOTALL)
WIDE = {"W", "F"}


@dataclasses.dataclass
class Macro:
    """first: index of its first line; contents: the texts before the backslashes; columns: where these stand, from 1;
    trailing: indexes of the lines with blanks behind the backslash; carriage: whether each line ends with \\r."""
    name: str
    first: int
    contents: list
    columns: list
    trailing: list
    carriage: list

    @property
    def aligned(self):
        return len(set(self.columns)) == 1 and not self.trailing


def width(text, tab_width):
    """The columns that a text takes."""
    column = 0
    for letter in text:
        if letter == "\t":
            column += tab_width - column % tab_width
        elif not unicodedata.combining(letter):
            column += 2 if unicodedata.east_asian_width(letter) in WIDE else 1
    return column


def find_macros(text, tab_width):
    """The Macros of a text that go over several lines; those in comments and strings are none."""
    hidden = [(m.start(), m.end()) for m in HIDING.finditer(text)]
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found, place = [], 0
    while place < len(lines):
        match = DEFINE.match(lines[place])
        if not match or any(begin < starts[place] < end for begin, end in hidden):
            place += 1
            continue
        macro = _read_macro(match[1], lines, place, tab_width)
        if macro.contents:
            found.append(macro)
        place += max(1, len(macro.contents))
    return found


def _read_macro(name, lines, first, tab_width):
    macro = Macro(name, first, [], [], [], [])
    for place in range(first, len(lines)):
        match = CONTINUED.match(lines[place])
        if not match:
            break
        content, blanks, behind, carriage = match.groups()
        macro.contents.append(content)
        macro.columns.append(width(content + blanks, tab_width) + 1)
        macro.carriage.append(carriage)
        if behind:
            macro.trailing.append(place)
    return macro


def wanted_column(macro, options):
    """The column for a macro's backslashes: behind its widest line that has one, and --pad blanks."""
    widest = max(width(content, options.tab_width) for content in macro.contents)
    needed = widest + options.pad + 1
    if options.target_col:
        return options.target_col if options.target_col > widest + 1 else needed
    if options.mode == "max":
        return max(needed, *macro.columns)
    if options.mode == "majority":
        counts = collections.Counter(macro.columns)
        return max(needed, max(counts, key=lambda column: (counts[column], column)))
    return needed


def aligned_text(text, macros, options):
    """The text with the backslashes of the macros in their columns."""
    lines = text.split("\n")
    for macro in macros:
        column = wanted_column(macro, options)
        for offset, content in enumerate(macro.contents):
            blanks = " " * (column - 1 - width(content, options.tab_width))
            lines[macro.first + offset] = f"{content}{blanks}\\{macro.carriage[offset]}"
    return "\n".join(lines)


def source_files(paths, exclude):
    """The files to look at: those given, and the C and C++ sources below folders that are given."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(f for f in folders if not _matches_any(f, SKIPPED_FOLDERS))
            for name in sorted(names):
                file = pathlib.Path(folder) / name
                if file.suffix in SUFFIXES and not _matches_any(str(file), exclude):
                    yield file


def _matches_any(name, patterns):
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def unified_diff(path, before, after):
    """A patch, to be applied with patch -p1 in the current folder (in / for files outside it)."""
    name = os.path.relpath(path)
    name = str(path.resolve()).lstrip("/") if name.startswith("..") else name
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def _lines(text):
    """The lines with their ends; only \\n ends one."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def describe(path, macro, options):
    columns = ", ".join(f"{column}: {count}" for column, count in sorted(collections.Counter(macro.columns).items()))
    text = (f"{path}:{macro.first + 1}-{macro.first + len(macro.contents) + 1}: {macro.name}: "
            f"backslashes in columns {{{columns}}}, wanted {wanted_column(macro, options)}")
    if macro.trailing:
        text += f"; blanks behind the backslash in lines {', '.join(str(place + 1) for place in macro.trailing)}"
    return text


def parse_arguments():
    parser = argparse.ArgumentParser(
        description="Checks that the backslashes of multi-line macros are aligned. Exit code 0: they are, or --fix put "
                    "them right; 1: some are not; 2: wrong use or unreadable files.")
    parser.add_argument("paths", nargs="*", type=pathlib.Path, default=[pathlib.Path(".")],
                        help="files and folders (default: .)")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="report misaligned macros; the default")
    action.add_argument("--fix", action="store_true", help="align them in place")
    action.add_argument("--diff", action="store_true", help="print what --fix would do, as a patch")
    parser.add_argument("--mode", choices=("min", "max", "majority"), default="min",
                        help="column: the smallest (default), the largest there is, or the one that most lines have")
    parser.add_argument("--pad", type=int, default=2, metavar="N",
                        help="blanks before the backslash of the widest line (default: 2)")
    parser.add_argument("--target-col", type=int, metavar="N", help="this column for all macros that are narrower")
    parser.add_argument("--tab-width", type=int, default=4, metavar="N", help="columns per tab (default: 4)")
    parser.add_argument("--all", action="store_true", help="move the backslashes of aligned macros too")
    parser.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="skip files whose path matches")
    parser.add_argument("-q", "--quiet", action="store_true", help="no line per macro")
    options = parser.parse_args()
    if options.pad < 1 or options.tab_width < 1 or (options.target_col is not None and options.target_col < 2):
        parser.error("--pad and --tab-width must be at least 1, --target-col at least 2")
    return options


def process(path, options):
    """(number of macros, number of misaligned ones) of a file; reports, prints or writes what the options ask for."""
    data = path.read_bytes()
    text = data.decode("utf-8", "surrogateescape")
    macros = find_macros(text, options.tab_width)
    misaligned = [macro for macro in macros if not macro.aligned]
    out = sys.stderr if options.diff else sys.stdout
    if not options.quiet:
        for macro in misaligned:
            out.write(describe(path, macro, options).encode("utf-8", "replace").decode() + "\n")
    after = aligned_text(text, macros if options.all else misaligned, options)
    if after != text and options.diff:
        sys.stdout.flush()
        sys.stdout.buffer.write(unified_diff(path, text, after).encode("utf-8", "surrogateescape"))
    if after != text and options.fix:
        path.write_bytes(after.encode("utf-8", "surrogateescape"))
    return len(macros), len(misaligned)


def main():
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    options = parse_arguments()
    files, macros, misaligned = 0, 0, 0
    try:
        for path in source_files(options.paths, options.exclude):
            found, bad = process(path, options)
            files, macros, misaligned = files + 1, macros + found, misaligned + bad
    except OSError as error:
        print(f"ggml-hexagon-align-macros.py: error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    if not files:
        print("ggml-hexagon-align-macros.py: error: no C or C++ sources there", file=sys.stderr)
        return 2
    verb = "aligned" if options.fix else "misaligned"
    out = sys.stderr if options.diff else sys.stdout
    print(f"{files} files, {macros} multi-line macros, {misaligned} {verb}", file=out)
    return 1 if misaligned and not options.fix else 0


if __name__ == "__main__":
    sys.exit(main())
