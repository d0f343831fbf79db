"""Runs Debian's llama-bench, once per call, on HTP0 or on the CPU backend alone."""

import json
import os
import subprocess

from .errors import BenchError

DEADLINE_S = 1800  # of one llama-bench; a 1B F16 model on one slow core takes a few minutes


def virtual_device(text, threads):
    """GGML_HEXAGON_VIRTUAL with this thread count: other items stay as they are."""
    items = [i for i in (text or "").split(",") if i.strip() and not i.strip().startswith("threads=")]
    return ",".join(items + [f"threads={threads}"])


def environment(side, plugin, threads, base=None):
    """Environment of a run. On the CPU side nothing of the plug-in is left.

    OMP_WAIT_POLICY: ggml's CPU threads spin while they wait. That is best for the CPU backend alone; beside the virtual
    NPU, whose threads want the same cores, they must sleep.
    """
    env = dict(os.environ if base is None else base)
    for name in ("GGML_BACKEND_PATH", "GGML_HEXAGON_STATS", "OMP_WAIT_POLICY"):
        env.pop(name, None)
    if side == "npu":
        env["OMP_WAIT_POLICY"] = "passive"
        env["GGML_BACKEND_PATH"] = plugin
        env["GGML_HEXAGON_VIRTUAL"] = virtual_device(env.get("GGML_HEXAGON_VIRTUAL"), threads)
    return env


def arguments(side, model, threads, prompt, generate):
    device = ["-dev", "HTP0", "-ngl", "99"] if side == "npu" else ["-dev", "none", "-ngl", "0"]
    return ["-m", model, "-p", str(prompt), "-n", str(generate), "-r", "1", "-t", str(threads), "-o", "json", *device]


def speeds(output):
    """{"pp512": tokens per second, ...} of llama-bench's JSON."""
    out = {}
    for test in json.loads(output):
        name = f"pp{test['n_prompt']}" if test["n_prompt"] else f"tg{test['n_gen']}"
        out[name] = test["avg_ts"]
    return out


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def run(command, env):
    """Standard output of llama-bench. Raises BenchError when it fails, is missing or takes too long."""
    try:
        done = subprocess.run(
            command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE_S
        )
    except FileNotFoundError:
        raise BenchError(f"{command[0]} is not installed (package llama.cpp-tools); use ./hexane bench") from None
    except subprocess.TimeoutExpired:
        raise BenchError(f"{' '.join(command)}: no result within {DEADLINE_S} s") from None
    if done.returncode:
        raise BenchError(f"{' '.join(command)}: exit code {done.returncode}: {last_line(done.stderr)}")
    return done.stdout
