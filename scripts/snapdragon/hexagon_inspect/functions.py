"""Cuts the packets of a file into functions: by its symbols, and where they are stripped by what is called or pointed
at."""

import bisect
import dataclasses

from .elf import R_HEX_RELATIVE, STT_FUNC, STT_NOTYPE


@dataclasses.dataclass
class Function:
    """The packets of one function; `aliases` are further names of its address."""
    name: str
    aliases: list
    section: object
    address: int
    size: int
    packets: list


def find_functions(elf, packets_of, targets):
    """All functions, in the order of sections and addresses.

    packets_of: {section index: packets}. targets: addresses that code calls or jumps to, as [(section index, address)].
    """
    found = []
    for section in elf.executable_sections():
        found += _functions_of_section(elf, section, packets_of.get(section.index, []), targets)
    return found


def _functions_of_section(elf, section, packets, targets):
    if not packets:
        return []
    named = _named_starts(elf, section)
    starts = dict.fromkeys(named)
    covered = _covered_ranges(named)
    pointed = {a for index, a in targets if index == section.index} | _pointers_into(elf, section)
    addresses = {p.address for p in packets}
    for address in pointed:
        if address in addresses and not _inside(covered, address):
            starts[address] = None
    for begin, end in _gaps(section, covered):
        first = next((p for p in _between(packets, begin, end) if not _is_padding(p)), None)
        # A piece of code that nothing names: it begins after the padding that follows the function before.
        if first is not None and not any(begin <= s <= first.address for s in starts):
            starts[first.address] = None
    return _cut(section, packets, sorted(starts), named)


def _named_starts(elf, section):
    """{address: its symbols, the best name first} of what symbols call a function in a section."""
    symbols = [s for s in elf.defined_symbols() if s.section == section.index and s.name]
    functions = [s for s in symbols if s.type == STT_FUNC]
    covered = sorted((s.value, s.value + s.size) for s in functions if s.size)
    # Labels of hand-written code have no type. Local ones inside a function of known size, or starting with ".L", are
    # places in it.
    labels = [s for s in symbols if s.type == STT_NOTYPE and not s.name.startswith(".L")
              and not _inside(covered, s.value) and (s.is_global or not functions)]
    base = section.address if elf.relocatable else 0
    found = {}
    for symbol in sorted(functions + labels, key=lambda s: (not s.is_global, -s.size, s.name)):
        found.setdefault(symbol.value + base, []).append(symbol)
    return found


def _covered_ranges(named):
    return sorted((address, address + symbols[0].size) for address, symbols in named.items() if symbols[0].size)


def _inside(ranges, address):
    """True if an address is in a range, but not its first."""
    place = bisect.bisect_right(ranges, (address, 1 << 40)) - 1
    return place >= 0 and ranges[place][0] < address < ranges[place][1]


def _gaps(section, covered):
    """The parts of a section outside the ranges."""
    at = section.address
    for begin, end in covered:
        if begin > at:
            yield at, begin
        at = max(at, end)
    if at < section.address + section.size:
        yield at, section.address + section.size


def _between(packets, begin, end):
    low = bisect.bisect_left(packets, begin, key=lambda p: p.address)
    high = bisect.bisect_left(packets, end, key=lambda p: p.address)
    return packets[low:high]


def _is_padding(packet):
    """True for packets of nops and for zero words."""
    return not packet.instructions and packet.nops + packet.zeros == len(packet.lines)


def _pointers_into(elf, section):
    """The addresses of a section that the loader writes into tables of pointers."""
    pointers = [r.addend for r in elf.relocations if r.type == R_HEX_RELATIVE and r.section == 0]
    return {address for address in pointers if section.holds(address)}


def _cut(section, packets, starts, named):
    found = []
    ends = starts[1:] + [section.address + section.size]
    for address, next_start in zip(starts, ends):
        symbols = named.get(address, [])
        end = next_start
        if symbols and symbols[0].size:
            end = min(end, address + symbols[0].size)
        own = _between(packets, address, end)
        while own and _is_padding(own[-1]):
            own = own[:-1]
        if not own:
            continue
        names = list(dict.fromkeys(s.name for s in symbols)) or [f"sub_{address:x}"]
        found.append(Function(names[0], names[1:], section, address, own[-1].end - address, own))
    return found
