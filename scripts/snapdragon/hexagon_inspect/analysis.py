"""Puts the parts together: everything that the reports say about a library, a function, a loop."""

import dataclasses
import functools

from . import call_targets, flow_graph, jump_tables, loops, runtime_names
from .disassembly import disassemble
from .frame_values import ARGUMENTS, CLOBBERED, Transfer, frame_states
from .functions import find_functions
from .stack_slots import find_slots


@dataclasses.dataclass(frozen=True)
class Call:
    """A call, or a jump out of the function (tail). name is None for calls through a register and unknown places; kind
    as in runtime_names; depth: in how many loops; callee: the Function, if it is in this file."""
    address: int
    name: str | None
    kind: str | None
    tail: bool
    depth: int
    callee: object = None


@dataclasses.dataclass(frozen=True)
class DoubleOp:
    """A double-precision instruction; depth: in how many loops."""
    address: int
    name: str
    depth: int


@dataclasses.dataclass
class Counts:
    """What a set of packets holds. Spills are accesses to slots of the kind "spill"; an update counts as a store."""
    packets: int = 0
    instructions: int = 0
    hvx_ops: int = 0
    matrix_ops: int = 0
    vector_loads: int = 0
    vector_stores: int = 0
    vector_spill_loads: int = 0
    vector_spill_stores: int = 0
    scalar_spill_loads: int = 0
    scalar_spill_stores: int = 0
    calls: int = 0

    def add_packet(self, packet):
        self.packets += 1
        for _, instruction in packet.instructions:
            self.instructions += 1
            self.hvx_ops += instruction.vector
            self.matrix_ops += instruction.matrix
            memory = instruction.memory
            if memory is not None and memory.vector:
                self.vector_loads += memory.direction == "load"
                self.vector_stores += memory.direction != "load"

    def add_spill(self, access):
        field = f"{'vector' if access.vector else 'scalar'}_spill_{'loads' if access.direction == 'load' else 'stores'}"
        setattr(self, field, getattr(self, field) + 1)

    @property
    def vector_spills(self):
        return self.vector_spill_loads + self.vector_spill_stores

    @property
    def scalar_spills(self):
        return self.scalar_spill_loads + self.scalar_spill_stores


@dataclasses.dataclass
class LoopReport:
    """counts: of one pass through the loop's own packets, without nested loops. straight: no branch leads around a part
    of it."""
    loop: object
    start: int
    end: int
    counts: Counts
    straight: bool


@dataclasses.dataclass
class FunctionReport:
    """total: counts of the whole function; in_loops: of all packets that are in a loop. looping_caller: the report of a
    function whose loop leads here by direct calls, None if there is none."""
    function: object
    graph: object
    loops: list
    frame: object
    total: Counts
    in_loops: Counts
    calls: list
    doubles: list
    uses_qfloat: bool
    unknown_words: int
    readable: str = ""
    looping_caller: object = None

    @property
    def name(self):
        return self.function.name

    def depth_at(self, address):
        """In how many loops the packet at an address is."""
        loop = self._innermost.get(self.graph.block_at(address).index)
        return loop.depth if loop else 0

    @functools.cached_property
    def _innermost(self):
        return loops.innermost([r.loop for r in self.loops])


class LibraryReport:
    """The analysis of one Hexagon file. functions: FunctionReports in the order of addresses."""

    def __init__(self, elf):
        self.elf = elf
        self.path = elf.path
        self._packets_of = disassemble(elf)
        self._targets = call_targets.CallTargets(elf, self._packets_of)
        self._tables = jump_tables.JumpTables(elf)
        self._functions = find_functions(elf, self._packets_of, self._called_places())
        self._at = {(f.section.index, f.address): f for f in self._functions}
        self._live_arguments = {}
        self.functions = [self._analyse(function) for function in self._functions]
        self.unknown_words = sum(f.unknown_words for f in self.functions)
        self._find_looping_callers()

    def _find_looping_callers(self):
        reports = {id(r.function): r for r in self.functions}
        pending = [(r, r, False) for r in self.functions]
        while pending:
            report, looping, all_calls = pending.pop()
            for call in report.calls:
                callee = reports.get(id(call.callee))
                if callee is not None and callee.looping_caller is None and (all_calls or call.depth):
                    callee.looping_caller = looping
                    pending.append((callee, looping, True))

    def _called_places(self):
        found = set()
        for section in self.elf.executable_sections():
            for packet in self._packets_of.get(section.index, []):
                for address, instruction in packet.instructions:
                    branch = instruction.branch
                    if branch and branch.kind == "call":
                        target = self._targets.resolve(section, packet.address, address, branch.target)
                        if target.section is not None:
                            found.add((target.section, target.address))
        return found

    def _analyse(self, function):
        graph = self._graph_of(function)
        found = loops.find_loops(graph)
        calls = {address: (name, tail, callee) for address, name, tail, callee in self._calls_of(function)}
        transfer = Transfer(self._call_effect(function, {a: name for a, (name, _, _) in calls.items()}))
        states = frame_states(graph, transfer)
        frame = find_slots(graph, states, transfer)
        return _Counting(function, graph, found, frame, calls).report()

    def _graph_of(self, function):
        leaving = {address for p in function.packets for address, i in p.instructions
                   if i.branch and i.branch.kind == "jump" and self._targets.relocated(function.section, address)}
        if not any(i.branch and i.branch.kind == "jumpr" for p in function.packets for _, i in p.instructions):
            return flow_graph.build_flow_graph(function, leaving, {})
        bare = flow_graph.build_flow_graph(function, leaving, None)
        return flow_graph.build_flow_graph(function, leaving, self._tables.targets(function, bare))

    def _calls_of(self, function):
        """Yields (address, name or None, whether it is a tail jump, Function or None) of what leaves the function."""
        own = {p.address for p in function.packets}
        for packet in function.packets:
            for address, instruction in packet.instructions:
                branch = instruction.branch
                if branch is None:
                    continue
                if branch.kind in ("callr", "jumpr"):
                    if branch.kind == "callr":
                        yield address, None, False, None
                    continue
                if branch.target is None:
                    continue
                relocated = self._targets.relocated(function.section, address)
                if branch.kind == "call" or relocated or branch.target not in own:
                    target = self._targets.resolve(function.section, packet.address, address, branch.target)
                    callee = self._at.get((target.section, target.address))
                    name = target.name or (callee.name if callee else None)
                    yield address, name, branch.kind == "jump", callee

    def _call_effect(self, function, names):
        """The function that Transfer asks about a call: (argument registers that it reads, registers that it leaves
        alone)."""
        packet_of = {address: p for p in function.packets for address, i in p.instructions if i.branch}

        def effect(address):
            if runtime_names.keeps_arguments(names.get(address) or ""):
                return (), CLOBBERED
            branch = next(i.branch for a, i in packet_of[address].instructions if a == address and i.branch)
            if branch.kind == "call":
                target = self._targets.resolve(function.section, packet_of[address].address, address, branch.target)
                callee = self._at.get((target.section, target.address))
                if callee is not None:
                    return self._arguments_of(callee), ()
            return ARGUMENTS, ()

        return functools.lru_cache(maxsize=None)(effect)

    def _arguments_of(self, callee):
        """The argument registers that a function reads before it writes them; what it calls counts as reading all."""
        key = (callee.section.index, callee.address)
        if key not in self._live_arguments:
            self._live_arguments[key] = _live_arguments(self._graph_of(callee))
        return self._live_arguments[key]


