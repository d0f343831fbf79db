"""Where a switch goes: reads the tables of distances that position-independent code loads from before it jumps by a
register."""

import re

_PC_RELATIVE = re.compile(r"r(\d+) = add\(pc,##(0x[0-9a-f]+|\d+)\)$")
_TABLE_LOAD = re.compile(r"= memw\(r(\d+)\+r\d+<<#0x2\)$")
_REACH = 8  # packets between the load from the table and the jump, at most
_R_HEX_32_PCREL, _R_HEX_6_PCREL_X = 31, 65


class JumpTables:
    """Answers for one file."""

    def __init__(self, elf):
        self._elf = elf
        self._by_place = {(r.section, r.offset): r for r in elf.relocations
                          if elf.relocatable and r.type in (_R_HEX_32_PCREL, _R_HEX_6_PCREL_X)}

    def targets(self, function, graph):
        """{address of a jump through a register: addresses that it may go to}, as far as tables are found. graph: of
        the function, without what this finds."""
        inside = {p.address for p in function.packets}
        jumps = [(address, place) for place, p in enumerate(function.packets) for address, i in p.instructions
                 if i.branch and i.branch.kind == "jumpr"]
        if not jumps:
            return {}
        tables = {address: self._tables_of(function, graph, place) for address, place in jumps}
        starts = set().union(*tables.values())
        found = {address: [t for table in places for t in self._entries(function, table, starts, inside)]
                 for address, places in tables.items()}
        return {address: list(dict.fromkeys(places)) for address, places in found.items() if places}

    def _tables_of(self, function, graph, place):
        """The (section index, address) of the tables that the jump in a packet may read."""
        for packet in reversed(function.packets[max(0, place - _REACH):place + 1]):
            for _, instruction in packet.instructions:
                match = _TABLE_LOAD.search(instruction.text)
                if match:
                    return self._constants(function, graph, packet, int(match[1]))
        return set()

    def _constants(self, function, graph, packet, register):
        """The tables whose address a register may hold before a packet."""
        found, seen = set(), set()
        start = graph.block_at(packet.address)
        pending = [(start.index, [p for p in start.packets if p.address < packet.address])]
        while pending:
            index, packets = pending.pop()
            defined = next((d for p in reversed(packets) if (d := _definition(p, register))), None)
            if defined is None:
                for before, _ in graph.blocks[index].predecessors:
                    if before not in seen:
                        seen.add(before)
                        pending.append((before, graph.blocks[before].packets))
                continue
            where, address, instruction = defined
            match = _PC_RELATIVE.match(instruction.text)
            table = self._table_at(function, where, address, int(match[2], 0)) if match else None
            if table is not None:
                found.add(table)
        return found

    def _table_at(self, function, packet_address, address, distance):
        if self._elf.relocatable:
            relocation = self._by_place.get((function.section.index, address))
            if relocation is None or relocation.symbol.section == 0:
                return None
            return relocation.symbol.section, relocation.symbol.value + relocation.addend - (address - packet_address)
        table = (packet_address + distance) & 0xFFFFFFFF
        section = self._elf.section_of(table)
        return (section.index, table) if section and not section.executable else None

    def _entries(self, function, table, starts, inside):
        """The targets in a table: it ends where another one begins, or where no place of the function is meant."""
        section, begin = table
        found, at = [], begin
        while at == begin or (section, at) not in starts:
            target = self._entry(function, section, begin, at)
            if target not in inside:
                break
            found.append(target)
            at += 4
        return found

    def _entry(self, function, section, begin, at):
        if not self._elf.relocatable:
            distance = self._elf.word_at(at)
            return None if distance is None else (begin + distance) & 0xFFFFFFFF
        relocation = self._by_place.get((section, at))
        if relocation is None or relocation.symbol.section != function.section.index:
            return None
        return relocation.symbol.value + relocation.addend - (at - begin)


def _definition(packet, register):
    """(packet address, address, instruction) of what writes a register in a packet, or None."""
    return next(((packet.address, address, i) for address, i in packet.instructions
                 if any(len(e) > 2 and e[1] == register for e in i.effects)), None)
