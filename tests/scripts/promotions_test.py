"""Promotions and helpers: found through the PLT, in object files by relocations, in tail jumps; double-precision
instructions."""

import subprocess

from hexagon_code import HexagonTest, find_tool, function

RETURN = "{ jumpr r31 }"

HALF_LOOPS = """
void widen(float *d, const __fp16 *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }
void narrow(__fp16 *d, const float *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }
"""


def found(report):
    """[(kind, name, loop depth)] of a function's calls to runtime functions."""
    return [(c.kind, c.name, c.depth) for c in report.calls if c.kind]


class Calls(HexagonTest):
    def setUp(self):
        super().setUp()
        self.object = self.compile(HALF_LOOPS, "-fPIC", "-fno-unroll-loops", "-fno-vectorize")

    def check_half_loops(self, path):
        self.assertEqual(set(found(self.report_of(path, "widen"))), {("half", "__extendhfsf2", 1)})
        self.assertEqual(set(found(self.report_of(path, "narrow"))), {("half", "__truncsfhf2", 1)})

    def test_by_relocations_of_an_object_file(self):
        self.check_half_loops(self.object)

    def test_through_the_plt(self):
        self.check_half_loops(self.link(self.object))

    def test_in_the_library_itself(self):
        runtime = self.assemble_functions({"__extendhfsf2": RETURN, "__truncsfhf2": RETURN}, "runtime")
        self.check_half_loops(self.link(self.object, runtime))

    def test_number_of_calls_in_a_vectorised_loop(self):
        path = self.compile(HALF_LOOPS, "-fPIC", "-fvectorize", name="more")
        expected = sum("__extendhfsf2" in line for line in self.relocations(path))
        self.assertEqual(len(found(self.report_of(path, "widen"))), expected)
        self.assertGreater(expected, 1)

    def relocations(self, path):
        return subprocess.run([find_tool("readelf"), "-r", str(path)], capture_output=True, text=True, check=True).stdout.splitlines()

    def test_tail_jump(self):
        report = self.report("{ jump __extendhfsf2 }")
        self.assertEqual([(c.name, c.tail, c.depth) for c in report.calls], [("__extendhfsf2", True, 0)])
        linked = self.report_of(self.link(self.assemble_functions({"f": "{ jump __extendhfsf2@PLT }"})))
        self.assertEqual([(c.name, c.tail) for c in linked.calls], [("__extendhfsf2", True)])

    def test_conditional_and_far_calls(self):
        report = self.report("{ allocframe(#0) }\n{ if (p0) call __hexagon_divsi3 }\n{ call ##__hexagon_udivsi3 }\n{ dealloc_return }")
        self.assertEqual(found(report), [("division", "__hexagon_divsi3", 0), ("division", "__hexagon_udivsi3", 0)])

    def test_call_inside_the_section_of_an_object_file(self):
        path = self.assemble_functions({"g": RETURN, "f": "{ allocframe(#0) }\n{ r0 = #1\n call g }\n{ dealloc_return }"})
        self.assertEqual([c.name for c in self.report_of(path).calls], ["g"])

    def test_local_functions_in_another_section(self):
        path = self.assemble(""".section .text.far,"ax",@progbits
                                .type a,@function
                                a: { r0 = #1 }
                                { jumpr r31 }
                                .size a,.-a
                                .type b,@function
                                b: { r0 = #2 }
                                { jumpr r31 }
                                .size b,.-b
                                """ + function("f", """{ allocframe(#0) }
                                { r0 = #1
                                  r1 = add(r2,r3)
                                  call b }
                                { r0 = #1
                                  call ##a }
                                { dealloc_return }"""))
        self.assertEqual([c.name for c in self.report_of(path).calls], ["b", "a"])

    def test_other_sections_of_an_object_file(self):
        path = self.compile("int g(int); int h(int x) { return x * 7 + g(x); } int f(int x) { return h(x) ^ g(3); }",
                            "-ffunction-sections", "-fno-inline")
        self.assertEqual([c.name for c in self.report_of(path).calls], ["h", "g"])


class Kinds(HexagonTest):
    def test_runtime_names(self):
        from hexagon_inspect.runtime_names import kind_of
        names = {"half": ["__extendhfsf2", "__truncsfhf2", "__truncdfhf2", "__truncsfbf2", "__gnu_h2f_ieee"],
                 "double": ["__extendsfdf2", "__truncdfsf2", "__hexagon_muldf3", "__hexagon_divdf3", "__hexagon_sqrtdf2", "__adddf3",
                            "__ledf2", "__fixdfsi", "__floatsidf"],
                 "division": ["__hexagon_udivsi3", "__hexagon_umodsi3", "__hexagon_divdi3", "__udivmoddi4", "__hexagon_divsf3",
                              "__hexagon_sqrtf", "__qdsp_udivsi3", "__hexagon_fast_divsf3"],
                 "soft-float": ["__addsf3", "__mulsf3", "__eqsf2", "__floatdisf", "__fixunssfdi", "__addtf3"],
                 "math": ["expf", "sqrtf", "pow"],
                 None: ["__extend", "memcpy", "exponent", "__hexagon_memcpy_likely_aligned_min32bytes_mult8bytes", "compute_expf"]}
        for kind, examples in names.items():
            for name in examples:
                with self.subTest(name=name):
                    self.assertEqual(kind_of(name), kind)

    def test_double_precision_in_a_loop(self):
        path = self.compile("double f(const float *a, int n) { double r = 0; for (int i = 0; i < n; i++) r += (double)a[i]; return r; }",
                            "-fno-unroll-loops")
        report = self.report_of(path)
        looping = {d.name for d in report.doubles if d.depth}
        self.assertIn("convert_sf2df", looping)
        self.assertIn("dfadd", looping)

    def test_division_inside_and_outside_of_loops(self):
        path = self.compile("""unsigned f(unsigned *p, unsigned n, unsigned d) { unsigned s = n / d;
                               for (unsigned i = 0; i < n; i++) s += p[i] / d; return s; }""", "-fno-unroll-loops")
        depths = [d for kind, _, d in found(self.report_of(path)) if kind == "division"]
        self.assertEqual((min(depths), max(depths)), (0, 1))

    def test_frame_functions_keep_arguments(self):
        report = self.report("""{ allocframe(#4096)
                                  call __save_r16_through_r17 }
                                { r0 = add(r29,#2048) }
                                { call __save_r16_through_r19 }
                                { vmem(r0+#0) = v0 }
                                { dealloc_return }""")
        self.assert_spills(report, vector=(1, 0))
