"""The meaning of one instruction's text: registers written, memory touched, where it branches, what it does to
addresses."""

import dataclasses
import functools
import re

SP, FP, LR = 29, 30, 31

_REGISTERS = re.compile(r"(?<![\w.])r(\d+)(?::(\d+))?(\.new)?\b")
_VECTOR = re.compile(r"(?<![\w.])(?:v\d|q[0-3]\b|vtmp\b|vmemu?\()")
_MATRIX = re.compile(r"\bmx\w+|\b(?:activation|weight)\.")
_QFLOAT = re.compile(r"\.qf(?:16|32)\b")
_DOUBLE = re.compile(r"\b(convert_(?:\w+2df|df2\w+)|df(?:add|sub|mpy\w*|cmp\.\w+|max|min|class|make))\(")
_MEMORY = re.compile(r"\b(vmemu?|mem(?:ubh|bh|ub|uh|b|h|w|d)(?:_\w+)?)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_ASSIGNMENT = re.compile(r"^(.*?) ([-+|&^]?)= (.*)$")
_TARGET = re.compile(r"\b(jump|call)(?::\w+)? (0x[0-9a-f]+|[0-9]+)$")
_INDIRECT = re.compile(r"\b(jumpr|callr)h?(?::\w+)? r(\d+)$")
_LOOP = re.compile(r"\b(sp[123])?loop([01])\((0x[0-9a-f]+)")
_NUMBER = r"##?(-?(?:0x[0-9a-f]+|\d+))"
_WIDTH = {"b": 1, "h": 2, "w": 4, "d": 8}

VECTOR_BYTES = 128


@dataclasses.dataclass(frozen=True)
class Memory:
    """One access: direction is "store", "load" or "update" (read, modify, write); offset None stands for a variable
    index."""
    direction: str
    width: int
    vector: bool
    base: int | None
    offset: int | None
    step: int | None
    moves_base: bool
    data: tuple


@dataclasses.dataclass(frozen=True)
class Branch:
    """kind: jump, call, jumpr, callr, return. target is an address as printed, register the one that jumpr and callr
    read."""
    kind: str
    conditional: bool
    target: int | None = None
    register: int | None = None


@dataclasses.dataclass(frozen=True)
class Instruction:
    """effects: what happens to the 32 registers, in the vocabulary of frame_values; reads: the registers that it
    reads."""
    text: str
    predicated: bool
    memory: Memory | None
    branch: Branch | None
    loop: tuple | None  # (0 or 1, start address, software-pipelined)
    effects: tuple
    reads: tuple
    vector: bool
    matrix: bool
    qfloat: bool
    double: str | None


def number(text):
    """The value of #0x10, ##-3 or 0xffffea92 (the last wraps to a signed 32-bit value)."""
    value = int(text.lstrip("#"), 0)
    return value - (1 << 32) if value >= 1 << 31 else value


def registers_of(text):
    """The numbers of all general registers that a text names, pairs spelled out; registers marked .new are left out."""
    found = []
    for high, low, new in _REGISTERS.findall(text):
        if not new:
            found += [int(high)] if not low else [int(high), int(low)]
    return tuple(found)


@functools.lru_cache(maxsize=None)
def parse(text):
    """The Instruction of a text as the disassembler prints it, without braces and symbol names."""
    predicate, body = _split_predicate(text)
    left, operator, right = _split_assignment(body)
    memory = _memory_of(left, operator, right)
    branch = _branch_of(body, predicate is not None)
    loop = _LOOP.search(body)
    vector = bool(_VECTOR.search(text))
    double = _DOUBLE.search(body)
    return Instruction(
        text=text, predicated=predicate is not None, memory=memory, branch=branch,
        loop=(int(loop[2]), int(loop[3], 16), bool(loop[1])) if loop else None,
        effects=_effects_of(body, left, operator, right, memory),
        reads=_reads_of(predicate, left, operator, right),
        vector=vector, matrix=bool(_MATRIX.search(text)), qfloat=bool(_QFLOAT.search(text)),
        double=double[1] if double else None)


def _split_predicate(text):
    """("p0.new", "jump 0x10") of "if (p0.new) jump 0x10"; (None, text) of an unconditional one."""
    if not text.startswith("if ("):
        return None, text
    depth = 0
    for place in range(3, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return text[4:place], text[place + 1:].strip()
    return None, text


def _split_assignment(body):
    """(left side, operator before the = sign, right side); all empty but the right side if there is no assignment."""
    match = _ASSIGNMENT.match(body)
    return match.groups() if match else ("", "", body)


def _memory_of(left, operator, right):
    """The access of an assignment: a store if its left side is memory, a load if its right side is."""
    store = _MEMORY.match(left)
    if store:
        update = operator or re.match(r"(?:setbit|clrbit)\(", right)
        return _access("update" if update else "store", store, registers_of(right))
    load = _MEMORY.match(right)
    return _access("load", load, registers_of(left)) if load else None


def _access(direction, match, data):
    name, address = match.groups()
    vector = name.startswith("vmem")
    if vector:
        width = VECTOR_BYTES
    else:
        core = name[3:].split("_")[0]
        width = {"ubh": 4, "bh": 4, "ub": 1, "uh": 2}.get(core) or _WIDTH[core]
    base, offset, step, moves = _address_of(address, VECTOR_BYTES if vector else 1)
    return Memory(direction, width, vector, base, offset, step, moves, data)


def _address_of(text, unit):
    """(base register, offset, step, whether the base is written) of the text between the parentheses; unit scales
    immediates."""
    match = re.match(r"r(\d+)", text)
    if not match:
        return None, None, None, False
    base, rest = int(match[1]), text[match.end():]
    if not rest or rest.startswith(","):
        return base, 0, None, False
    plain = re.fullmatch(r"\+" + _NUMBER, rest)
    if plain:
        return base, number(plain[1]) * unit, None, False
    step = re.fullmatch(r"\+\+" + _NUMBER, rest)
    if step:
        return base, 0, number(step[1]) * unit, True
    if rest.startswith("++"):
        return base, 0, None, True
    if rest.startswith("="):
        return None, None, None, False
    if re.match(r"\+r\d+", rest):
        return base, None, None, False
    return None, None, None, False  # rN<<#2+##table: the register is the index


def _branch_of(body, conditional):
    if re.search(r"\bdealloc_return\b", body) or body == "rte":
        return Branch("return", conditional)
    indirect = _INDIRECT.search(body)
    if indirect:
        register = int(indirect[2])
        kind = "return" if (indirect[1], register) == ("jumpr", LR) else indirect[1]
        return Branch(kind, conditional, register=register)
    direct = _TARGET.search(body)
    return Branch(direct[1], conditional, target=int(direct[2], 0)) if direct else None


def _reads_of(predicate, left, operator, right):
    """The registers whose values from before the packet are read."""
    found = list(registers_of(predicate or "")) + list(registers_of(right))
    if "(" in left or operator:
        found += registers_of(left)
    return tuple(found)


# --- effects: ("copy", d, s) ("add", d, s, bytes) ("and", d, s, mask) ("choose", d, s, s or None)
#     ("index", d, (s...)) a sum; ("below", d, (s, s)) a difference; ("set", d, (s...)) any other result that reads s...
#     ("allocframe", bytes) ("deallocframe",)

def _effects_of(body, left, operator, right, memory):
    frame = _frame_effect(body)
    if frame:
        return (frame,)
    found = []
    if memory is None or memory.direction == "load":
        found += _result_effects(left, operator, right, memory)
    if memory is not None and memory.moves_base:
        base = memory.base
        found.append(("index", base, (base,)) if memory.step is None else ("add", base, base, memory.step))
    written = re.search(r"\(r(\d+)=##?", body)
    if written and memory is not None:
        found.append(("set", int(written[1]), ()))
    return tuple(found)


def _frame_effect(body):
    match = re.search(r"\ballocframe\((?:r29,)?" + _NUMBER, body)
    if match and "deallocframe" not in body:
        return ("allocframe", number(match[1]))
    if re.search(r"\bdealloc(?:frame|_return)\b", body):
        return ("deallocframe",)
    return None


def _result_effects(left, operator, right, memory):
    """The effects on the registers of the left side."""
    if "(" in left:
        return []
    destinations = [(int(high), int(low) if low else None) for high, low, _ in _REGISTERS.findall(left)]
    found = []
    for high, low in destinations:
        if memory is not None:
            found += [("set", r, ()) for r in (high, low) if r is not None]
        elif operator:
            found += _accumulated(high, low, operator, right)
        elif low is None:
            found.append(_single(high, right))
        else:
            found += _pair(high, low, right)
    return found


def _accumulated(high, low, operator, right):
    sources = registers_of(right)
    if low is None and operator in "+-":
        return [("index", high, (high, *sources))]
    return [("set", r, (r, *sources)) for r in (high, low) if r is not None]


_COPY = re.compile(r"r(\d+)$")
_ADD = re.compile(r"add\(r(\d+)," + _NUMBER + r"\)$")
_BELOW = re.compile(r"sub\(r\d+,r\d+\)$")
_SUM = re.compile(r"(?:add|addasl|sub)\(")
_AND = re.compile(r"and\(r(\d+)," + _NUMBER + r"\)$")
_MUX = re.compile(r"mux\([^,]*,(r\d+|##?[^,]*),(r\d+|##?[^,]*)\)$")
_COMBINE = re.compile(r"combine\((r\d+|##?[^,]*),(r\d+|##?[^,]*)\)$")
_PAIR = re.compile(r"r(\d+):(\d+)$")


def _single(d, right):
    if match := _COPY.match(right):
        return ("copy", d, int(match[1]))
    if match := _ADD.match(right):
        return ("add", d, int(match[1]), number(match[2]))
    if match := _AND.match(right):
        return ("and", d, int(match[1]), number(match[2]))
    if match := _MUX.match(right):
        return ("choose", d, _register_or_none(match[1]), _register_or_none(match[2]))
    if _BELOW.match(right):
        return ("below", d, registers_of(right))
    if _SUM.match(right):
        return ("index", d, registers_of(right))
    return ("set", d, registers_of(right))


def _pair(high, low, right):
    if match := _COMBINE.match(right):
        return [_moved(high, _register_or_none(match[1])), _moved(low, _register_or_none(match[2]))]
    if match := _PAIR.match(right):
        return [("copy", high, int(match[1])), ("copy", low, int(match[2]))]
    return [("set", high, registers_of(right)), ("set", low, registers_of(right))]


def _moved(d, source):
    return ("set", d, ()) if source is None else ("copy", d, source)


def _register_or_none(text):
    return int(text[1:]) if text.startswith("r") else None
