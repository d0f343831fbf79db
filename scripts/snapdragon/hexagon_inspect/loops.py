"""The loops of a flow graph and how they nest: strongly connected parts, taken apart again below their headers.

In a reducible graph these are the natural loops of the dominator tree (loops with the same header count as one, except
that a hardware loop inside another one with the same start stays a loop of its own). Irreducible cycles are found too.
"""

import dataclasses

from .flow_graph import LOOP0, LOOP1


@dataclasses.dataclass
class Loop:
    """depth 1 is outermost; blocks: indexes of all blocks, nested loops included; kind: loop0, loop1, branch, or
    "loop0+branch" if a hardware loop's body also begins again by a branch."""
    index: int
    parent: int | None
    depth: int
    header: int
    blocks: frozenset
    kind: str
    pipelined: bool


def find_loops(graph):
    """All loops, outer ones before those inside them, in the order of addresses."""
    successors = {b.index: set(b.successors) for b in graph.blocks}
    rank = {index: place for place, index in enumerate(graph.order)}
    found = []
    _split(graph, frozenset(successors), successors, rank, None, found)
    return found


def innermost(loops):
    """{block index: its innermost Loop}."""
    found = {}
    for loop in loops:  # outer ones come first
        found.update(dict.fromkeys(loop.blocks, loop))
    return found


def _split(graph, nodes, successors, rank, parent, found):
    """Adds the loops among nodes, and those inside them."""
    for part in sorted(_cycles(nodes, successors), key=min):
        header = _header(graph, part, rank)
        latches = {(source, kind) for source in part for target, kind in successors[source] if target == header}
        kinds = {kind for _, kind in latches}
        # Two hardware loops that start at one packet: the ends of the outer one go first, the inner one remains to be
        # found.
        cut = {LOOP1} if LOOP1 in kinds and len(kinds) > 1 else kinds
        address = graph.blocks[header].packets[0].address
        outer, depth = (parent.index, parent.depth + 1) if parent else (None, 1)
        pipelined = address in graph.pipelined and LOOP0 in cut
        loop = Loop(len(found), outer, depth, header, part, _kind(cut), pipelined)
        found.append(loop)
        inner = {n: {(t, k) for t, k in successors[n] if t in part and not (t == header and k in cut)} for n in part}
        _split(graph, part, inner, rank, loop, found)


def _kind(kinds):
    hardware = [kind for kind in (LOOP0, LOOP1) if kind in kinds]
    software = ["branch"] if kinds - {LOOP0, LOOP1} else []
    return "+".join(hardware + software)


def _header(graph, part, rank):
    """The block by which a cycle is entered; the first in reverse postorder if there are several."""
    entries = [n for n in part if n in graph.roots or any(p not in part for p, _ in graph.blocks[n].predecessors)]
    return min(entries or part, key=lambda n: rank[n])


def _cycles(nodes, successors):
    """The strongly connected parts with at least one edge inside (Tarjan's algorithm, without recursion)."""
    number, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in nodes:
        if root in number:
            continue
        pending = [(root, None)]
        while pending:
            node, targets = pending.pop()
            if targets is None:
                number[node] = low[node] = len(number)
                stack.append(node)
                on_stack.add(node)
                targets = iter([t for t, _ in successors[node] if t in nodes])
            for target in targets:
                if target not in number:
                    pending += [(node, targets), (target, None)]
                    break
                if target in on_stack:
                    low[node] = min(low[node], number[target])
            else:
                if low[node] == number[node]:
                    part = _popped(stack, on_stack, node)
                    if len(part) > 1 or any(t == node for t, _ in successors[node]):
                        found.append(part)
                if pending:
                    low[pending[-1][0]] = min(low[pending[-1][0]], low[node])
    return found


def _popped(stack, on_stack, node):
    part = set()
    while node not in part:
        part.add(stack.pop())
    on_stack -= part
    return frozenset(part)
