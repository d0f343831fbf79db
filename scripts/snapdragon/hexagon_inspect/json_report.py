"""The machine-readable report: everything that is known, as JSON. docs/inspect.md lists the fields."""

import dataclasses
import json

VERSION = 1


def write_json(libraries, violations, stream):
    """libraries: [(LibraryReport, [FunctionReport] to list)]; violations: [(library path, function name, text)]."""
    document = {
        "version": VERSION,
        "libraries": [_library(library, functions) for library, functions in libraries],
        "violations": [{"library": path, "function": name, "text": text} for path, name, text in violations],
    }
    json.dump(document, stream, indent=1)
    stream.write("\n")


def _library(library, functions):
    return {
        "path": str(library.path),
        "arch": library.elf.arch,
        "unknown_words": library.unknown_words,
        "functions_analysed": len(library.functions),
        "functions": [_function(f) for f in functions],
    }


def _function(report):
    function, frame = report.function, report.frame
    return {
        "name": function.name,
        "readable": report.readable,
        "aliases": function.aliases,
        "section": function.section.name,
        "address": function.address,
        "size": function.size,
        "frame_bytes": frame.frame_bytes,
        "frame_dynamic": frame.dynamic,
        "frame_realigned": frame.realigned,
        "uses_qf": report.uses_qfloat,
        "unknown_words": report.unknown_words,
        "total": _counts(report.total),
        "in_loops": _counts(report.in_loops),
        "loops": [_loop(loop) for loop in report.loops],
        "slots": [_slot(slot, report) for slot in frame.slots],
        "calls": [{"address": c.address, "name": c.name, "kind": c.kind, "tail": c.tail, "loop_depth": c.depth}
                  for c in report.calls],
        "double_instructions": [{"address": d.address, "name": d.name, "loop_depth": d.depth} for d in report.doubles],
    }


def _counts(counts):
    return dataclasses.asdict(counts)


def _loop(report):
    loop = report.loop
    counts = _counts(report.counts)
    packets = counts.pop("packets")
    return {
        "index": loop.index,
        "parent": loop.parent,
        "depth": loop.depth,
        "kind": loop.kind,
        "pipelined": loop.pipelined,
        "start": report.start,
        "end": report.end,
        "straight": report.straight,
        "packets_per_iteration": packets,
        "hvx_ops_per_packet": round(report.counts.hvx_ops / packets, 3) if packets else 0.0,
        **counts,
    }


def _slot(slot, report):
    base = slot.base if isinstance(slot.base, str) else slot.base[0]
    stores, loads = slot.stores, slot.loads
    return {
        "kind": slot.kind,
        "base": base,
        "offset": slot.begin,
        "bytes": None if slot.end is None else slot.end - slot.begin,
        "vector": any(a.vector for a in slot.accesses),
        "stores": len(stores),
        "loads": len(loads),
        "loop_stores": sum(report.depth_at(a.address) > 0 for a in stores),
        "loop_loads": sum(report.depth_at(a.address) > 0 for a in loads),
    }
