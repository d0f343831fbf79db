"""Finds and runs the external programs: LLVM's objdump, addr2line and cxxfilt, under the names they have in
practice."""

import functools
import os
import pathlib
import re
import shutil
import subprocess

from .errors import InspectError


def _newest_first(name):
    """The versioned names of a program on PATH, such as llvm-objdump-22, the newest first."""
    versions = set()
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        try:
            entries = os.listdir(folder or ".")
        except OSError:
            continue
        versions.update(int(m[1]) for entry in entries if (m := re.fullmatch(re.escape(name) + r"-(\d+)", entry)))
    return [f"{name}-{version}" for version in sorted(versions, reverse=True)]


def _vendor_folders():
    """The folders of Qualcomm's tools that the environment names."""
    root = os.environ.get("HEXAGON_TOOLS_ROOT")
    if root:
        yield from (pathlib.Path(root) / "Tools" / "bin", pathlib.Path(root) / "bin")
    sdk = os.environ.get("HEXAGON_SDK_ROOT")
    if sdk:
        yield from sorted(pathlib.Path(sdk).glob("tools/HEXAGON_Tools/*/Tools/bin"), reverse=True)


@functools.lru_cache(maxsize=None)
def find_tool(name):
    """The path of a program such as "objdump": $HEXAGON_TOOLS_ROOT's, then LLVM's, then Qualcomm's on PATH.

    Raises InspectError if there is none.
    """
    vendor_names = (f"hexagon-llvm-{name}", f"hexagon-{name}")
    for folder in _vendor_folders():
        for candidate in vendor_names:
            found = shutil.which(candidate, path=str(folder))
            if found:
                return found
    for candidate in (*_newest_first(f"llvm-{name}"), f"llvm-{name}", *vendor_names):
        found = shutil.which(candidate)
        if found:
            return found
    raise InspectError(f"no llvm-{name} (any version) and no hexagon-llvm-{name} on PATH or below $HEXAGON_TOOLS_ROOT")


def run_tool(name, *arguments, text=None):
    """The standard output and standard error of a tool. Raises InspectError if it fails."""
    path = find_tool(name)
    try:
        done = subprocess.run([path, *arguments], input=text or "", capture_output=True, text=True, errors="replace",
                              check=False)
    except OSError as error:
        raise InspectError(f"{path}: {error.strerror}") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise InspectError(f"{pathlib.Path(path).name} failed: {lines[0]}")
    return done.stdout, done.stderr


def demangle(names):
    """{name: readable name}; the names themselves where no demangler is installed."""
    names = list(dict.fromkeys(names))
    try:
        output, _ = run_tool("cxxfilt", text="\n".join(names) + "\n")
    except InspectError:
        return {name: name for name in names}
    readable = output.splitlines()
    return dict(zip(names, readable)) if len(readable) == len(names) else {name: name for name in names}
