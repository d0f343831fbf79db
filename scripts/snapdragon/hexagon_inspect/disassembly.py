"""Runs the disassembler and frames its words into packets by their parse bits, so that an undecodable word cannot hide
a border."""

import re
import struct

from . import instruction
from .errors import InspectError
from .tools import find_tool, run_tool

_LINE = re.compile(r"^\s*([0-9a-f]+):\t[0-9a-f ]{11}\s+[0-9a-f]{8}[ \t]*(.*)$")
_SECTION = re.compile(r"^Disassembly of section (.*):$")
_SYMBOL = re.compile(r" <[^<>]*>")


class Packet:
    """One packet: `instructions` is [(address, Instruction)] without constant extenders; `lines` the disassembler's
    lines."""

    __slots__ = ("address", "end", "instructions", "lines", "ends_loop0", "ends_loop1", "unknown", "nops", "zeros")

    def __init__(self, address):
        self.address = address
        self.end = address
        self.instructions = []
        self.lines = []
        self.ends_loop0 = self.ends_loop1 = False
        self.unknown = self.nops = self.zeros = 0


def disassemble(elf):
    """{index of a section: its packets in the order of addresses} of every section with code, .plt too.

    Raises InspectError if the disassembler does not know the file's architecture.
    """
    if elf.arch is None:
        raise InspectError(f"{elf.path}: the header names no Hexagon architecture (flags 0x{elf.flags:x})")
    level = f"v{elf.arch}"
    output, problems = run_tool("objdump", "-d", f"--mcpu=hexagon{level}",
                                f"--mattr=+hvx{level},+hvx-length128b,+hvx-qfloat,+hvx-ieee-fp", elf.file)
    if "not a recognized processor" in problems:
        raise InspectError(f"{find_tool('objdump')} does not know hexagon{level}, the architecture of {elf.path}")
    return _sections(elf, output)


def _sections(elf, output):
    code = iter([s for s in elf.sections if s.executable and s.size])
    found, lines, current = {}, {}, None
    for line in output.splitlines():
        match = _LINE.match(line)
        if match:
            lines[int(match[1], 16)] = (match[2], line)
            continue
        match = _SECTION.match(line)
        if match:
            if current is not None:
                found[current.index] = _packets(elf, current, lines)
            current = next((s for s in code if s.name == match[1]), None)
            lines = {}
    if current is not None:
        found[current.index] = _packets(elf, current, lines)
    return found


def _packets(elf, section, lines):
    """The packets of a section's words. The disassembler leaves out the rest of a packet that it does not know, and
    runs of zeros."""
    found, packet, parse_bits = [], None, []
    data = elf.section_data(section)
    for place, (word,) in enumerate(struct.iter_unpack("<I", data[:len(data) & ~3])):
        address = section.address + 4 * place
        if packet is None:
            packet, parse_bits = Packet(address), []
            found.append(packet)
        text, line = lines.get(address) or ("<unknown>", f"{address:8x}:\t{'':11}\t{word:08x} <unknown>")
        _add_word(packet, address, word, text, line)
        bits = word >> 14 & 3
        parse_bits.append(bits)
        if bits in (0, 3) or len(parse_bits) == 4:  # a duplex, or the last word
            # Loop ends stand in the first two words: binary 10 in the first ends loop 0, in the second loop 1.
            packet.ends_loop0 = parse_bits[0] == 2
            packet.ends_loop1 = len(parse_bits) > 1 and parse_bits[1] == 2
            packet = None
    return found


def _add_word(packet, address, word, text, line):
    packet.end = address + 4
    packet.lines.append((address, line))
    packet.zeros += word == 0
    if "<unknown>" in text:
        packet.unknown += 1
        return
    text = _SYMBOL.sub("", text.split("}")[0].lstrip("{ \t"))
    for part in text.split(";"):
        part = part.strip()
        if part == "nop":
            packet.nops += 1
        elif part and not part.startswith("immext("):
            packet.instructions.append((address, instruction.parse(part)))
