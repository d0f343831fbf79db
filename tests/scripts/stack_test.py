"""What counts as a spill: the followed addresses, the kinds of slots, the direction of accesses."""

from hexagon_code import HexagonTest

RETURN = "{ jumpr r31 }"


def loop(body, setup="loop0(.Lbody,r2)"):
    """A hardware loop around packets; the last of them must end the loop."""
    return f"{{ {setup} }}\n.Lbody:\n{body}\n{RETURN}"


class Direction(HexagonTest):
    def test_store_and_reload_in_a_hardware_loop(self):
        report = self.report(loop("""{ vmem(r29+#1) = v0 }
                                     { v1 = vmem(r29+#1) }:endloop0"""))
        self.assert_spills(report, vector=(1, 1), vector_in_loops=(1, 1))

    def test_non_temporal_store_is_a_store(self):
        self.assert_spills(self.report(loop("{ vmem(r29+#0):nt = v0 }:endloop0")), vector=(1, 0), vector_in_loops=(1, 0))

    def test_read_modify_write_is_a_store(self):
        self.assert_spills(self.report(loop("{ memw(r29+#8) |= r0 }:endloop0")), scalar=(1, 0), scalar_in_loops=(1, 0))
        self.assert_spills(self.report(loop("{ memw(r29+#8) = clrbit(#3) }:endloop0")), scalar=(1, 0), scalar_in_loops=(1, 0))

    def test_unsigned_narrow_loads(self):
        report = self.report(loop("{ r0 = memub(r29+#4) }\n{ r1 = memuh(r29+#6) }:endloop0"))
        self.assert_spills(report, scalar=(0, 2), scalar_in_loops=(0, 2))

    def test_acquire_load_and_locked_store(self):
        report = self.report("{ r0 = memw_aq(r29) }\n{ memw_locked(r29,p0) = r0 }\n" + RETURN)
        self.assert_spills(report, scalar=(1, 1))

    def test_predicated_store_and_unaligned_load(self):
        report = self.report("{ if (q0) vmem(r29+#0) = v0 }\n{ v4 = vmemu(r29+#1) }\n" + RETURN)
        self.assert_spills(report, vector=(1, 1))

    def test_store_of_a_new_value(self):
        report = self.report("{ r0 = add(r1,#1)\n memw(r29+#0) = r0.new }\n{ v0.cur = vmem(r29+#1)\n v1 = v0 }\n" + RETURN)
        self.assert_spills(report, scalar=(1, 0), vector=(0, 1))


