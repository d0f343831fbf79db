"""Finds out where direct branches lead: from relocations in object files, from the stubs of the PLT, from the
symbols."""

import collections

from .elf import STT_SECTION

# R_HEX_B22_PCREL and the other kinds of branch offsets, their constant-extended forms, and R_HEX_PLT_B22_PCREL.
_BRANCH_RELOCATIONS = {1, 2, 3, 14, 15, 18, 19, 20, 21, 22, 36}

# name: of a function outside, or of a known symbol, else None; section, address: the place in this file, else None.
Target = collections.namedtuple("Target", "name section address")


class CallTargets:
    """Answers for one file; packets_of as from disassemble()."""

    def __init__(self, elf, packets_of):
        self._elf = elf
        self._stubs = plt_stubs(elf, packets_of)
        self._relocated = {(r.section, r.offset): r for r in elf.relocations
                           if elf.relocatable and r.type in _BRANCH_RELOCATIONS}
        self._plt = [s for s in elf.sections if s.executable and s.name.startswith(".plt")]

    def relocated(self, section, address):
        """True if the branch word at an address gets its target from a relocation, so that the printed one means
        nothing."""
        return (section.index, address) in self._relocated

    def resolve(self, section, packet_address, address, target):
        """The Target of the branch at an address of a section, whose text names the address `target`."""
        relocation = self._relocated.get((section.index, address))
        if relocation is not None:
            return self._from_relocation(relocation, address - packet_address)
        if target in self._stubs:
            return Target(self._stubs[target], None, None)
        if any(s.holds(target) for s in self._plt):
            return Target(None, None, None)
        if self._elf.relocatable:
            return Target(None, section.index, target)
        place = self._elf.section_of(target)
        return Target(None, place.index if place else None, target)

    def _from_relocation(self, relocation, distance):
        symbol = relocation.symbol
        name = None if symbol.type == STT_SECTION or not symbol.name else symbol.name
        if symbol.section == 0:
            return Target(name, None, None)
        # The offset counts from the packet; the assembler put the distance of the word from it into the addend.
        return Target(name, symbol.section, symbol.value + relocation.addend - distance)


def plt_stubs(elf, packets_of):
    """{address of a stub: name of the function that it jumps to}."""
    slots = {r.offset: r.symbol.name for r in elf.relocations if r.section == 0 and r.symbol.name}
    found = {}
    for section in elf.sections:
        if not section.executable or not section.name.startswith(".plt"):
            continue
        for packet in packets_of.get(section.index, []):
            for _, instruction in packet.instructions:
                # A stub begins with r14 = add(pc,##distance of its slot in .got.plt).
                _, separator, distance = instruction.text.partition("= add(pc,##")
                slot = (packet.address + int(distance.rstrip(")"), 0)) & 0xFFFFFFFF if separator else None
                if slot in slots:
                    found[packet.address] = slots[slot]
    return found
