"""Arguments of `./hexane bench`."""

import argparse
import glob
import os
import sys

from . import model_shapes
from .errors import BenchError

DESCRIPTION = """Token speeds of llama-bench on HTP0 and on the CPU backend alone, same model, same thread count, in
interleaved pairs. Models have random weights; they are written once into ${XDG_CACHE_HOME:-~/.cache}/hexane/models. A
round is repeated while the CPU backend's own spread is over 15%."""


class OneLineParser(argparse.ArgumentParser):
    """Bad input costs one line, not a page."""

    def error(self, message):
        print(f"hexane bench: {message} (see --help)", file=sys.stderr)
        sys.exit(2)


def number(least, most):
    def parse(text):
        try:
            value = int(text)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number from {least} to {most}")
        return value

    return parse


def choices(allowed):
    """A comma list of names, or "all"; case does not matter."""
    by_lower = {name.lower(): name for name in allowed}

    def parse(text):
        if text.lower() == "all":
            return list(allowed)
        names = text.lower().split(",")
        unknown = [name for name in names if name not in by_lower]
        if unknown:
            raise argparse.ArgumentTypeError(f"'{unknown[0]}' is none of {', '.join(allowed)}, all")
        return [by_lower[name] for name in dict.fromkeys(names)]

    return parse


def thread_counts(text):
    return list(dict.fromkeys(number(1, 16)(part) for part in text.split(",")))


# Option: how it is parsed, default, its help.
OPTIONS = {
    "--model-class": (choices(model_shapes.CLASSES), ["1B"], "LIST", "0.5B, 1B or all (1B)"),
    "--type": (choices(model_shapes.TYPES), ["q4_0"], "LIST", "q4_0, q8_0, f16 or all (q4_0)"),
    "--threads": (thread_counts, [1, 2], "LIST", "thread counts, each for both sides (1,2)"),
    "--pairs": (number(1, 100), 5, "N", "pairs per round (5)"),
    "--rounds": (number(1, 20), 4, "N", "most rounds per configuration (4)"),
    "--prompt": (number(1, 2048), 512, "N", "prompt tokens (512)"),
    "--gen": (number(1, 2048), 64, "N", "generated tokens (64)"),
    "--plugin": (str, None, "FILE", "libggml-hexagon.so (GGML_BACKEND_PATH, else the newest build/*/lib)"),
    "--models-dir": (str, None, "DIR", "where the models are kept"),
}
SWITCHES = {
    "--quick": "a smoke run: 0.5B q4_0, 1 thread, one pair, pp32 and tg8, unless given",
    "--no-traffic": "do not count the DMA's weight bytes",
    "--json": "print JSON instead of the table",
}
QUICK = {"model_class": ["0.5B"], "type": ["q4_0"], "threads": [1], "pairs": 1, "rounds": 1, "prompt": 32, "gen": 8}


def parser():
    epilog = "Arguments after -- go to llama-bench on both sides."
    p = OneLineParser(prog="hexane bench", description=DESCRIPTION, epilog=epilog)
    for name, (parse_value, default, shown, help_text) in OPTIONS.items():
        p.add_argument(name, type=parse_value, default=default, metavar=shown, help=help_text)
    for name, help_text in SWITCHES.items():
        p.add_argument(name, action="store_true", help=help_text)
    return p


def parse(arguments):
    """The options; `extra` holds what goes to llama-bench."""
    own, extra = arguments, []
    if "--" in arguments:
        at = arguments.index("--")
        own, extra = arguments[:at], arguments[at + 1 :]
    p = parser()
    if "--quick" in own:
        p.set_defaults(**QUICK)
    options = p.parse_args(own)
    options.extra = extra
    return options


def find_plugin(given, root):
    """Absolute path of the plug-in. Raises BenchError when there is none."""
    if given:
        candidates = [given]
    elif os.environ.get("GGML_BACKEND_PATH"):
        candidates = [os.environ["GGML_BACKEND_PATH"]]
    else:
        built = glob.glob(os.path.join(root, "build", "*", "lib", "libggml-hexagon.so"))
        candidates = sorted(built, key=os.path.getmtime, reverse=True)
        if not candidates:
            raise BenchError("no build/*/lib/libggml-hexagon.so: build first, or name one with --plugin")
    if not os.path.isfile(candidates[0]):
        raise BenchError(f"{candidates[0]}: no such file")
    return os.path.abspath(candidates[0])