class Addresses(HexagonTest):
    def test_aligned_frame_pointer(self):
        report = self.report(loop("{ vmem(r6+#-1) = v0 }:endloop0", "r6 = and(r30,#-128)\n loop0(.Lbody,r2)"))
        self.assert_spills(report, vector=(1, 0), vector_in_loops=(1, 0))

    def test_copy_of_the_stack_pointer(self):
        self.assert_spills(self.report("{ r7 = r29 }\n{ v0 = vmem(r7+#1) }\n" + RETURN), vector=(0, 1))

    def test_low_half_of_a_combine_is_its_second_operand(self):
        report = self.report("{ allocframe(#512) }\n{ r9:8 = combine(r29,r30) }\n{ v0 = vmem(r8+#-1) }\n{ v1 = vmem(r9+#1) }\n"
                             "{ dealloc_return }")
        self.assert_spills(report, vector=(0, 2))
        self.assertEqual(sorted(s.begin for s in report.frame.slots), [-520 + 128, -8 - 128])

    def test_packet_reads_what_was_before_it(self):
        self.assert_spills(self.report("{ r0 = add(r29,#128)\n v0 = vmem(r0+#0) }\n" + RETURN))
        self.assert_spills(self.report("{ r0 = add(r29,#128) }\n{ r0 = #0\n v0 = vmem(r0+#0) }\n" + RETURN), vector=(0, 1))

    def test_transfers_of_a_packet_happen_at_once(self):
        report = self.report("{ allocframe(#256) }\n{ r0 = add(r29,#128)\n r1 = r0 }\n{ v0 = vmem(r1+#0) }\n{ dealloc_return }")
        self.assertEqual(self.kinds(report), {})

    def test_pair_write_ends_what_was_known(self):
        report = self.report("{ r5 = add(r29,#128) }\n{ r5:4 = combine(r1,r0) }\n" + loop("{ v0 = vmem(r5++#1) }:endloop0"))
        self.assert_spills(report)

    def test_call_ends_what_was_known(self):
        report = self.report("{ allocframe(#256) }\n{ r0 = add(r29,#128) }\n{ call g }\n{ v0 = vmem(r0+#0) }\n{ dealloc_return }")
        self.assertEqual(self.kinds(report), {})

    def test_callee_saved_copy_survives_a_call(self):
        report = self.report("{ allocframe(#256) }\n{ r16 = r29 }\n{ call g }\n{ v0 = vmem(r16+#1) }\n{ dealloc_return }")
        self.assert_spills(report, vector=(0, 1))

    def test_join_of_two_values_is_no_known_slot(self):
        report = self.report("""{ r0 = r29
                                  p0 = cmp.eq(r1,#0)
                                  if (p0.new) jump:t .Lelse }
                                { r0 = r2 }
                                .Lelse:
                                { v0 = vmem(r0+#0) }
                                """ + RETURN)
        self.assert_spills(report)

    def test_join_of_the_same_value_keeps_it(self):
        report = self.report("""{ r0 = r29
                                  p0 = cmp.eq(r1,#0)
                                  if (p0.new) jump:t .Lelse }
                                { r0 = add(r29,#0) }
                                .Lelse:
                                { v0 = vmem(r0+#0) }
                                """ + RETURN)
        self.assert_spills(report, vector=(0, 1))

    def test_conditional_transfer_may_leave_the_old_value(self):
        self.assert_spills(self.report("{ r0 = r29 }\n{ if (p0) r0 = r1 }\n{ v0 = vmem(r0+#0) }\n" + RETURN))

    def test_slots_far_from_the_stack_pointer(self):
        report = self.report("""{ allocframe(#8192) }
                                { r0 = add(r29,#4096) }
                                { vmem(r0+#3) = v0 }
                                { call g }
                                { r1 = add(r29,##4480) }
                                { v0 = vmem(r1+#0) }
                                { dealloc_return }""")
        self.assert_spills(report, vector=(1, 1))
        self.assertEqual(len(report.frame.slots), 1)

    def test_leftover_address_is_no_argument(self):
        # g is outside: nobody knows how many arguments it takes, but r0 was only used to reach the slot.
        report = self.report("{ allocframe(#4096) }\n{ r0 = add(r29,#2048) }\n{ vmem(r0+#0) = v0 }\n{ call g }\n"
                             "{ r0 = add(r29,#2048) }\n{ v0 = vmem(r0+#0) }\n{ dealloc_return }")
        self.assert_spills(report, vector=(1, 1))


