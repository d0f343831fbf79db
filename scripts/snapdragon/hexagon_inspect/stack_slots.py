"""Turns accesses to the stack frame into slots, and says what each slot is.

    save      keeps a callee-saved register of the caller
    argument  came in above the frame
    outgoing  stored at the bottom of the frame for a callee
    local     an object of the program: its address is passed on, or indexed by a variable
    spill     a place that the compiler made: only ever addressed directly
"""

import dataclasses

from .instruction import VECTOR_BYTES
from .frame_values import LR, SAVED, SP, Entry, Frame, Maybe, objects_of


@dataclasses.dataclass(frozen=True)
class Access:
    """offset None: a variable one, within the object at `root`. sp_distance: bytes above the stack pointer, None if
    unknown."""
    block: int
    place: int  # of the packet in its block
    address: int
    direction: str
    width: int
    vector: bool
    base: object
    offset: int | None
    root: int | None
    saves: bool
    sp_distance: int | None


@dataclasses.dataclass
class Slot:
    """Overlapping accesses: bytes begin..end of a base. kind: one of the words above; indexed objects have end None."""
    base: object
    begin: int | None
    end: int | None
    accesses: list
    kind: str = ""

    @property
    def stores(self):
        return [a for a in self.accesses if a.direction != "load"]

    @property
    def loads(self):
        return [a for a in self.accesses if a.direction != "store"]


@dataclasses.dataclass
class FrameUse:
    """slots: all, with their kinds; frame_bytes: the deepest that the stack pointer goes, alignment included; dynamic:
    it also moves by a variable."""
    slots: list
    frame_bytes: int
    dynamic: bool
    realigned: bool


def find_slots(graph, states, transfer):
    """The FrameUse of a function. transfer must be the one that states came from, as it knows the addresses that
    escaped."""
    accesses, frame = [], _FrameSize()
    escapes = set(transfer.escapes)
    for block in graph.blocks:
        state = states[block.index]
        for place, packet in enumerate(block.packets):
            frame.see(state[SP])
            for address, instruction in packet.instructions:
                access = _access_of(block.index, place, address, instruction.memory, state, escapes)
                if access:
                    accesses.append(access)
            state = transfer.packet(packet, state)
        frame.see(state[SP])
    slots = _Classifier(graph, accesses, escapes, frame.bytes > 0 or frame.dynamic).slots()
    return FrameUse(slots, frame.bytes, frame.dynamic, frame.realigned)


def _access_of(block, place, address, memory, state, escapes):
    if memory is None or memory.base is None:
        return None
    value = state[memory.base]
    if isinstance(value, Maybe):
        escapes |= objects_of(value)
    if not isinstance(value, Frame):
        return None
    known = value.offset is not None and memory.offset is not None
    offset = value.offset + memory.offset if known else None
    root = value.offset if value.root is None else value.root
    sp = state[SP]
    same_base = known and isinstance(sp, Frame) and sp.base == value.base and sp.offset is not None
    saves = memory.direction == "store" and bool(memory.data) and all(
        state[r] == Entry(r) and (r in SAVED or r == LR) for r in memory.data)
    return Access(block, place, address, memory.direction, memory.width, memory.vector, value.base, offset,
                  None if known else root, saves, offset - sp.offset if same_base else None)


class _FrameSize:
    def __init__(self):
        self.bytes = 0
        self.dynamic = self.realigned = False

    def see(self, sp):
        if isinstance(sp, Frame) and sp.offset is not None:
            depth = self._depth(sp.base, sp.offset)
            self.bytes = max(self.bytes, depth or 0)

    def _depth(self, base, offset):
        """Bytes between an address and the stack pointer of the caller, as much as it can be."""
        if base == "entry":
            return -offset
        if base[0] == "aligned":
            self.realigned = True
            outer = self._depth(base[1], base[2])
            # The stack pointer is a multiple of 8, so aligning it costs at most the alignment less 8.
            return None if outer is None else outer - base[3] - 8 - offset
        self.dynamic = self.dynamic or base[0] == "moved"
        return None


