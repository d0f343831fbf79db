"""The rules of --strict. They look at every function, whether a report lists it or not."""

import dataclasses
import re


@dataclasses.dataclass
class Limits:
    """What --strict tolerates per function."""
    loop_vector_spills: int = 0
    stores_only: bool = False
    promotions: int = 0
    dma_pattern: re.Pattern | None = None
    dma_vector_ops: int = 0


def spill_violations(report, limits):
    """The texts of what --spills --strict objects to in a function."""
    found = []
    inside = report.in_loops.vector_spill_stores if limits.stores_only else report.in_loops.vector_spills
    if inside > limits.loop_vector_spills:
        what = "vector spill stores" if limits.stores_only else "vector spills"
        found.append(f"{inside} {what} in loops ({report.in_loops.vector_spill_stores} stores, "
                     f"{report.in_loops.vector_spill_loads} loads; limit {limits.loop_vector_spills})")
    if report.uses_qfloat and report.total.vector_spills:
        # A register that holds qf values has bits that memory has not: storing and reloading one changes the result.
        found.append(f"{report.total.vector_spills} vector spills in a function with qf instructions (limit 0)")
    if limits.dma_pattern and limits.dma_pattern.search(report.name) and report.total.hvx_ops > limits.dma_vector_ops:
        found.append(f"{report.total.hvx_ops} HVX instructions in a DMA function (limit {limits.dma_vector_ops})")
    return found


def promotion_violations(report, limits):
    """The texts of what --promotions --strict objects to: half and double conversions, soft-float, division in
    loops and in what loops call."""
    found = []
    promoted = [c.name for c in report.calls if c.kind in ("half", "double", "soft-float")]
    promoted += [d.name for d in report.doubles]
    if len(promoted) > limits.promotions:
        found.append(f"{len(promoted)} promotions or soft-float calls: {', '.join(dict.fromkeys(promoted))} "
                     f"(limit {limits.promotions})")
    divisions = [c.name for c in report.calls if c.kind == "division" and (c.depth or report.looping_caller)]
    if divisions:
        caller = report.looping_caller
        where = f"in a function that a loop of {caller.readable or caller.name} calls" if caller else "in loops"
        found.append(f"{len(divisions)} division helpers {where}: {', '.join(dict.fromkeys(divisions))} (limit 0)")
    return found
