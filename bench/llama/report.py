"""The table that people read."""

HEADINGS = ("model", "threads", "test", "HTP0 t/s", "CPU t/s", "HTP0/CPU", "of the pairs", "CPU spread", "HTP0 spread")


def cells(result, row):
    return (
        f"{result['model_class']} {result['type']}",
        str(result["threads"]),
        row["test"],
        f"{row['npu']:.2f}",
        f"{row['cpu']:.2f}",
        f"{row['ratio']:.2f}x",
        f"{row['ratio_min']:.2f}..{row['ratio_max']:.2f}",
        f"{row['cpu_spread']:.0%}",
        f"{row['npu_spread']:.0%}",
    )


def aligned(rows):
    """Columns of equal width; the first one left, the others right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        lines.append("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))))
    return "\n".join(lines)


def name_of(result):
    return f"{result['model_class']} {result['type']}, {result['threads']} thread(s)"


def traffic_line(result):
    t = result["traffic"]
    return (
        f"{name_of(result)}: {t['moved_per_token'] / 1e6:.1f} MB of weights per token through the DMA queue, "
        f"{t['weights_per_token'] / 1e6:.1f} MB in the MUL_MATs on HTP0: {t['ratio']:.4f}x "
        f"({'within' if t['in_range'] else 'OUTSIDE of'} 1.00x..1.02x)"
    )


def table(results, limit):
    """All results: speeds, then traffic, then what is doubtful."""
    rows = [HEADINGS] + [cells(result, row) for result in results for row in result["rows"]]
    parts = [aligned(rows), "\n".join(traffic_line(r) for r in results if r["traffic"])]
    for result in results:
        worst = max(row["cpu_spread"] for row in result["rows"])
        if worst > limit:
            parts.append(
                f"{name_of(result)}: the CPU backend itself varied by {worst:.0%} or more "
                f"in each of {result['rounds']} round(s): a busy machine, doubtful ratios"
            )
    return "\n\n".join(part for part in parts if part)
