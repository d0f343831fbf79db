"""Runs the disassembler and frames its words into packets by their parse bits, so that an undecodable word cannot hide a border."""

import re

from . import instruction
from .errors import InspectError
from .tools import find_tool, run_tool

_LINE = re.compile(r"^\s*([0-9a-f]+):\t[0-9a-f ]{11}\s+([0-9a-f]{8})[ \t]*(.*)$")
_SECTION = re.compile(r"^Disassembly of section (.*):$")
_SYMBOL = re.compile(r" <[^<>]*>")


class Packet:
    """One packet: `instructions` is [(address, Instruction)] without constant extenders; `lines` the disassembler's lines."""

    __slots__ = ("address", "end", "instructions", "lines", "ends_loop0", "ends_loop1", "unknown", "size_in_words", "nops")

    def __init__(self, address):
        self.address = address
        self.end = address
        self.instructions = []
        self.lines = []
        self.ends_loop0 = self.ends_loop1 = False
        self.unknown = self.nops = 0
        self.size_in_words = 0


def disassemble(elf):
    """{index of a section: its packets in the order of addresses} of every section with code, .plt too.

    Raises InspectError if the disassembler does not know the file's architecture.
    """
    if elf.arch is None:
        raise InspectError(f"{elf.path}: the header names no Hexagon architecture (flags 0x{elf.flags:x})")
    level = f"v{elf.arch}"
    output, problems = run_tool("objdump", "-d", f"--mcpu=hexagon{level}",
                                f"--mattr=+hvx{level},+hvx-length128b,+hvx-qfloat,+hvx-ieee-fp", elf.path)
    if "not a recognized processor" in problems:
        raise InspectError(f"{find_tool('objdump')} does not know hexagon{level}, the architecture of {elf.path}")
    return _sections(elf, output)


def _sections(elf, output):
    code = iter([s for s in elf.sections if s.executable and s.size])
    found, words, current = {}, [], None
    for line in output.splitlines():
        match = _LINE.match(line)
        if match:
            words.append((int(match[1], 16), int(match[2], 16), match[3], line))
            continue
        match = _SECTION.match(line)
        if match:
            if current is not None:
                found[current.index] = _packets(words)
            current = next((s for s in code if s.name == match[1]), None)
            words = []
    if current is not None:
        found[current.index] = _packets(words)
    return found


def _packets(words):
    found, packet, parse_bits = [], None, []
    for address, word, text, line in words:
        if packet is not None and address != packet.end:  # the disassembler left out a run of zeros
            packet = None
        if packet is None:
            packet, parse_bits = Packet(address), []
            found.append(packet)
        _add_word(packet, address, text, line)
        bits = word >> 14 & 3
        parse_bits.append(bits)
        if bits in (0, 3):  # a duplex, or the last word
            # Loop ends stand in the first two words: binary 10 in the first ends loop 0, in the second loop 1.
            packet.ends_loop0 = parse_bits[0] == 2
            packet.ends_loop1 = len(parse_bits) > 1 and parse_bits[1] == 2
            packet = None
    return found


def _add_word(packet, address, text, line):
    packet.end = address + 4
    packet.size_in_words += 1
    packet.lines.append((address, line))
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
