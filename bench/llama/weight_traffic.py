"""Weight bytes that the DMA moved, against the bytes of the weights that were to be read."""

import json
import os
import tempfile

from . import llama_bench
from .errors import BenchError

LEAST, MOST = 1.00, 1.02  # every weight byte crosses once per token; the rest is padding of rows


def measure(model, plugin, threads, tokens, extra):
    """Generates `tokens` tokens and nothing else, and reads what the plug-in counted."""
    with tempfile.TemporaryDirectory(prefix="hexane-bench-") as folder:
        path = os.path.join(folder, "stats.json")
        env = llama_bench.environment("npu", plugin, threads) | {"GGML_HEXAGON_STATS": path}
        command = ["llama-bench", *llama_bench.arguments("npu", model, threads, 0, tokens), "--no-warmup", *extra]
        llama_bench.run(command, env)
        try:
            with open(path, encoding="utf-8") as file:
                return traffic(json.load(file), tokens)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BenchError(f"the plug-in wrote no usable statistics ({error})") from None


def traffic(stats, tokens):
    """Bytes per token and their ratio, from the statistics of a run that generated `tokens` tokens."""
    ops = [op for op in stats["ops"] if op["name"] == "MUL_MAT"]
    moved = sum(op["dma_weight_bytes"] for op in ops)
    weights = sum(op["src0_bytes"] for op in ops)
    if not weights:
        raise BenchError("no MUL_MAT ran on HTP0")
    ratio = moved / weights
    return {
        "moved_per_token": moved / tokens,
        "weights_per_token": weights / tokens,
        "ratio": ratio,
        "in_range": LEAST <= ratio <= MOST,
    }
