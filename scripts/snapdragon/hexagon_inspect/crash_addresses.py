"""Resolves crash addresses to functions and lines, inlined functions included."""

import os
import re
import select
import time

from .call_targets import plt_stubs
from .disassembly import disassemble
from .elf import AddressNames
from .errors import InspectError
from .tools import demangle, run_tool

_PATIENCE_SECONDS = 2.0  # for a standard input that is open and silent, when nobody asked for it with "-"

_STUB_BYTES = 16  # of the code for one function in .plt

# The first of these that a line of a log matches gives its addresses.
_IN_LOG = (re.compile(r"\b(?:pc|ip|elr|lr)\s*[=:]?\s*(?:0x)?([0-9a-f]{3,8})\b", re.IGNORECASE),
           re.compile(r"\+0x([0-9a-f]{1,8})\b", re.IGNORECASE),
           re.compile(r"\b0x([0-9a-f]{1,8})\b", re.IGNORECASE),
           re.compile(r"^\s*([0-9a-f]{3,8})\s*$", re.IGNORECASE))


def print_addresses(elf, arguments, base, stdin, out):
    """Prints one block per address. arguments: addresses, texts with addresses, or "-" for standard input. Returns the
    exit code; raises InspectError if there is no address."""
    addresses = _addresses(arguments, stdin)
    if not addresses:
        raise InspectError("--addr2line: no addresses; give them as arguments, or - to read a log from standard input")
    load_base = _hexadecimal("--base", base)
    frames = _lookup(elf, [a - load_base for a in addresses])
    names = AddressNames(elf)
    symbols = {a: names.find(a - load_base) for a in addresses}
    stubs = _stubs(elf, [a - load_base for a in addresses])
    inlined = [function for lines in frames.values() for function, _ in lines]
    readable = demangle([*stubs.values(), *(s.name for s, _ in symbols.values() if s), *inlined])
    for address in addresses:
        place = address - load_base
        _print_one(elf, address, place, symbols[address], frames.get(place, []), stubs, readable, out)
    return 0


def _hexadecimal(option, text):
    try:
        return int(text, 16)
    except ValueError as error:
        raise InspectError(f"{option} {text}: not a hexadecimal address") from error


def _addresses(arguments, stdin):
    """The addresses in the order given, each once."""
    found = []
    for argument in arguments:
        if argument == "-":
            found += addresses_in(stdin.read())
        elif re.fullmatch(r"(?:0x)?[0-9a-f]+", argument, re.IGNORECASE):
            found.append(int(argument, 16))
        else:
            found += addresses_in(argument)
    if not arguments and not stdin.isatty():
        found += addresses_in(_read_patiently(stdin))
    return list(dict.fromkeys(found))


def addresses_in(text):
    """The addresses that the lines of a log name."""
    found = []
    for line in text.splitlines():
        matches = next((m for pattern in _IN_LOG if (m := pattern.findall(line))), [])
        found += [int(m, 16) for m in matches]
    return found


def _read_patiently(stdin):
    """What standard input has to say until it ends, or is silent for a while."""
    parts, descriptor = [], stdin.fileno()
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while (left := deadline - time.monotonic()) > 0 and select.select([descriptor], [], [], left)[0]:
        part = os.read(descriptor, 65536)
        if not part:
            break
        parts.append(part)
        deadline = time.monotonic() + _PATIENCE_SECONDS
    return b"".join(parts).decode("utf-8", "replace")


def _lookup(elf, addresses):
    """{address: [(function, "file:line")]}, the innermost inlined function first."""
    wanted = [f"0x{a:x}" for a in addresses if a >= 0 and elf.section_of(a) is not None]
    if not wanted:
        return {}
    output, _ = run_tool("addr2line", "-e", elf.file, "-a", "-f", "-i", *wanted)
    found, current, lines = {}, None, iter(output.splitlines())
    for line in lines:
        if re.fullmatch(r"0x[0-9a-f]+", line):
            current = found.setdefault(int(line, 16), [])
        elif current is not None:
            current.append((line, next(lines, "??:0")))
    return found


def _stubs(elf, addresses):
    """{address: name of the function that the PLT stub around it jumps to} of the addresses in a PLT."""
    if not any((section := elf.section_of(a)) and section.name.startswith(".plt") for a in addresses):
        return {}
    stubs = plt_stubs(elf, disassemble(elf))
    near = {a: max((s for s in stubs if s <= a < s + _STUB_BYTES), default=None) for a in addresses}
    return {a: stubs[s] for a, s in near.items() if s is not None}


def _print_one(elf, address, place, symbol, frames, stubs, readable, out):
    where = f"0x{address:x}" + (f" (0x{place:x} in the file)" if place != address else "")
    if place < 0 or elf.section_of(place) is None:
        out.write(f"{where} -> outside the library\n")
        return
    found, offset = symbol
    if place in stubs:
        out.write(f"{where} -> {readable.get(stubs[place], stubs[place])}@plt\n")
        return
    known = [(f, line) for f, line in frames if f != "??"] or [(found.name if found else "??", "??:0")]
    # The outermost frame is the function that the symbol names; the others are inlined into it.
    name = f"{readable.get(found.name, found.name)}+0x{offset:x}" if found else f"?? in {elf.section_of(place).name}"
    inner_name, inner_line = known[0]
    if len(known) == 1:
        out.write(f"{where} -> {name} ({inner_line})\n")
        return
    out.write(f"{where} -> {readable.get(inner_name, inner_name)} ({inner_line})\n")
    for function, line in known[1:-1]:
        out.write(f"    inlined into {readable.get(function, function)} ({line})\n")
    out.write(f"    inlined into {name} ({known[-1][1]})\n")
