"""--addr2line: symbols, lines and inlined functions; load bases; logs; a standard input that says nothing."""

import os
import subprocess
import sys
import time

from hexagon_code import INSPECT, HexagonTest, find_tool

SOURCE = """extern volatile int sink;
static inline __attribute__((always_inline)) void deep(int x) {
  sink = x;
}
static inline __attribute__((always_inline)) void mid(int x) {
  deep(x + 1);
}
__attribute__((visibility("hidden"))) void hidden_fn(int x) {
  sink = x * 3;
}
void other(void);
void top_fn(int x) {
  mid(x);
  hidden_fn(x);
  other();
}
"""


class Addresses(HexagonTest):
    def setUp(self):
        super().setUp()
        self.library = self.link(self.compile(SOURCE, "-g", "-fPIC", "-fno-inline-functions"))
        output = subprocess.run([find_tool("nm"), str(self.library)], capture_output=True, text=True, check=True).stdout
        self.symbols = {line.split()[-1]: int(line.split()[0], 16) for line in output.splitlines() if line[0] != " "}

    def resolve(self, *arguments, **options):
        run = self.inspect("--lib", self.library, "--addr2line", *arguments, **options)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def store_in(self, name):
        """The address of the packet that stores to `sink` in a function: the first with memw(..) =."""
        return next(p.address for f in self.analyse(self.library).functions if f.name == name for p in f.function.packets
                    for _, i in p.instructions if i.memory and i.memory.direction == "store" and i.memory.base != 29)

    def test_inlined_functions_have_their_own_lines(self):
        address = self.store_in("top_fn")
        lines = self.resolve(hex(address)).splitlines()
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[0], r"^0x[0-9a-f]+ -> deep \(.*code\.c:3(:\d+)?\)$")
        self.assertRegex(lines[1], r"^    inlined into mid \(.*code\.c:6(:\d+)?\)$")
        self.assertRegex(lines[2], r"^    inlined into top_fn\+0x[0-9a-f]+ \(.*code\.c:13(:\d+)?\)$")

    def test_hidden_function(self):
        self.assertRegex(self.resolve(hex(self.symbols["hidden_fn"])), r"-> hidden_fn\+0x0 \(.*code\.c:")

    def test_load_base(self):
        address = self.symbols["hidden_fn"]
        text = self.resolve(hex(address + 0xD8000000), "--base", "0xd8000000")
        self.assertRegex(text, rf"^0x{address + 0xD8000000:x} \(0x{address:x} in the file\) -> hidden_fn")

    def test_outside(self):
        self.assertIn("outside the library", self.resolve("0x7fffff00"))
        self.assertIn("outside the library", self.resolve("0x10", "--base", "0x1000"))

    def test_plt(self):
        plt = next(s for s in self.analyse(self.library).elf.sections if s.name == ".plt")
        self.assertIn("?? in .plt", self.resolve(hex(plt.address)))
        self.assertIn("-> other@plt", self.resolve(hex(plt.address + plt.size - 12)))

    def test_log_on_standard_input(self):
        address = self.symbols["hidden_fn"]
        log = f"07-21 crash in thread 3, pc = 0x{address:x}\nnothing here\n#01 libggml-htp-v73.so+0x{address:x}\n"
        text = self.resolve("-", text=log)
        self.assertEqual(text.count("hidden_fn"), 1)  # each address once

    def test_piped_log_without_a_dash(self):
        self.assertIn("hidden_fn", self.resolve(text=f"pc: 0x{self.symbols['hidden_fn']:x}\n"))

    def test_without_addresses(self):
        run = self.inspect("--lib", self.library, "--addr2line")
        self.assertEqual(run.returncode, 2)
        self.assertIn("no addresses", run.stderr)

    def test_open_and_silent_standard_input_blocks_nothing(self):
        reader, writer = os.pipe()
        try:
            began = time.monotonic()
            self.assertIn("hidden_fn", self.resolve(hex(self.symbols["hidden_fn"]), stdin=reader, timeout=20))
            run = subprocess.run([sys.executable, str(INSPECT), "--lib", str(self.library), "--addr2line"], stdin=reader,
                                 capture_output=True, text=True, check=False, timeout=20)
            self.assertEqual(run.returncode, 2)
            self.assertLess(time.monotonic() - began, 15)
        finally:
            os.close(reader)
            os.close(writer)

    def test_not_an_address(self):
        run = self.inspect("--lib", self.library, "--addr2line", "0x10", "--base", "zero")
        self.assertEqual(run.returncode, 2)
        self.assertIn("not a hexadecimal address", run.stderr)