class Kinds(HexagonTest):
    ACROSS_A_CALL = "{ vmem(r29+#1) = v0 }\n{ call g }\n{ v0 = vmem(r29+#1) }\n{ dealloc_return }"

    def test_small_object_below_a_vector_slot(self):
        # The object at 40 is no beginning of one that holds vectors.
        report = self.report("{ allocframe(#512) }\n{ r29 = and(r29,#-128) }\n{ r0 = add(r29,#40) }\n{ call g }\n" + self.ACROSS_A_CALL)
        self.assert_spills(report, vector=(1, 1))

    def test_vector_object_below_a_vector_slot(self):
        report = self.report("{ allocframe(#512) }\n{ r29 = and(r29,#-128) }\n{ r0 = r29 }\n{ call g }\n" + self.ACROSS_A_CALL)
        self.assertEqual(self.kinds(report), {"local": (1, 1)})

    def test_spill_above_an_object(self):
        # No call and no indexed store between store and load: only a register allocator writes that.
        report = self.report("{ allocframe(#512) }\n{ r29 = and(r29,#-128) }\n{ r0 = r29 }\n{ call g }\n"
                             "{ vmem(r29+#1) = v0 }\n{ v0 = vand(v1,v2) }\n{ v0 = vmem(r29+#1) }\n{ dealloc_return }")
        self.assert_spills(report, vector=(1, 1))

    def test_callee_that_takes_one_argument(self):
        body = "{ allocframe(#512) }\n{ r29 = and(r29,#-128) }\n{ r1 = add(r29,#128)\n r0 = #0 }\n" + self.ACROSS_A_CALL
        known = self.assemble_functions({"f": body, "g": "{ r0 = add(r0,#1) }\n{ jumpr r31 }"}, "known")
        self.assert_spills(self.report_of(known), vector=(1, 1))
        self.assertEqual(self.kinds(self.report(body)), {"local": (1, 1)})

    def test_incoming_argument(self):
        report = self.report("{ allocframe(#0) }\n{ r0 = memw(r30+#8) }\n{ dealloc_return }")
        self.assert_spills(report)
        self.assertEqual(self.kinds(report), {"argument": (0, 1)})

    def test_incoming_argument_of_a_leaf(self):
        report = self.report("{ r0 = memw(r29+#0) }\n" + RETURN)
        self.assertEqual(self.kinds(report), {"argument": (0, 1)})

    def test_saved_registers(self):
        report = self.report("""{ memd(r29+#-16) = r17:16
                                  allocframe(#24) }
                                { memw(r29+#4) = r20 }
                                { r17:16 = combine(#0,#1)
                                  r20 = #2 }
                                { call g }
                                { r17:16 = memd(r29+#16)
                                  r20 = memw(r29+#4) }
                                { dealloc_return }""")
        self.assert_spills(report)
        self.assertEqual(self.kinds(report), {"save": (2, 2)})

    def test_value_of_a_callee_saved_register_is_a_spill(self):
        report = self.report("{ allocframe(#24) }\n{ r16 = add(r0,#1) }\n{ memw(r29+#4) = r16 }\n{ call g }\n"
                             "{ r1 = memw(r29+#4) }\n{ dealloc_return }")
        self.assert_spills(report, scalar=(1, 1))

    def test_outgoing_arguments(self):
        report = self.report("{ allocframe(#16) }\n{ memw(r29+#0) = r0 }\n{ memw(r29+#4) = r1 }\n{ call g }\n{ dealloc_return }")
        self.assertEqual(self.kinds(report), {"outgoing": (2, 0)})

    def test_local_array(self):
        path = self.compile("""int f(int n) { volatile int t[64]; int s = 0;
                               for (int i = 0; i < n; i++) t[i & 63] = i;
                               for (int i = 0; i < n; i++) s += t[(i * 7) & 63];
                               return s; }""", "-fno-unroll-loops")
        report = self.report_of(path)
        self.assert_spills(report)
        self.assertEqual(set(self.kinds(report)), {"local"})

    def test_object_passed_to_a_function_beside_spilled_values(self):
        path = self.compile("""typedef int v __attribute__((vector_size(128), aligned(128)));
                               void g(v *, int); void h(void);
                               void f(v *p, int n) { v t[4];
                                 for (int i = 0; i < n; i++) { v a = p[i] + p[i + 1]; g(t, i); p[i] = a + t[1] + t[0]; } }""",
                            "-fno-unroll-loops")
        report = self.report_of(path)
        self.assertEqual((report.total.vector_spill_stores, report.total.vector_spill_loads), (1, 1))
        self.assertEqual(self.kinds(report)["local"], (0, 2))

    def test_values_live_across_a_call_in_a_loop(self):
        path = self.compile(LIVE_ACROSS_CALL, "-fno-unroll-loops")
        report = self.report_of(path)
        self.assert_three_round_trips(report)
        self.assertEqual([r.loop.kind for r in report.loops], ["branch"])

    def test_the_same_beside_an_array_of_variable_length(self):
        path = self.compile(LIVE_ACROSS_CALL.replace("int i = 0;", "int t[n]; h(t); int i = 0;", 1), "-fno-unroll-loops")
        report = self.report_of(path)
        self.assert_three_round_trips(report)
        self.assertTrue(report.frame.dynamic)

    def assert_three_round_trips(self, report):
        """Each of three values is stored and loaded in the loop, and nothing else is; the compiler may do some of it
        twice."""
        slots = [s for s in report.frame.slots if s.kind == "spill" and any(a.vector for a in s.accesses)]
        self.assertEqual(len(slots), 3)
        for slot in slots:
            self.assertTrue(any(report.depth_at(a.address) for a in slot.stores))
            self.assertTrue(any(report.depth_at(a.address) for a in slot.loads))


LIVE_ACROSS_CALL = """
typedef int v __attribute__((vector_size(128), aligned(128)));
void g(void); void h(int *);
void f(v *p, int n) {
  v a = p[0], b = p[1], c = p[2];
  int i = 0;
  for (; i < n; i++) { g(); a += p[i]; b ^= p[i]; c -= p[i]; }
  p[0] = a; p[1] = b; p[2] = c;
}
"""


class Frames(HexagonTest):
    def test_frame_size(self):
        self.assertEqual(self.report("{ allocframe(#24) }\n{ dealloc_return }").frame.frame_bytes, 32)
        self.assertEqual(self.report("{ r29 = add(r29,#-64) }\n{ r29 = add(r29,#64) }\n" + RETURN).frame.frame_bytes, 64)

    def test_realigned_frame(self):
        frame = self.report("{ allocframe(#256) }\n{ r29 = and(r29,#-128) }\n{ dealloc_return }").frame
        self.assertEqual((frame.frame_bytes, frame.realigned), (264 + 120, True))

    def test_qf_flag(self):
        self.assertTrue(self.report("{ v0.qf32 = vadd(v1.sf,v2.sf) }\n" + RETURN).uses_qfloat)
        self.assertFalse(self.report("{ v0.w = vadd(v1.w,v2.w) }\n" + RETURN).uses_qfloat)
