"""Follows addresses of the stack frame through the registers, packet by packet: what is read is what was there before
the packet.

The value of a register is one of
    None              nothing that matters
    Entry(r)          what register r held when the function began
    Frame(base, offset, root, fresh)
                      an address of the frame. `base` is "entry" (the stack pointer at the beginning), "caller" (r30 at
                      the beginning), ("aligned", base, offset, mask), or ("moved", address of the instruction) after a
                      move by a variable. offset None: any. root: the offset at which the address left sp and fp, None
                      while it is there, so that all that is derived from one address is known to be one object.
                      fresh: False once the register was used to load or store: then a call finds a leftover in it, not
                      an argument.
    Maybe({(base, root)})
                      such an address or something else
"""

import collections

from .instruction import FP, LR, SP

Entry = collections.namedtuple("Entry", "register")
Frame = collections.namedtuple("Frame", "base offset root fresh", defaults=(True,))
Maybe = collections.namedtuple("Maybe", "objects")

ARGUMENTS = range(0, 6)
CLOBBERED = (*range(0, 16), 28, LR)
SAVED = range(16, 28)


def entry_state():
    """The registers when a function begins."""
    state = [None] * 32
    for register in (*SAVED, LR):
        state[register] = Entry(register)
    state[SP] = Frame("entry", 0, None)
    state[FP] = Frame("caller", 0, None)
    return tuple(state)


def objects_of(value):
    """The (base, root) pairs that a value may point into; root may be None."""
    if isinstance(value, Maybe):
        return value.objects
    if isinstance(value, Frame):
        return frozenset(((value.base, _root_of(value)),))
    return frozenset()


def _root_of(value):
    return value.offset if value.root is None else value.root


def _lower(a, b):
    return a if b is None else b if a is None else min(a, b)


def join(a, b):
    """The value of a register at a place that two ways lead to."""
    if a == b:
        return a
    if isinstance(a, Frame) and isinstance(b, Frame) and a.base == b.base:
        offset = a.offset if a.offset == b.offset else None
        root = None if a.root is None and b.root is None else _lower(_root_of(a), _root_of(b))
        return Frame(a.base, offset, root, a.fresh or b.fresh)
    objects = frozenset().union(*(objects_of(v) for v in (a, b) if not isinstance(v, Frame) or v.fresh))
    return Maybe(_merged(objects)) if objects else None


def _merged(objects):
    """One pair per base, with the lowest root: a pointer that walks does not make a pair per step."""
    lowest = {}
    for base, root in objects:
        lowest[base] = _lower(lowest.get(base, root), root)
    return frozenset(lowest.items())


def join_states(a, b):
    """Both states joined register by register; returns a itself if nothing changes."""
    joined = tuple(x if x is y else join(x, y) for x, y in zip(a, b))
    return a if joined == a else joined


