"""Reads what the inspection needs of a 32-bit little-endian Hexagon ELF file: sections, symbols, relocations,
architecture."""

import bisect
import dataclasses
import struct

from .errors import InspectError

EM_HEXAGON = 164
ET_REL = 1
SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_DYNSYM = 2, 4, 8, 11
SHF_ALLOC, SHF_EXECINSTR = 2, 4
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION = 0, 1, 2, 3
SHN_UNDEF, SHN_LORESERVE = 0, 0xFF00
R_HEX_RELATIVE = 35


@dataclasses.dataclass(frozen=True)
class Section:
    """A section header; `index` is its place in the table."""
    index: int
    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    entry_bytes: int

    @property
    def executable(self):
        return bool(self.flags & SHF_EXECINSTR)

    def holds(self, address):
        return self.address <= address < self.address + self.size


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A symbol; `section` is an index, 0 if it is defined elsewhere. In .o files `value` counts from the section's
    start."""
    name: str
    value: int
    size: int
    type: int
    is_global: bool
    section: int


@dataclasses.dataclass(frozen=True)
class Relocation:
    """An entry of a relocation section; `section` is the index of the section it patches (0: the loaded image)."""
    offset: int
    type: int
    symbol: Symbol
    addend: int
    section: int


class Elf:
    """A Hexagon ELF file. path: its name in messages; file: where tools find it, if that is another place. Raises
    InspectError if it is not one, or is cut short."""

    def __init__(self, path, data, file=None):
        self.path = path
        self.file = file or path
        self.data = data
        try:
            self._read_header()
            self.sections = self._read_sections()
            self.symbols = self._read_symbols()
            self.relocations = self._read_relocations()
        except (struct.error, IndexError) as error:
            raise InspectError(f"{path}: damaged ELF file ({error})") from error

    def _read_header(self):
        if self.data[:4] != b"\x7fELF":
            raise InspectError(f"{self.path}: not an ELF file")
        if len(self.data) < 20:
            raise InspectError(f"{self.path}: damaged ELF file (cut short)")
        machine = struct.unpack_from("<H", self.data, 18)[0]
        if self.data[4] != 1 or self.data[5] != 1 or machine != EM_HEXAGON:
            raise InspectError(f"{self.path}: not a Hexagon file (ELF machine {machine}, Hexagon is {EM_HEXAGON})")
        fields = struct.unpack_from("<HHIIIIIHHHHHH", self.data, 16)
        self.type = fields[0]
        self.flags = fields[6]
        self._section_table = fields[5]
        self._section_entry_bytes, self._section_count, self._names_index = fields[10:13]

    @property
    def arch(self):
        """The architecture number of the header, such as 73; None if it names none."""
        # The low 12 bits are the architecture in hexadecimal digits: 0x73 is v73. 0x8000 is the tiny core.
        digits = f"{self.flags & 0xFFF:x}"
        return int(digits) if digits.isdigit() and int(digits) >= 5 else None

    @property
    def relocatable(self):
        return self.type == ET_REL

    def section_data(self, section):
        return b"" if section.type == SHT_NOBITS else self.data[section.offset:section.offset + section.size]

    def executable_sections(self):
        """The sections with code, in the order of the file; without the stubs of .plt."""
        return [s for s in self.sections if s.executable and s.size and not s.name.startswith(".plt")]

    def section_of(self, address):
        """The loaded section that holds an address, or None."""
        return next((s for s in self.sections if s.flags & SHF_ALLOC and s.holds(address)), None)

    def word_at(self, address):
        """The 32-bit word of the loaded image at an address, or None."""
        section = self.section_of(address)
        if section is None or section.type == SHT_NOBITS or address + 4 > section.address + section.size:
            return None
        return struct.unpack_from("<I", self.data, section.offset + address - section.address)[0]

    def _read_sections(self):
        raw = [struct.unpack_from("<IIIIIIIIII", self.data, self._section_table + i * self._section_entry_bytes)
               for i in range(self._section_count)]
        names = raw[self._names_index] if self._names_index < len(raw) else None

        def name(offset):
            return _text_at(self.data, names[4] + offset) if names else ""

        return [Section(i, name(r[0]), r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[9]) for i, r in enumerate(raw)]

    def _read_symbols(self):
        """{table section index: [Symbol]} of .symtab and .dynsym."""
        return {s.index: self._read_symbol_table(s) for s in self.sections if s.type in (SHT_SYMTAB, SHT_DYNSYM)}

    def _read_symbol_table(self, table):
        strings = self.sections[table.link]
        found = []
        for offset in range(table.offset, table.offset + table.size, 16):
            name, value, size, info, _, section = struct.unpack_from("<IIIBBH", self.data, offset)
            kind = info & 15
            section = section if section < SHN_LORESERVE else 0
            text = self.sections[section].name if kind == STT_SECTION else _text_at(self.data, strings.offset + name)
            found.append(Symbol(text, value, size, kind, info >> 4 != 0, section))
        return found

    def defined_symbols(self):
        """The symbols of .symtab, or of .dynsym in a stripped file, that stand in a section."""
        tables = sorted(self.symbols, key=lambda index: self.sections[index].type != SHT_SYMTAB)
        return [s for s in self.symbols[tables[0]] if s.section != SHN_UNDEF] if tables else []

    def _read_relocations(self):
        found = []
        for section in self.sections:
            if section.type != SHT_RELA or section.link not in self.symbols:
                continue
            symbols = self.symbols[section.link]
            patched = section.info if self.relocatable else 0
            for offset in range(section.offset, section.offset + section.size, 12):
                place, info, addend = struct.unpack_from("<IIi", self.data, offset)
                found.append(Relocation(place, info & 0xFF, symbols[info >> 8], addend, patched))
        return found


class AddressNames:
    """Names of addresses by the nearest symbol at or below, within the symbol's section."""

    def __init__(self, elf):
        self._elf = elf
        usable = [s for s in elf.defined_symbols() if s.type in (STT_FUNC, STT_NOTYPE, STT_OBJECT) and s.name]
        self._symbols = sorted(usable, key=lambda s: (s.value, s.type == STT_FUNC, s.size))
        self._values = [s.value for s in self._symbols]

    def find(self, address):
        """(symbol, offset from it), or (None, 0) if no symbol's section holds the address or it is past a sized
        symbol's end."""
        section = self._elf.section_of(address)
        place = bisect.bisect_right(self._values, address) - 1
        if section is None or place < 0:
            return None, 0
        symbol = self._symbols[place]
        offset = address - symbol.value
        if symbol.section != section.index or (symbol.size and offset >= symbol.size):
            return None, 0
        return symbol, offset


def _text_at(data, offset):
    end = data.find(b"\0", offset)
    return data[offset:end].decode("utf-8", "replace") if 0 <= end else ""
