"""ggml-hexagon-align-macros.py: columns, bytes that must stay, the patch, exit codes."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "snapdragon" / "ggml-hexagon-align-macros.py"

CROOKED = b"#define F(x) \\\n    do_something(x); \\\n  y\n"
# The widest line with a backslash has 20 columns: two blanks, then the backslash in column 23.
STRAIGHT = b"#define F(x)          \\\n    do_something(x);  \\\n  y\n"


def patched(data, patch, name):
    """The data with a unified diff applied as strictly as can be: every line and every count must fit."""
    old, new = re.findall(rb"[^\n]*\n|[^\n]+\Z", data), []
    lines = re.findall(rb"[^\n]*\n", patch)
    assert lines[:2] == [f"--- a/{name}\n".encode(), f"+++ b/{name}\n".encode()], lines[:2]
    at = 0
    for line in lines[2:]:
        if line.startswith(b"@@"):
            begin, count = (int(n or 1) for n in re.match(rb"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@\n$", line).groups())
            new += old[at:begin - 1]
            at, end = begin - 1, begin - 1 + count
            continue
        if line == b"\\ No newline at end of file\n":
            if last != b"-":
                new[-1] = new[-1].removesuffix(b"\n")
            continue
        last = line[:1]
        assert last in b" +-", line
        if last in b" -":
            assert at < end and old[at].rstrip(b"\n") == line[1:].rstrip(b"\n"), (old[at], line)
            at += 1
        if last in b" +":
            new.append(line[1:])
    return b"".join(new + old[at:])


class AlignMacros(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, data, name="code.h"):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def run_script(self, *arguments):
        done = subprocess.run([sys.executable, str(SCRIPT), *map(str, arguments)], capture_output=True, check=False, cwd=self.folder)
        self.assertNotIn(b"Traceback", done.stderr)
        return done

    def fixed(self, data, *arguments):
        path = self.write(data)
        done = self.run_script("--fix", *arguments, path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path.read_bytes()

    def check(self, data, code, *arguments):
        path = self.write(data)
        done = self.run_script(*arguments, path)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(path.read_bytes(), data)  # only --fix writes
        return done.stdout.decode()

    def test_check(self):
        self.assertIn("code.h:1-3: F: backslashes in columns {14: 1, 22: 1}, wanted 23", self.check(CROOKED, 1))
        self.assertIn("1 misaligned", self.check(CROOKED, 1, "--check"))
        self.check(STRAIGHT, 0)
        self.assertEqual(len(self.check(CROOKED, 1, "-q").splitlines()), 1)

    def test_fix(self):
        self.assertEqual(self.fixed(CROOKED), STRAIGHT)
        self.assertEqual(self.fixed(STRAIGHT), STRAIGHT)
        self.check(STRAIGHT, 0)

    def test_pad_is_the_number_of_blanks(self):
        self.assertIn(b"do_something(x); \\\n", self.fixed(CROOKED, "--pad", "1"))
        self.assertIn(b"do_something(x);     \\\n", self.fixed(CROOKED, "--pad", "5"))

    def test_last_line_does_not_count(self):
        self.assertEqual(self.fixed(CROOKED.replace(b"  y", b"  " + b"y" * 60)), STRAIGHT.replace(b"  y", b"  " + b"y" * 60))

    def test_blanks_behind_the_backslash(self):
        data = STRAIGHT.replace(b"\\\n", b"\\ \t\n", 1)
        self.assertIn("blanks behind the backslash in lines 1", self.check(data, 1))
        self.assertEqual(self.fixed(data), STRAIGHT)

    def test_aligned_ones_move_on_demand_only(self):
        wide = STRAIGHT.replace(b" \\", b"      \\")
        self.assertEqual(self.fixed(wide), wide)
        self.assertEqual(self.fixed(wide, "--all"), STRAIGHT)

    def test_modes(self):
        data = b"#define F(x)        \\\n  a;    \\\n  b;    \\\n  c\n"
        columns = {mode: {line.index(b"\\") + 1 for line in self.fixed(data, "--mode", mode).splitlines()[:3]}
                   for mode in ("min", "max", "majority")}
        self.assertEqual(columns, {"min": {15}, "max": {21}, "majority": {15}})
        crooked = b"#define F\\\n  a;      \\\n  b;      \\\n  c\n"
        self.assertEqual({line.index(b"\\") + 1 for line in self.fixed(crooked, "--mode", "majority").splitlines()[:3]}, {12})
        wider = crooked.replace(b";      ", b";          ")
        self.assertEqual({line.index(b"\\") + 1 for line in self.fixed(wider, "--mode", "majority").splitlines()[:3]}, {15})

    def test_target_column(self):
        self.assertEqual({line.index(b"\\") + 1 for line in self.fixed(CROOKED, "--target-col", "40").splitlines()[:2]}, {40})
        self.assertEqual(self.fixed(CROOKED, "--target-col", "10"), STRAIGHT)

    def test_line_ends_stay(self):
        windows = CROOKED.replace(b"\n", b"\r\n")
        self.assertEqual(self.fixed(windows), STRAIGHT.replace(b"\n", b"\r\n"))
        self.check(STRAIGHT.replace(b"\n", b"\r\n"), 0)
        mixed = CROOKED.replace(b"\n", b"\r\n", 1)
        self.assertEqual(self.fixed(mixed), STRAIGHT.replace(b"\n", b"\r\n", 1))

    def test_other_bytes_stay(self):
        rest = b"\n// caf\xe9 \x0c \x85 \xe2\x80\xa8\n"
        self.assertEqual(self.fixed(CROOKED.replace(b"do_something", b"do_someth\xe9ng") + rest),
                         STRAIGHT.replace(b"do_something", b"do_someth\xe9ng") + rest)

    def test_missing_last_line_end_stays_missing(self):
        self.assertEqual(self.fixed(b"#define F(x) \\\n  a   \\"), b"#define F(x)  \\\n  a           \\")
        self.assertEqual(self.fixed(CROOKED[:-1]), STRAIGHT[:-1])

    def test_wide_letters_and_tabs(self):
        self.assertEqual(self.fixed("#define F \\\n  \u6f22\u5b57\u6f22\u5b57; \\\n x\n".encode()),
                         "#define F    \\\n  \u6f22\u5b57\u6f22\u5b57;  \\\n x\n".encode())
        self.assertEqual(self.fixed(b"#define F \\\n\t\taaaa; \\\n x\n"), b"#define F      \\\n\t\taaaa;  \\\n x\n")
        self.assertEqual(self.fixed(b"#define F \\\n\taaaa; \\\n x\n", "--tab-width", "8"), b"#define F      \\\n\taaaa;  \\\n x\n")

    def test_empty_lines_of_a_macro(self):
        self.assertEqual(self.fixed(b"#define F(x) \\\n\\\n  y\n"), b"#define F(x)  \\\n              \\\n  y\n")

    def test_what_is_no_macro(self):
        for text in (b"/*\n#define F(x) \\\n  longer   \\\n*/\n", b"// \\\n#define F(x) \\\n  longer   \\\n\n",
                     b'auto s = R"(\n#define F(x) \\\n  longer   \\\n)";\n', b'#define F "a" \nint x;\n'):
            self.assertIn(" 0 multi-line macros", self.check(text, 0))

    def test_text_that_only_looks_like_a_comment(self):
        self.assertIn("1 misaligned", self.check(b'auto s = "/*";\n' + CROOKED, 1))

    def test_diff_is_a_patch(self):
        for name, data, straight in (("a/b/code.h", CROOKED, STRAIGHT),
                                     ("crlf.h", CROOKED.replace(b"\n", b"\r\n"), STRAIGHT.replace(b"\n", b"\r\n")),
                                     ("bytes.h", b"\xe9\n" + CROOKED, b"\xe9\n" + STRAIGHT),
                                     ("end.h", b"#define F(x) \\\n  a   \\", b"#define F(x)  \\\n  a           \\")):
            with self.subTest(name=name):
                path = self.write(data, name)
                for given in (name, path):
                    path.write_bytes(data)
                    done = self.run_script("--diff", given)
                    self.assertEqual(done.returncode, 1)
                    self.assertEqual(path.read_bytes(), data)
                    self.assertEqual(patched(data, done.stdout, name), straight)
                    if shutil.which("patch"):
                        subprocess.run(["patch", "-p1"], input=done.stdout, cwd=self.folder, check=True, capture_output=True)
                        self.assertEqual(path.read_bytes(), straight)

    def test_folders(self):
        for name in ("src/a.c", "src/b.hpp", "src/notes.txt", "build/c.h", ".git/d.h"):
            self.write(CROOKED, name)
        done = self.run_script()
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 files, 2 multi-line macros, 2 misaligned", done.stdout.decode())
        self.assertIn("1 files", self.run_script("--exclude", "*/b.hpp").stdout.decode())
        self.assertEqual(self.run_script("build").returncode, 1)  # given by name

    def test_wrong_use(self):
        self.assertEqual(self.run_script("none.h").returncode, 2)
        self.assertEqual(self.run_script(self.folder).returncode, 2)  # nothing to check is no success
        self.assertEqual(self.run_script("--fix", "--diff").returncode, 2)
        self.assertEqual(self.run_script("--pad", "0").returncode, 2)
