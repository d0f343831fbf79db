"""Builds small Hexagon files whose analysis is known, for the tests of scripts/snapdragon."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "snapdragon"
sys.path.insert(0, str(SCRIPTS))

from hexagon_inspect import analysis, elf  # noqa: E402  (needs the path)
from hexagon_inspect.errors import InspectError  # noqa: E402
from hexagon_inspect.tools import find_tool  # noqa: E402

TARGET = ["--target=hexagon-unknown-elf", "-mv73", "-mhvx=v73", "-mhvx-length=128b", "-mhvx-qfloat"]
INSPECT = SCRIPTS / "ggml-hexagon-inspect.py"


def clang():
    """The clang of the same version as the objdump that is used."""
    return find_tool("objdump").replace("llvm-objdump", "clang").replace("hexagon-llvm-objdump", "hexagon-clang")


class HexagonTest(unittest.TestCase):
    """Gives each test a folder and ways to build files in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_clang(self, *arguments):
        done = subprocess.run([clang(), *TARGET, *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def assemble(self, text, name="code"):
        """The object file of an assembly text."""
        source, target = self.folder / f"{name}.s", self.folder / f"{name}.o"
        source.write_text(text)
        self.run_clang("-c", source, "-o", target)
        return target

    def assemble_functions(self, functions, name="code"):
        """The object file of {name: body}, each a global function."""
        return self.assemble("".join(function(n, body) for n, body in functions.items()), name)

    def compile(self, text, *flags, name="code"):
        """The object file of a C text."""
        source, target = self.folder / f"{name}.c", self.folder / f"{name}.o"
        source.write_text(text)
        self.run_clang("-O2", "-ffreestanding", "-nostdlibinc", *flags, "-c", source, "-o", target)
        return target

    def link(self, *objects, name="lib.so"):
        """The shared library of object files, as the project links its NPU libraries."""
        linker = find_tool("objdump").replace("llvm-objdump", "ld.lld")
        target = self.folder / name
        done = subprocess.run([linker, "-m", "hexagonelf", "-shared", "--hash-style=sysv", "-Bsymbolic", "-z", "max-page-size=4096",
                               "--allow-shlib-undefined", "-o", str(target), *map(str, objects)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return target

    def analyse(self, path):
        """The LibraryReport of a file."""
        return analysis.LibraryReport(elf.Elf(str(path), pathlib.Path(path).read_bytes()))

    def report_of(self, path, name="f"):
        """The FunctionReport of one function of a file."""
        return next(f for f in self.analyse(path).functions if f.name == name)

    def report(self, body, name="f"):
        """The FunctionReport of an assembled body."""
        return self.report_of(self.assemble_functions({name: body}), name)

    def inspect(self, *arguments, stdin=subprocess.DEVNULL, text=None, timeout=60):
        """The finished run of the program."""
        options = {"input": text} if text is not None else {"stdin": stdin}
        return subprocess.run([sys.executable, str(INSPECT), *map(str, arguments)], capture_output=True, text=True, check=False,
                              timeout=timeout, **options)

    def assert_spills(self, report, vector=(0, 0), vector_in_loops=(0, 0), scalar=(0, 0), scalar_in_loops=(0, 0)):
        """Compares (stores, loads) of spills."""
        found = {
            "vector": (report.total.vector_spill_stores, report.total.vector_spill_loads),
            "vector in loops": (report.in_loops.vector_spill_stores, report.in_loops.vector_spill_loads),
            "scalar": (report.total.scalar_spill_stores, report.total.scalar_spill_loads),
            "scalar in loops": (report.in_loops.scalar_spill_stores, report.in_loops.scalar_spill_loads),
        }
        self.assertEqual(found, {"vector": vector, "vector in loops": vector_in_loops, "scalar": scalar,
                                 "scalar in loops": scalar_in_loops})

    def kinds(self, report):
        """{kind of slot: (stores, loads)}."""
        found = {}
        for slot in report.frame.slots:
            stores, loads = found.get(slot.kind, (0, 0))
            found[slot.kind] = (stores + len(slot.stores), loads + len(slot.loads))
        return found


def function(name, body):
    """The assembly text of a global function."""
    return f".text\n.globl {name}\n.p2align 5\n.type {name},@function\n{name}:\n{body}\n.size {name},.-{name}\n"


__all__ = ["HexagonTest", "InspectError", "INSPECT", "SCRIPTS", "TARGET", "clang", "find_tool", "function"]
