"""The program as a whole: exit codes, error messages, several libraries, JSON, the listing."""

import json
import os
import shutil
import subprocess
import sys

from hexagon_code import INSPECT, HexagonTest, find_tool, function

RETURN = "{ jumpr r31 }"
SPILLING = "{ loop0(.Lf,r2) }\n.Lf:\n{ vmem(r29+#0) = v0 }\n{ v1 = vmem(r29+#0) }:endloop0\n" + RETURN
CLEAN = "{ loop0(.Lg,r2) }\n.Lg:\n{ vmem(r0++#1) = v0 }\n{ v0 = vmem(r1++#1) }:endloop0\n" + RETURN
PROMOTING = "{ allocframe(#0) }\n{ call __extendhfsf2 }\n{ dealloc_return }"
DIVIDING = "{ allocframe(#0) }\n{ call __hexagon_udivsi3 }\n{ dealloc_return }"
DIVIDING_IN_A_LOOP = """{ allocframe(#0) }
.Ld: { call __hexagon_udivsi3 }
{ p0 = cmp.eq(r0,#0)\n if (!p0.new) jump:t .Ld }
{ dealloc_return }"""
QF_SPILL = "{ v0.qf32 = vadd(v1.sf,v2.sf) }\n{ vmem(r29+#0) = v0 }\n{ v0 = vmem(r29+#0) }\n" + RETURN
SPILL_OUTSIDE = "{ vmem(r29+#0) = v0 }\n{ v0 = vmem(r29+#0) }\n" + RETURN


class Strict(HexagonTest):
    def check(self, body, code, *arguments):
        path = self.assemble_functions({"f": body})
        run = self.inspect("--strict", "--lib", path, *arguments)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertIn("STRICT CHECK " + ("FAILED" if code else "PASSED"), run.stdout)
        return run

    def test_spills(self):
        self.check(SPILLING, 1)
        self.check(SPILLING, 1, "--spills")
        self.check(CLEAN, 0, "--spills")
        self.check(SPILL_OUTSIDE, 0, "--spills")

    def test_vector_spill_beside_qf(self):
        self.assertIn("qf instructions", self.check(QF_SPILL, 1).stdout)

    def test_limits(self):
        self.check(SPILLING, 0, "--max-inloop-vspills", "2")
        self.check(SPILLING, 1, "--max-inloop-vspills", "1")
        self.check(SPILLING, 1, "--strict-stores-only")
        self.check(SPILLING.replace("vmem(r29+#0) = v0", "r5 = #0"), 0, "--strict-stores-only")

    def test_promotions(self):
        self.check(PROMOTING, 1, "--promotions")
        self.check(PROMOTING, 0, "--promotions", "--max-promotions", "1")
        self.check(PROMOTING, 0, "--spills")
        self.check(CLEAN, 0, "--promotions")
        self.check("{ r1:0 = convert_sf2df(r0) }\n" + RETURN, 1, "--promotions")

    def test_division_counts_in_loops_only(self):
        self.check(DIVIDING, 0, "--promotions")
        self.check(DIVIDING_IN_A_LOOP, 1, "--promotions")

    def test_division_in_what_a_loop_calls(self):
        """However far from the loop, also behind a tail jump; the same call outside of the loop is nothing."""
        looping = """{ allocframe(#0) }
.Lg: { call middle }
{ p0 = cmp.eq(r0,#0)\n if (!p0.new) jump:t .Lg }
{ dealloc_return }"""
        once = "{ allocframe(#0) }\n{ call middle }\n{ dealloc_return }"
        for caller, code in ((looping, 1), (once, 0)):
            path = self.assemble_functions({"divide": DIVIDING, "middle": "{ jump divide }", "g": caller})
            run = self.inspect("--strict", "--promotions", "--lib", path)
            self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        path = self.assemble_functions({"divide": DIVIDING, "middle": "{ jump divide }", "g": looping})
        self.assertIn("divide: 1 division helpers in a function that a loop of g calls",
                      self.inspect("--strict", "--promotions", "--lib", path).stdout)

    def test_both_reports_at_once(self):
        path = self.assemble_functions({"f": SPILLING, "g": PROMOTING})
        run = self.inspect("--strict", "--spills", "--promotions", "--lib", path)
        self.assertEqual(run.returncode, 1)
        self.assertIn("2 violations", run.stdout)

    def test_functions_that_are_not_listed_are_judged(self):
        body = "{ v0 = vmem(r0+#0) }\n{ vmem(r1+#0) = v0 }\n" + RETURN
        path = self.assemble_functions({"move_thread": body})
        run = self.inspect("--strict", "--dma-pattern", "_thread$", "--lib", path)
        self.assertEqual(run.returncode, 1)
        self.assertIn("2 HVX instructions in a DMA function", run.stdout)

    def test_func_limits_what_is_judged(self):
        path = self.assemble_functions({"compute_f": CLEAN, "g": SPILLING})
        self.assertEqual(self.inspect("--strict", "--func", "^compute_", "--lib", path).returncode, 0)
        self.assertEqual(self.inspect("--strict", "--lib", path).returncode, 1)


