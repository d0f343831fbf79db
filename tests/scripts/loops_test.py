"""Loops: hardware and software ones, how they nest, what a pass through them holds."""

import subprocess

from hexagon_code import HexagonTest, find_tool

RETURN = "{ jumpr r31 }"


def shape(report):
    """[(kind, depth, packets per iteration)] of a function's loops."""
    return [(r.loop.kind, r.loop.depth, r.counts.packets) for r in report.loops]


class HardwareLoops(HexagonTest):
    def test_single_packet(self):
        report = self.report("{ loop0(.L,r2) }\n.L:\n{ v0 = vadd(v0,v1)\n v2 = vmem(r0++#1)\n nop }:endloop0\n" .replace(
            "vadd(v0,v1)", "vand(v0,v1)") + RETURN)
        self.assertEqual(shape(report), [("loop0", 1, 1)])
        self.assertEqual((report.loops[0].counts.hvx_ops, report.loops[0].counts.vector_loads), (2, 1))
        self.assertTrue(report.loops[0].straight)

    def test_both_loops_end_in_one_packet(self):
        report = self.report("""{ loop1(.Louter,r3) }
                                .Louter:
                                { loop0(.Linner,r2) }
                                .Linner:
                                { r4 = add(r4,#1)
                                  nop
                                  nop }:endloop0:endloop1
                                { vmem(r29+#0) = v0 }
                                { v1 = vmem(r29+#0) }
                                """ + RETURN)
        self.assertEqual(shape(report), [("loop1", 1, 1), ("loop0", 2, 1)])
        self.assert_spills(report, vector=(1, 1))

    def test_two_loops_of_the_same_single_packet(self):
        report = self.report("""{ loop1(.L,r3) }
                                { loop0(.L,r2) }
                                .L:
                                { r4 = add(r4,#1)
                                  nop
                                  nop }:endloop0:endloop1
                                """ + RETURN)
        self.assertEqual(shape(report), [("loop1", 1, 0), ("loop0", 2, 1)])

    def test_software_pipelined(self):
        report = self.report("""{ p3 = sp1loop0(.L,r2) }
                                .L:
                                { vmem(r29+#1) = v0 }
                                { v1 = vmem(r29+#1) }:endloop0
                                """ + RETURN)
        self.assert_spills(report, vector=(1, 1), vector_in_loops=(1, 1))
        self.assertTrue(report.loops[0].loop.pipelined)

    def test_cold_block_behind_the_loop(self):
        report = self.report("""{ loop0(.L,r2) }
                                .L:
                                { r1 = memw(r0++#4) }
                                { p0 = cmp.eq(r1,#0)
                                  if (p0.new) jump:nt .Lcold }
                                .Lback:
                                { r3 = add(r3,r1)
                                  nop }:endloop0
                                { jumpr r31 }
                                .Lcold:
                                { vmem(r29+#0) = v0 }
                                { v0 = vmem(r29+#0) }
                                { jump .Lback }""")
        self.assert_spills(report, vector=(1, 1), vector_in_loops=(1, 1))
        self.assertEqual(shape(report), [("loop0", 1, 6)])
        self.assertFalse(report.loops[0].straight)

    def test_nested_loops_that_the_compiler_rotated(self):
        path = self.compile("""int f(const short *p, int n, int m) { int s = 0;
                               for (int i = 0; i < n; i++) { int t = 0;
                                 for (int j = 0; j < m; j++) t += p[j]; s ^= t; p += m; }
                               return s; }""", "-fno-unroll-loops", "-fno-vectorize")
        report = self.report_of(path)
        inner = [r for r in report.loops if r.loop.depth == 2]
        self.assertEqual(len([r for r in report.loops if r.loop.depth == 1]), 1)
        self.assertTrue(inner)
        self.assertTrue(all(r.loop.parent == report.loops[0].loop.index for r in inner))

    def test_outer_loop_end_above_its_start(self):
        report = self.report("""{ loop1(.Lbody,r3) }
                                { jump .Lbody }
                                .Llatch:
                                { r4 = add(r4,#1)
                                  nop }:endloop1
                                { jumpr r31 }
                                .Lbody:
                                { loop0(.Linner,r2) }
                                .Linner:
                                { v0 = vmem(r29+#0)
                                  nop }:endloop0
                                { jump .Llatch }""")
        self.assertEqual(shape(report), [("loop1", 1, 3), ("loop0", 2, 1)])

    def test_alignment_nops_do_not_enter_a_loop(self):
        report = self.report("""{ r3 = r29
                                  jump .Lgo }
                                { nop }
                                .L:
                                { v0 = vmem(r3+#0) }
                                .Lgo:
                                { p0 = cmp.gt(r2,#0)
                                  r2 = add(r2,#-1)
                                  if (p0.new) jump:t .L }
                                """ + RETURN)
        self.assert_spills(report, vector=(0, 1), vector_in_loops=(0, 1))


