"""The story: models, measurements, table."""

import json
import os
import sys

from . import command_line, llama_bench, model_cache, report, rounds, weight_traffic
from .errors import BenchError

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def say(text):
    """Progress; results alone go to standard output."""
    print(text, file=sys.stderr, flush=True)


def measure_configuration(options, plugin, model_class, type_name, threads):
    """One line group of the table: a model with a thread count."""
    name = f"{model_class} {type_name}, {threads} thread(s)"
    model = model_cache.obtain(model_class, type_name, options.models_dir)
    count = {"rounds": 0}

    def measure(side):
        arguments = llama_bench.arguments(side, model, threads, options.prompt, options.gen)
        env = llama_bench.environment(side, plugin, threads)
        speeds = llama_bench.speeds(llama_bench.run(["llama-bench", *arguments, *options.extra], env))
        shown = ", ".join(f"{test} {speed:.2f} t/s" for test, speed in speeds.items())
        say(f"{name}: {'HTP0' if side == 'npu' else 'CPU '} {shown}")
        return speeds

    def tell(number, cpu_spread):
        count["rounds"] = number
        verdict = ", too much" if cpu_spread > rounds.SPREAD_LIMIT else ""
        say(f"{name}: round {number}: CPU spread {cpu_spread:.1%}{verdict}")

    traffic = None
    if not options.no_traffic:
        traffic = weight_traffic.measure(model, plugin, threads, options.gen, options.extra)
    best = rounds.measure_until_quiet(options.pairs, options.rounds, measure, tell)
    return {
        "model_class": model_class,
        "type": type_name,
        "threads": threads,
        "rounds": count["rounds"],
        "rows": [best.row(test) for test in best.cpu],
        "traffic": traffic,
    }


def run(arguments):
    """Exit code: 0, or 1 when the weight traffic is out of range."""
    options = command_line.parse(arguments)
    plugin = command_line.find_plugin(options.plugin, ROOT)
    results = []
    for model_class in options.model_class:
        for type_name in options.type:
            for threads in options.threads:
                results.append(measure_configuration(options, plugin, model_class, type_name, threads))
    print(json.dumps(results, indent=2) if options.json else report.table(results, rounds.SPREAD_LIMIT))
    return 1 if any(r["traffic"] and not r["traffic"]["in_range"] for r in results) else 0


def main():
    try:
        return run(sys.argv[1:])
    except BenchError as error:
        say(f"hexane bench: {error}")
        return 1
    except KeyboardInterrupt:
        return 130