class WrongUse(HexagonTest):
    def check(self, *arguments, message):
        run = self.inspect(*arguments)
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        self.assertIn(message, run.stderr)

    def test_file_that_is_not_hexagon(self):
        self.check("--lib", sys.executable, message="not a Hexagon file")

    def test_file_that_is_no_elf(self):
        self.check("--lib", INSPECT, message="not an ELF file")

    def test_file_that_is_cut_short(self):
        whole = self.assemble_functions({"f": CLEAN}).read_bytes()
        short = self.folder / "short.o"
        for length in (5, 30, 60, len(whole) // 2):
            short.write_bytes(whole[:length])
            self.check("--lib", short, message="damaged ELF file")

    def test_missing_file(self):
        self.check("--lib", self.folder / "none.so", message="No such file")

    def test_regular_expressions(self):
        path = self.assemble_functions({"f": CLEAN})
        for option in ("--func", "--disasm", "--dma-pattern"):
            self.check("--lib", path, option, "f(", message=f"{option} 'f(': not a regular expression")

    def test_no_match(self):
        path = self.assemble_functions({"f": CLEAN})
        self.check("--lib", path, "--func", "^g$", message="no function matches '^g$'")
        self.check("--lib", path, "--disasm", "^g$", message="no function matches '^g$'")

    def test_arch(self):
        path = self.assemble_functions({"f": CLEAN})
        self.assertEqual(self.inspect("--lib", path, "--arch", "v73").returncode, 0)
        self.check("--lib", path, "--arch", "7", message="no file given by --lib is for v7")
        self.check("--lib", path, "--arch", "old", message="expected an architecture")

    def test_missing_tool(self):
        path = self.assemble_functions({"f": CLEAN})
        run = subprocess.run([sys.executable, str(INSPECT), "--lib", str(path)], capture_output=True, text=True, check=False,
                             env={"PATH": str(self.folder)})
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("no llvm-objdump (any version)", run.stderr)

    def test_unknown_option(self):
        self.assertEqual(self.inspect("--nothing").returncode, 2)


class Tools(HexagonTest):
    def run_with_path(self, folder, **environment):
        path = self.assemble_functions({"f": CLEAN})
        return subprocess.run([sys.executable, str(INSPECT), "--lib", str(path)], capture_output=True, text=True, check=False,
                              env={"PATH": str(folder), **environment})

    def test_other_names_of_the_tools(self):
        for name in ("llvm-objdump", "llvm-objdump-22", "hexagon-llvm-objdump"):
            with self.subTest(name=name):
                folder = self.folder / name
                folder.mkdir()
                (folder / name).symlink_to(shutil.which(find_tool("objdump")))
                self.assertEqual(self.run_with_path(folder).returncode, 0)

    def test_tools_root(self):
        folder = self.folder / "Tools" / "bin"
        folder.mkdir(parents=True)
        (folder / "hexagon-llvm-objdump").symlink_to(shutil.which(find_tool("objdump")))
        self.assertEqual(self.run_with_path(self.folder / "nothing", HEXAGON_TOOLS_ROOT=str(self.folder)).returncode, 0)


class Files(HexagonTest):
    def test_several_libraries(self):
        first = self.assemble_functions({"f": CLEAN}, "first")
        second = self.assemble_functions({"g": SPILLING}, "second")
        run = self.inspect("--strict", "--lib", first, "--lib", second)
        self.assertEqual(run.returncode, 1)
        self.assertIn("first.o (v73)", run.stdout)
        self.assertIn(f"{second}: g: ", run.stdout)

    def test_archive(self):
        first = self.assemble_functions({"f": CLEAN}, "first")
        second = self.assemble_functions({"g": SPILLING}, "a_member_with_a_long_name")
        archive = self.folder / "all.a"
        subprocess.run([find_tool("ar"), "rc", str(archive), str(first), str(second)], check=True)
        run = self.inspect("--strict", "--lib", archive)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("all.a(a_member_with_a_long_name.o): g: ", run.stdout)

    def test_newest_build(self):
        # A copy of the scripts in a tree of its own, with two builds.
        scripts = self.folder / "scripts" / "snapdragon"
        shutil.copytree(INSPECT.parent, scripts)
        for place, (arch, body) in {"build/old/lib": (73, SPILLING), "build/new/lib": (73, CLEAN)}.items():
            folder = self.folder / place
            folder.mkdir(parents=True)
            library = self.link(self.assemble_functions({"f": body}, f"v{arch}"), name=f"{place}/libggml-htp-v{arch}.so")
            os.utime(library, (1e9 + len(place) * ("new" in place),) * 2)
        program = [sys.executable, str(scripts / INSPECT.name)]
        run = subprocess.run([*program, "--strict"], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("build/new/lib", run.stdout)
        run = subprocess.run([*program, "--arch", "v79"], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn("no libggml-htp-v79.so below", run.stderr)


class Reports(HexagonTest):
    def test_clean_functions_are_listed_on_demand(self):
        path = self.assemble_functions({"f": CLEAN, "g": SPILLING})
        self.assertNotIn(" f\n", self.inspect("--lib", path).stdout)
        for arguments in (["--all"], ["--func", "f"]):
            self.assertIn(" f\n", self.inspect("--lib", path, *arguments).stdout)

    def test_spill_table(self):
        path = self.assemble_functions({"f": SPILLING})
        text = self.inspect("--lib", path, "--loops").stdout
        self.assertIn("2 (1s,1l)", text)
        self.assertIn("[V-ROUNDTRIP!]", text)
        self.assertIn("loop0", text)

    def test_promotion_table(self):
        text = self.inspect("--lib", self.assemble_functions({"f": DIVIDING_IN_A_LOOP}), "--promotions").stdout
        self.assertIn("__hexagon_udivsi3: 1 (1 in loops)", text)

    def test_names_of_cpp_functions(self):
        path = self.assemble(function("_ZN1a9compute_fINS_1bEEEviPFvvE", CLEAN))
        for pattern in ("^compute_f$", "^a::compute_f|^void a::compute_f", "^_ZN1a9"):
            run = self.inspect("--lib", path, "--func", pattern)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("void a::compute_f<a::b>(int, void (*)())", run.stdout)

    def test_listing(self):
        path = self.assemble_functions({"f": SPILLING, "g": DIVIDING_IN_A_LOOP, "fg": CLEAN})
        text = self.inspect("--lib", path, "--disasm", "f").stdout
        for mark in ("[LOOP#0-START loop0 depth 1]", "[V-SPILL:STORE(+0):IN-LOOP]", "[V-SPILL:LOAD(+0):IN-LOOP]", "LOOP0-END"):
            self.assertIn(mark, text)
        self.assertNotIn("fg", text)  # the exact name goes before names that match
        self.assertIn("[DIVISION:__hexagon_udivsi3:IN-LOOP]", self.inspect("--lib", path, "--disasm", "^g").stdout)

    def test_listing_of_marked_packets_only(self):
        path = self.assemble_functions({"f": "{ r0 = #5 }\n" * 9 + SPILLING + "\n{ r0 = #7 }" * 9})
        text = self.inspect("--lib", path, "--disasm", "f", "--spills-only", "-C", "0").stdout
        self.assertEqual(sum("vmem" in line for line in text.splitlines()), 2)
        self.assertNotIn("r0 = ", text)
        self.assertIn("...", text)

    def test_listing_says_what_it_leaves_out(self):
        path = self.assemble_functions({name: CLEAN.replace(".Lg", f".L{name}") for name in ("f1", "f2", "f3")})
        self.assertIn("2 more functions match", self.inspect("--lib", path, "--disasm", "f.", "--limit", "1").stdout)

    def test_closed_pipe_is_no_traceback(self):
        path = self.assemble_functions({"f": CLEAN})
        run = subprocess.run(f"{sys.executable} {INSPECT} --lib {path} --json | head -1", shell=True, capture_output=True, text=True,
                             check=False)
        self.assertEqual((run.stdout, run.stderr), ("{\n", ""))


class Json(HexagonTest):
    def document(self, *arguments):
        run = self.inspect("--json", *arguments)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        return json.loads(run.stdout)

    def test_fields(self):
        path = self.assemble_functions({"f": SPILLING, "g": DIVIDING_IN_A_LOOP})
        document = self.document("--lib", path, "--strict")
        self.assertEqual(set(document), {"version", "libraries", "violations"})
        library = document["libraries"][0]
        self.assertEqual((library["path"], library["arch"], library["unknown_words"], library["functions_analysed"]),
                         (str(path), 73, 0, 2))
        f, g = library["functions"]
        self.assertEqual((f["name"], f["address"], f["size"], f["frame_bytes"], f["uses_qf"]), ("f", 0, 20, 0, False))
        self.assertEqual(f["loops"], [{
            "index": 0, "parent": None, "depth": 1, "kind": "loop0", "pipelined": False, "start": 4, "end": 16, "straight": True,
            "packets_per_iteration": 2, "hvx_ops_per_packet": 1.0, "instructions": 2, "hvx_ops": 2, "matrix_ops": 0,
            "vector_loads": 1, "vector_stores": 1, "vector_spill_loads": 1, "vector_spill_stores": 1, "scalar_spill_loads": 0,
            "scalar_spill_stores": 0, "calls": 0}])
        self.assertEqual(f["slots"], [{"kind": "spill", "base": "entry", "offset": 0, "bytes": 128, "vector": True, "stores": 1,
                                       "loads": 1, "loop_stores": 1, "loop_loads": 1}])
        self.assertEqual(g["calls"], [{"address": g["address"] + 4, "name": "__hexagon_udivsi3", "kind": "division", "tail": False,
                                       "loop_depth": 1}])
        self.assertEqual([(v["library"], v["function"]) for v in document["violations"]], [(str(path), "f")])

    def test_all_functions_are_in_it(self):
        path = self.assemble_functions({"f": CLEAN})
        self.assertEqual([f["name"] for f in self.document("--lib", path)["libraries"][0]["functions"]], ["f"])