class Transfer:
    """Applies packets to states. `escapes` collects the (base, root) pairs whose address goes where it cannot be
    followed."""

    def __init__(self, call_effect):
        """call_effect: function (instruction address) -> (argument registers that the call there reads, registers that
        it leaves alone besides r16..r27)."""
        self._call_effect = call_effect
        self.escapes = set()

    def packet(self, packet, old):
        """The state after a packet."""
        new = list(old)
        calls = []
        for address, instruction in packet.instructions:
            if instruction.branch and instruction.branch.kind in ("call", "callr"):
                calls.append((address, instruction))
            if instruction.memory is not None and instruction.memory.direction != "load":
                self._stored(instruction.memory, old)
            for effect in instruction.effects:
                self._apply(effect, address, instruction.predicated, old, new)
        _mark_used(packet, old, new)
        for address, instruction in calls:
            self._call(address, instruction.predicated, new)
        return tuple(new)

    def _stored(self, memory, old):
        for register in memory.data:
            self.escapes |= objects_of(old[register])

    def _apply(self, effect, address, predicated, old, new):
        kind = effect[0]
        if kind == "allocframe":
            self._allocate(effect[1], old, new)
        elif kind == "deallocframe":
            self._deallocate(predicated, old, new)
        else:
            value = self._value(effect, address, old)
            if effect[1] == SP and not (isinstance(value, Frame) and value.offset is not None):
                value = Frame(("moved", address), 0, None)
            new[effect[1]] = join(new[effect[1]], value) if predicated else value

    def _allocate(self, size, old, new):
        sp = old[SP]
        if isinstance(sp, Frame) and sp.offset is not None:
            new[FP] = Frame(sp.base, sp.offset - 8, None)
            new[SP] = Frame(sp.base, sp.offset - 8 - size, None)

    def _deallocate(self, predicated, old, new):
        fp = old[FP]
        values = {SP: None, FP: Frame("caller", 0, None), LR: Entry(LR)}
        if isinstance(fp, Frame) and fp.offset is not None:
            values[SP] = Frame(fp.base, fp.offset + 8, None)
        if not predicated:  # a conditional one returns; what follows sees the frame as it was
            for register, value in values.items():
                new[register] = value

    def _call(self, address, predicated, new):
        arguments, kept = self._call_effect(address)
        for register in arguments:
            if not isinstance(new[register], Frame) or new[register].fresh:
                self.escapes |= objects_of(new[register])
        for register in CLOBBERED:
            if register not in kept:
                new[register] = join(new[register], None) if predicated else None

    def _value(self, effect, address, old):
        """The value of an effect's destination."""
        kind, destination = effect[0], effect[1]
        if kind == "copy":
            return _placed(destination, old[effect[2]])
        if kind == "add":
            return _placed(destination, _shifted(old[effect[2]], effect[3]))
        if kind == "and":
            return _placed(destination, self._aligned(old[effect[2]], effect[3]))
        if kind == "choose":
            first, second = (None if r is None else _placed(destination, old[r]) for r in effect[2:])
            return join(first, second)
        if kind == "below":
            return self._below(destination, effect[2], address, old)
        if kind == "index":
            return _indexed(effect[2], old)
        for register in effect[2]:
            self.escapes |= objects_of(old[register])
        return None

    def _aligned(self, value, mask):
        if isinstance(value, Frame) and mask < 0 and value.offset is not None:
            return Frame(("aligned", value.base, value.offset, mask), 0, value.root and 0)
        self.escapes |= objects_of(value)
        return None

    def _below(self, destination, sources, address, old):
        """A variable distance below an address: below the stack pointer begins an array of variable length, with a base
        of its own."""
        value = old[sources[0]]
        if isinstance(value, Frame) and value.root is None:
            return _placed(destination, Frame(("moved", address), 0, None))
        return _indexed(sources, old)


def _indexed(sources, old):
    """An address plus or minus something unknown: it stays in its object."""
    values = [old[r] for r in sources]
    frames = [v for v in values if isinstance(v, Frame)]
    if len(frames) == 1 and not any(isinstance(v, Maybe) for v in values):
        return Frame(frames[0].base, None, _root_of(frames[0]))
    objects = frozenset().union(*(objects_of(v) for v in values))
    return Maybe(_merged(objects)) if objects else None


def _mark_used(packet, old, new):
    """Notes the registers that a packet uses as addresses, where the packet does not also replace them."""
    for _, instruction in packet.instructions:
        memory = instruction.memory
        if memory is not None and memory.base is not None and memory.base not in (SP, FP):
            value = new[memory.base]
            if isinstance(value, Frame) and (value is old[memory.base] or memory.moves_base):
                new[memory.base] = value._replace(fresh=False)


def _shifted(value, distance):
    if isinstance(value, Frame) and value.offset is not None:
        return Frame(value.base, value.offset + distance, value.root)
    return None if isinstance(value, Entry) else value


def _placed(register, value):
    """A value in a register: an address that leaves sp and fp remembers where."""
    if isinstance(value, Frame):
        if register in (SP, FP):
            return Frame(value.base, value.offset, None)
        if value.root is None:
            return Frame(value.base, value.offset, value.offset)
    return value


def frame_states(graph, transfer):
    """{block index: the registers before its first packet}, by iteration to a fixed point."""
    states = {}
    for root in graph.roots:
        states[root] = join_states(states[root], _root_state(states)) if root in states else _root_state(states)
        _propagate(graph, transfer, states, root)
    return states


def _root_state(states):
    """The registers at the entry; or at a place that is reached in no known way: the frame as most blocks have it, no
    more."""
    if not states:
        return entry_state()
    frames = collections.Counter((state[SP], state[FP]) for state in states.values())
    state = [None] * 32
    state[SP], state[FP] = frames.most_common(1)[0][0]
    return tuple(state)


def _propagate(graph, transfer, states, root):
    rank = {index: place for place, index in enumerate(graph.order)}
    pending = {root}
    while pending:
        index = min(pending, key=rank.__getitem__)
        pending.discard(index)
        state = states[index]
        for packet in graph.blocks[index].packets:
            state = transfer.packet(packet, state)
        for target, _ in graph.blocks[index].successors:
            joined = join_states(states[target], state) if target in states else state
            if joined is not states.get(target):
                states[target] = joined
                pending.add(target)