class _Classifier:
    def __init__(self, graph, accesses, escapes, has_frame):
        self._graph = graph
        self._has_frame = has_frame
        self._direct = [a for a in accesses if a.offset is not None]
        self._indexed = [a for a in accesses if a.offset is None]
        self._escaped_roots = _by_base(escapes)
        self._indexed_roots = _by_base((a.base, a.root) for a in self._indexed)
        self._calls = any(i.branch and i.branch.kind in ("call", "callr")
                          for b in graph.blocks for p in b.packets for _, i in p.instructions)

    def slots(self):
        found = self._merged()
        outgoing = self._outgoing(found) if self._calls else set()
        for place, slot in enumerate(found):
            slot.kind = "outgoing" if place in outgoing else self._kind(slot)
        for base, root in dict.fromkeys((a.base, a.root) for a in self._indexed):
            own = [a for a in self._indexed if (a.base, a.root) == (base, root)]
            found.append(Slot(base, root, None, own, "local"))
        return found

    def _merged(self):
        found = []
        for access in sorted(self._direct, key=lambda a: (str(a.base), a.offset)):
            end = access.offset + access.width
            last = found[-1] if found else None
            if last and last.base == access.base and access.offset < last.end:
                last.end = max(last.end, end)
                last.accesses.append(access)
            else:
                found.append(Slot(access.base, access.offset, end, [access]))
        return found

    def _kind(self, slot):
        if self._incoming(slot):
            return "argument"
        stores = slot.stores
        if stores and all(a.saves for a in stores):
            return "save"
        return "local" if self._part_of_object(slot) else "spill"

    def _incoming(self, slot):
        """True for what lies above the frame. Vectors come in at multiples of their size. Of a function without a frame
        of its own only words that are loaded count; hand-written code stores to what its caller made room for."""
        if slot.base not in ("entry", "caller"):
            return False
        begin = slot.begin - 8 if slot.base == "caller" else slot.begin
        if begin < 0 or (begin % VECTOR_BYTES and any(a.vector for a in slot.accesses)):
            return False
        if self._has_frame:
            return not (slot.stores and any(a.vector for a in slot.accesses))
        return not (slot.stores or any(a.vector or a.width < 4 for a in slot.accesses))

    def _part_of_object(self, slot):
        """True if a slot belongs to an object of the program whose address is known elsewhere.

        Objects have no recorded end, so what lies above such an address is taken for its object, with two exceptions.
        An object that holds vectors begins at a multiple of 128 bytes. And where a value that was stored is loaded
        again with no call and no indexed store in between, an optimising compiler would have kept it in a register if
        it had one: then the slot is a spill. """
        escaped = self._escaped_roots.get(slot.base, ())
        indexed = self._indexed_roots.get(slot.base, ())
        if any(r is None or slot.begin <= r < slot.end for r in indexed):
            return True
        inside = any(r is None or slot.begin <= r < slot.end for r in escaped)
        if inside and not all(a.vector for a in slot.accesses):
            return True
        known = [r for r in (*escaped, *indexed) if r is not None]
        if not inside and not any(r < slot.begin and _may_begin(r, slot) for r in known):
            return False
        return not self._reloaded_undisturbed(slot)

    def _reloaded_undisturbed(self, slot):
        loads = {(a.block, a.place) for a in slot.loads}
        stores = {(a.block, a.place) for a in slot.stores}
        disturbing = {(a.block, a.place) for a in self._indexed if a.base == slot.base and a.direction != "load"}
        pending = [(block, place + 1) for block, place in stores if not self._disturbs(block, place, disturbing)]
        seen = set()
        while pending:
            block, place = pending.pop()
            if (block, place) in seen:
                continue
            seen.add((block, place))
            if place >= len(self._graph.blocks[block].packets):
                pending += [(target, 0) for target, _ in self._graph.blocks[block].successors]
                continue
            if (block, place) in loads:
                return True
            if (block, place) not in stores and not self._disturbs(block, place, disturbing):
                pending.append((block, place + 1))
        return False

    def _disturbs(self, block, place, disturbing):
        packet = self._graph.blocks[block].packets[place]
        calls = any(i.branch and i.branch.kind in ("call", "callr") for _, i in packet.instructions)
        return calls or (block, place) in disturbing

    def _outgoing(self, slots):
        """The places of slots that lie one after the other from the stack pointer up, and are only stored to."""
        found, reached = set(), 0
        candidates = []
        for place, slot in enumerate(slots):
            distances = {a.sp_distance - a.offset + slot.begin for a in slot.accesses if a.sp_distance is not None}
            known = all(a.sp_distance is not None and not a.saves for a in slot.accesses)
            if known and not slot.loads and len(distances) == 1:
                candidates.append((distances.pop(), slot.end - slot.begin, place))
        for distance, size, place in sorted(candidates):
            if not reached <= distance < reached + size:
                break
            reached = distance + size
            found.add(place)
        return found


def _may_begin(root, slot):
    """True if an object that includes a slot may begin at an address. Only in an aligned frame is the address known
    well enough."""
    aligned = slot.base[0] == "aligned" and slot.base[3] & (VECTOR_BYTES - 1) == 0
    return not (aligned and any(a.vector for a in slot.accesses)) or root % VECTOR_BYTES == 0


def _by_base(pairs):
    found = {}
    for base, root in pairs:
        found.setdefault(base, set()).add(root)
    return found
