"""The blocks of a function and the edges between them: branches, calls that return, and hardware loops.

A hardware loop's edge goes from the packet marked :endloopN to the start that the last loopN instruction on the way
there set; that register's value is followed along the edges, so it does not matter how the compiler placed the blocks.
"""

import bisect
import dataclasses

FLOW, LOOP0, LOOP1 = "flow", "loop0", "loop1"


@dataclasses.dataclass
class Block:
    """packets: the packets; successors: [(block index, kind of the edge)]; exits: True if the function may end here."""
    index: int
    packets: list
    successors: list = dataclasses.field(default_factory=list)
    predecessors: list = dataclasses.field(default_factory=list)
    exits: bool = False


@dataclasses.dataclass
class FlowGraph:
    """blocks in the order of addresses; order: reverse postorder from the entry; roots: where the search began (entry
    first); pipelined: start addresses of software-pipelined hardware loops."""
    blocks: list
    order: list
    roots: list
    pipelined: set

    def block_at(self, address):
        """The block that holds an address."""
        return self.blocks[bisect.bisect_right(self.blocks, address, key=lambda b: b.packets[0].address) - 1]


def build_flow_graph(function, calls, switches):
    """The FlowGraph of a function. calls: addresses of jumps that leave it whatever target they print. switches:
    {address of a jump through a register: its targets}, or None to leave such jumps without."""
    leaders = _leaders(function, calls) | {t for targets in (switches or {}).values() for t in targets}
    blocks = _cut_blocks(function, leaders)
    starts = {block.packets[0].address: block.index for block in blocks}
    for block in blocks:
        _add_branch_edges(block, starts, calls, switches or {})
    _add_hardware_loop_edges(blocks, starts)
    roots = _roots(blocks, switches)
    for block in blocks:
        for target, kind in block.successors:
            blocks[target].predecessors.append((block.index, kind))
    pipelined = {i.loop[1] for p in function.packets for _, i in p.instructions if i.loop and i.loop[2]}
    return FlowGraph(blocks, _reverse_postorder(blocks, roots), roots, pipelined)


def _leaders(function, calls):
    """The addresses where blocks begin."""
    inside = {p.address for p in function.packets}
    found = {function.packets[0].address}
    for packet in function.packets:
        ends_block = packet.ends_loop0 or packet.ends_loop1
        for address, instruction in packet.instructions:
            if instruction.loop and instruction.loop[1] in inside:
                found.add(instruction.loop[1])
            branch = instruction.branch
            if branch is None or branch.kind in ("call", "callr"):
                continue
            ends_block = True
            if branch.kind == "jump" and address not in calls and branch.target in inside:
                found.add(branch.target)
        if ends_block:
            found.add(packet.end)
    return found


def _cut_blocks(function, leaders):
    blocks = []
    for packet in function.packets:
        if not blocks or packet.address in leaders or blocks[-1].packets[-1].end != packet.address:
            blocks.append(Block(len(blocks), []))
        blocks[-1].packets.append(packet)
    return blocks


def _add_branch_edges(block, starts, calls, switches):
    """Edges of the branches in the last packet, and of falling through. Hardware loops come later."""
    packet = block.packets[-1]
    falls = True
    for address, instruction in packet.instructions:
        branch = instruction.branch
        if branch is None or branch.kind in ("call", "callr"):
            continue
        if branch.kind == "jump" and address not in calls and branch.target in starts:
            _add_edge(block, starts[branch.target], FLOW)
        elif address in switches:
            for target in switches[address]:
                _add_edge(block, starts[target], FLOW)
        else:
            block.exits = True
        falls = falls and branch.conditional
    if falls and packet.end in starts:
        _add_edge(block, starts[packet.end], FLOW)


def _add_edge(block, target, kind):
    if (target, kind) not in block.successors:
        block.successors.append((target, kind))


