"""The random models in the user's cache directory: made once, found again by name and size."""

import os
import shutil
import sys
import time

from . import gguf_writer, model_shapes
from .errors import BenchError

RECIPE = 1  # part of the file name: raise it when the content of a model changes


def directory():
    """${XDG_CACHE_HOME:-~/.cache}/hexane/models."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "hexane", "models")


def path_of(folder, model_class, type_name):
    return os.path.join(folder, f"random-{model_class}-{type_name}-r{RECIPE}.gguf")


def obtain(model_class, type_name, folder=None):
    """Path of the model, written first where it is missing or incomplete. Raises BenchError when there is no room."""
    folder = folder or directory()
    path = path_of(folder, model_class, type_name)
    keys, tensors = model_shapes.keys(model_class, type_name), model_shapes.tensors(model_class, type_name)
    size = gguf_writer.file_bytes(keys, tensors)
    if os.path.isfile(path) and os.path.getsize(path) == size:
        return path
    try:
        os.makedirs(folder, exist_ok=True)
        free = shutil.disk_usage(folder).free
        if free < size + (256 << 20):
            needed = f"a {model_class} {type_name} model needs {size >> 20} MiB"
            raise BenchError(f"{folder}: {needed}, {free >> 20} MiB are free")
        print(f"writing {path} ({size >> 20} MiB)", file=sys.stderr, flush=True)
        start = time.monotonic()
        partial = f"{path}.{os.getpid()}"  # renamed when complete: an interrupted run leaves no broken model
        try:
            gguf_writer.write(partial, keys, tensors)
            os.rename(partial, path)
        finally:
            if os.path.exists(partial):
                os.unlink(partial)
    except OSError as error:
        raise BenchError(f"cannot write {path}: {error.strerror}") from error
    print(f"written in {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
    return path