class SoftwareLoops(HexagonTest):
    def test_branch_loop(self):
        report = self.report(""".L:
                                { vmem(r29+#0) = v0 }
                                { v1 = vmem(r29+#0) }
                                { r2 = add(r2,#-1)
                                  p0 = cmp.eq(r2,#1)
                                  if (!p0.new) jump:t .L }
                                """ + RETURN)
        self.assert_spills(report, vector=(1, 1), vector_in_loops=(1, 1))
        self.assertEqual(shape(report), [("branch", 1, 3)])

    def test_cycle_with_two_entries(self):
        report = self.report("""{ p0 = cmp.eq(r0,#0)
                                  if (p0.new) jump:t .Lb }
                                .La:
                                { r1 = add(r1,#1) }
                                .Lb:
                                { r2 = add(r2,#1)
                                  p0 = cmp.gt(r1,#9)
                                  if (!p0.new) jump:t .La }
                                """ + RETURN)
        self.assertEqual(shape(report), [("branch", 1, 2)])

    def test_switch_inside_a_loop(self):
        path = self.compile("""int g(int);
            int f(const int *p, int n) { int s = 0;
              for (int i = 0; i < n; i++) switch (p[i]) {
                case 0: s += g(1); break; case 1: s ^= 5; break; case 2: s *= 3; break; case 3: s -= 7; break;
                case 4: s |= 9; break; case 5: s = g(s); break; case 6: s <<= 3; break; case 7: s += 11; break; }
              return s; }""", "-fPIC", "-fno-unroll-loops")
        for file in (path, self.link(path)):
            with self.subTest(file=file.suffix):
                report = self.report_of(file)
                self.assertEqual([r.loop.depth for r in report.loops], [1])
                self.assertEqual([(c.name, c.depth) for c in report.calls], [("g", 1)] * 2)

    def test_conditional_return_ends_no_loop(self):
        report = self.report(""".L:
                                { p0 = cmp.eq(r0,#0)
                                  if (p0.new) jumpr:nt r31 }
                                { r0 = add(r0,#-1)
                                  jump .L }""")
        self.assertEqual(shape(report), [("branch", 1, 2)])


class Words(HexagonTest):
    def test_unknown_word_does_not_hide_a_packet_border(self):
        # The third word of the loop's packet is no instruction; its parse bits end the packet all the same.
        path = self.assemble_functions({"f": "{ loop0(.L,r2) }\n.L:\n{ r0 = add(r0,#1)\n nop\n nop }:endloop0\n"
                                             "{ vmem(r29+#0) = v0 }\n" + RETURN})
        data = bytearray(path.read_bytes())
        last = data.index(bytes.fromhex("00c0007f"))
        data[last:last + 4] = bytes.fromhex("ffffffff")
        path.write_bytes(data)
        library = self.analyse(path)
        self.assertEqual(library.unknown_words, 3)  # the disassembler gives up on the whole packet
        self.assertEqual(shape(library.functions[0]), [("loop0", 1, 1)])
        self.assert_spills(library.functions[0], vector=(1, 0))
        run = self.inspect("--lib", path)
        self.assertEqual(run.returncode, 2)
        self.assertIn("does not know 3 words of code", run.stderr)

    def test_words_without_attribute_section(self):
        path = self.assemble_functions({"f": "{ v0.qf32 = vadd(v1.sf,v2.sf) }\n{ r1:0 = dfadd(r3:2,r5:4) }\n" + RETURN})
        stripped = self.folder / "stripped.o"
        subprocess.run([find_tool("objcopy"), "--remove-section=.hexagon.attributes", str(path), str(stripped)], check=True)
        library = self.analyse(stripped)
        self.assertEqual((library.unknown_words, library.functions[0].total.hvx_ops), (0, 1))