def _add_hardware_loop_edges(blocks, starts):
    """Follows the two loop-start registers from block to block and adds an edge wherever a loop end meets a start."""
    nothing = frozenset()
    states = {0: (nothing, nothing)}
    pending = [0]
    reached = {0}
    while True:
        while pending:
            index = pending.pop()
            state = _end_loops(blocks[index], states[index], starts)
            for target, _ in blocks[index].successors:
                old = states.get(target, (nothing, nothing))
                new = (old[0] | state[0], old[1] | state[1])
                if target not in reached or new != old:
                    reached.add(target)
                    states[target] = new
                    pending.append(target)
        rest = next((b.index for b in blocks if b.index not in reached), None)
        if rest is None:
            break
        reached.add(rest)  # reached by a jump through a register
        states[rest] = (nothing, nothing)
        pending.append(rest)
    for block in blocks:
        _guess_loop_start(block, blocks, starts)


def _end_loops(block, state, starts):
    """The loop starts after a block; adds the edges of the loop that its last packet ends."""
    state = list(state)
    for packet in block.packets:
        if packet.ends_loop0:
            for start in state[0]:
                _add_edge(block, starts[start], LOOP0)
        if packet.ends_loop1:
            for start in state[1]:
                _add_edge(block, starts[start], LOOP1)
        for _, instruction in packet.instructions:
            if instruction.loop and instruction.loop[1] in starts:
                state[instruction.loop[0]] = frozenset((instruction.loop[1],))
    return tuple(state)


def _guess_loop_start(block, blocks, starts):
    """Without a known start (the register was written by hand): the nearest loopN before the end, by address."""
    packet = block.packets[-1]
    for level, ends, kind in ((0, packet.ends_loop0, LOOP0), (1, packet.ends_loop1, LOOP1)):
        if not ends or any(k == kind for _, k in block.successors):
            continue
        before = [i.loop[1] for b in blocks[:block.index + 1] for p in b.packets for _, i in p.instructions
                  if i.loop and i.loop[0] == level and i.loop[1] <= packet.address and i.loop[1] in starts]
        if before:
            _add_edge(block, starts[before[-1]], kind)


def _roots(blocks, switches):
    """The entry, and blocks that no edge reaches. Where the function jumps through a register to places that are not
    known, it is taken to go to these: they get an edge from there."""
    roots = [0]
    jumps = [] if switches is None else [b for b in blocks if _jumps_somewhere(b, switches)]
    while True:
        reached = _reachable(blocks, roots)
        rest = [b.index for b in blocks if b.index not in reached]
        code = [index for index in rest if any(p.instructions for p in blocks[index].packets)]
        if not code:
            break
        aimed_at = {t for index in code for t, _ in blocks[index].successors if t != index}
        chosen = next((index for index in code if index not in aimed_at), code[0])
        sources = [b for b in jumps if b.index in reached]
        for block in sources:
            _add_edge(block, chosen, FLOW)
        if not sources:
            roots.append(chosen)
    for index in rest:
        # Nops between an unconditional jump and an aligned loop are never run: they must not lead into the loop.
        blocks[index].successors = []
    return roots + rest


def _jumps_somewhere(block, switches):
    return any(i.branch and i.branch.kind == "jumpr" and address not in switches
               for address, i in block.packets[-1].instructions)


def _reachable(blocks, roots):
    reached, pending = set(roots), list(roots)
    while pending:
        for target, _ in blocks[pending.pop()].successors:
            if target not in reached:
                reached.add(target)
                pending.append(target)
    return reached


def _reverse_postorder(blocks, roots):
    seen, order = set(), []
    for root in reversed(roots):
        if root in seen:
            continue
        seen.add(root)
        pending = [(root, iter(blocks[root].successors))]
        while pending:
            index, targets = pending[-1]
            target = next((t for t, _ in targets if t not in seen), None)
            if target is None:
                order.append(index)
                pending.pop()
            else:
                seen.add(target)
                pending.append((target, iter(blocks[target].successors)))
    return order[::-1]