def _live_arguments(graph):
    live = [frozenset()] * len(graph.blocks)
    changed = True
    while changed:
        changed = False
        for index in reversed(graph.order):
            block = graph.blocks[index]
            after = frozenset(ARGUMENTS) if block.exits and _leaves(block.packets[-1]) else frozenset()
            for target, _ in block.successors:
                after |= live[target]
            for packet in reversed(block.packets):
                after = _live_before(packet, after)
            if after != live[index]:
                live[index] = after
                changed = True
    return tuple(sorted(live[0]))


def _leaves(packet):
    """True for a jump out of the function, which takes the argument registers along; a return does not."""
    return any(i.branch and i.branch.kind in ("jump", "jumpr") for _, i in packet.instructions)


def _live_before(packet, after):
    written, read = set(), set()
    for _, instruction in packet.instructions:
        if instruction.branch and instruction.branch.kind in ("call", "callr"):
            after = frozenset(ARGUMENTS)
        read.update(r for r in instruction.reads if r in ARGUMENTS)
        if not instruction.predicated:
            written.update(e[1] for e in instruction.effects if len(e) > 2)
    return frozenset((after - written) | read)


class _Counting:
    """Collects a function's report."""

    def __init__(self, function, graph, found, frame, calls):
        self._function, self._graph, self._frame, self._calls = function, graph, frame, calls
        self._innermost = loops.innermost(found)
        self._total, self._in_loops = Counts(), Counts()
        self._own = {loop.index: Counts() for loop in found}
        self._loops = found

    def report(self):
        calls, doubles, qfloat, unknown = [], [], False, 0
        for block in self._graph.blocks:
            depth = self._depth(block.index)
            for packet in block.packets:
                unknown += packet.unknown
                for counts in self._counts_of(block.index):
                    counts.add_packet(packet)
                for address, instruction in packet.instructions:
                    qfloat = qfloat or instruction.qfloat
                    if instruction.double:
                        doubles.append(DoubleOp(address, instruction.double, depth))
                    if instruction.branch and address in self._calls:
                        calls.append(self._call(address, block.index, depth))
        self._count_spills()
        found = [self._loop_report(loop) for loop in self._loops]
        return FunctionReport(self._function, self._graph, found, self._frame, self._total, self._in_loops, calls, doubles,
                              qfloat, unknown)

    def _depth(self, block):
        loop = self._innermost.get(block)
        return loop.depth if loop else 0

    def _counts_of(self, block):
        """The counters that a block's contents belong to."""
        loop = self._innermost.get(block)
        return (self._total,) if loop is None else (self._total, self._in_loops, self._own[loop.index])

    def _call(self, address, block, depth):
        name, tail, callee = self._calls[address]
        for counts in self._counts_of(block):
            counts.calls += not tail
        return Call(address, name, runtime_names.kind_of(name) if name else None, tail, depth, callee)

    def _count_spills(self):
        for slot in self._frame.slots:
            if slot.kind == "spill":
                for access in slot.accesses:
                    for counts in self._counts_of(access.block):
                        counts.add_spill(access)

    def _loop_report(self, loop):
        own = [self._graph.blocks[i] for i in loop.blocks if self._innermost[i] is loop]
        packets = [p for i in loop.blocks for p in self._graph.blocks[i].packets]
        straight = all(sum(t in loop.blocks and t != loop.header for t, _ in block.successors) <= 1 for block in own)
        start, end = min(p.address for p in packets), max(p.end for p in packets)
        return LoopReport(loop, start, end, self._own[loop.index], straight)
