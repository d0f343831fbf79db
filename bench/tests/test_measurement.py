"""Rounds, statistics, environment and arguments; no model is run."""

import contextlib
import io
import json
import os
import tempfile
import unittest

from llama import command_line, llama_bench, model_cache, report, rounds, weight_traffic
from llama.errors import BenchError


class Rounds(unittest.TestCase):
    def test_spread(self):
        self.assertAlmostEqual(rounds.spread([9, 10, 12]), 0.3)

    def test_sides_alternate(self):
        order = []
        rounds.measure_round(3, lambda side: order.append(side) or {"tg1": 1.0})
        self.assertEqual(order, ["cpu", "npu", "npu", "cpu", "cpu", "npu"])

    def test_row(self):
        row = rounds.Round(npu={"tg1": [5, 6, 9]}, cpu={"tg1": [10, 10, 12]}).row("tg1")
        self.assertEqual((row["npu"], row["cpu"], row["ratio"]), (6, 10, 0.6))
        self.assertEqual((row["ratio_min"], row["ratio_max"]), (0.5, 0.75))

    def measured(self, most, cpu_rounds):
        """Runs rounds of two pairs whose CPU speeds are given; returns the chosen round and the number of rounds."""
        speeds, seen = iter([s for pair in cpu_rounds for s in pair]), []
        chosen = rounds.measure_until_quiet(
            2, most, lambda side: {"tg1": next(speeds) if side == "cpu" else 1.0}, lambda number, spread: seen.append(number)
        )
        return chosen, len(seen)

    def test_a_quiet_round_is_enough(self):
        chosen, count = self.measured(4, [(10, 11)])
        self.assertEqual((chosen.cpu["tg1"], count), ([10, 11], 1))

    def test_a_loud_round_is_repeated(self):
        chosen, count = self.measured(4, [(10, 20), (10, 10)])
        self.assertEqual((chosen.cpu["tg1"], count), ([10, 10], 2))

    def test_repeats_are_bounded_and_the_quietest_counts(self):
        chosen, count = self.measured(3, [(10, 20), (10, 13), (10, 15)])
        self.assertEqual((chosen.cpu["tg1"], count), ([10, 13], 3))


class Environment(unittest.TestCase):
    def test_thread_count_replaces_the_old_one(self):
        self.assertEqual(llama_bench.virtual_device("v73, threads=6,vtcm=1M", 2), "v73,vtcm=1M,threads=2")
        self.assertEqual(llama_bench.virtual_device(None, 1), "threads=1")

    def test_cpu_side_has_no_plugin(self):
        base = {"GGML_BACKEND_PATH": "x", "GGML_HEXAGON_STATS": "y", "OMP_WAIT_POLICY": "passive", "HOME": "/h"}
        self.assertEqual(llama_bench.environment("cpu", "/p.so", 1, base), {"HOME": "/h"})

    def test_npu_side(self):
        env = llama_bench.environment("npu", "/p.so", 2, {})
        self.assertEqual((env["GGML_BACKEND_PATH"], env["GGML_HEXAGON_VIRTUAL"]), ("/p.so", "threads=2"))
        self.assertEqual(env["OMP_WAIT_POLICY"], "passive")

    def test_speeds(self):
        output = json.dumps([{"n_prompt": 512, "n_gen": 0, "avg_ts": 44.5}, {"n_prompt": 0, "n_gen": 64, "avg_ts": 9.0}])
        self.assertEqual(llama_bench.speeds(output), {"pp512": 44.5, "tg64": 9.0})

    def test_a_failing_tool_is_one_line(self):
        with self.assertRaisesRegex(BenchError, "exit code 3: last words"):
            llama_bench.run(["sh", "-c", "echo first >&2; echo last words >&2; exit 3"], dict(os.environ))
        with self.assertRaisesRegex(BenchError, "not installed"):
            llama_bench.run(["/nonexistent/llama-bench"], {})


class Arguments(unittest.TestCase):
    def refused(self, *arguments):
        """The line that the user sees."""
        text = io.StringIO()
        with contextlib.redirect_stderr(text), self.assertRaises(SystemExit) as end:
            command_line.parse(list(arguments))
        self.assertEqual(end.exception.code, 2)
        self.assertEqual(text.getvalue().count("\n"), 1)
        return text.getvalue()

    def test_defaults(self):
        o = command_line.parse([])
        self.assertEqual((o.model_class, o.type, o.threads, o.pairs, o.prompt, o.gen), (["1B"], ["q4_0"], [1, 2], 5, 512, 64))

    def test_lists(self):
        o = command_line.parse(["--model-class", "all", "--type", "F16,q8_0", "--threads", "2,1,2"])
        self.assertEqual((o.model_class, o.type, o.threads), (["0.5B", "1B"], ["f16", "q8_0"], [2, 1]))

    def test_quick_gives_way_to_what_is_asked(self):
        o = command_line.parse(["--quick", "--pairs", "2"])
        self.assertEqual((o.model_class, o.pairs, o.gen), (["0.5B"], 2, 8))

    def test_rest_goes_to_llama_bench(self):
        self.assertEqual(command_line.parse(["--pairs", "1", "--", "-fa", "on"]).extra, ["-fa", "on"])

    def test_bad_values(self):
        self.assertIn("q5_0", self.refused("--type", "q5_0"))
        self.assertIn("7B", self.refused("--model-class", "7B").replace("7b", "7B"))
        for bad in (["--threads", "0"], ["--threads", "1,,2"], ["--pairs", "x"], ["--gen", "-1"], ["--bogus"], ["word"]):
            self.refused(*bad)

    def test_plugin_must_exist(self):
        with self.assertRaises(BenchError):
            command_line.find_plugin("/nonexistent/libggml-hexagon.so", "/")


class Traffic(unittest.TestCase):
    def stats(self, moved, weights):
        return {"ops": [{"name": "ADD"}, {"name": "MUL_MAT", "dma_weight_bytes": moved, "src0_bytes": weights}]}

    def test_per_token(self):
        t = weight_traffic.traffic(self.stats(1010, 1000), 10)
        self.assertEqual((t["moved_per_token"], t["weights_per_token"], t["ratio"], t["in_range"]), (101, 100, 1.01, True))

    def test_out_of_range(self):
        self.assertFalse(weight_traffic.traffic(self.stats(1030, 1000), 1)["in_range"])
        self.assertFalse(weight_traffic.traffic(self.stats(990, 1000), 1)["in_range"])

    def test_no_mul_mat(self):
        with self.assertRaises(BenchError):
            weight_traffic.traffic({"ops": []}, 1)


class Cache(unittest.TestCase):
    def test_no_room_is_one_line(self):
        with tempfile.NamedTemporaryFile() as file, self.assertRaises(BenchError):
            model_cache.obtain("0.5B", "q4_0", file.name)


class Table(unittest.TestCase):
    def test_rows_and_warning(self):
        row = rounds.Round(npu={"tg64": [5.0, 5.0]}, cpu={"tg64": [10.0, 14.0]}).row("tg64")
        traffic = {"moved_per_token": 7e8, "weights_per_token": 7e8, "ratio": 1.0, "in_range": True}
        result = {"model_class": "1B", "type": "q4_0", "threads": 1, "rounds": 4, "rows": [row], "traffic": traffic}
        text = report.table([result], 0.15)
        self.assertIn("0.42x", text)
        self.assertIn("700.0 MB in the MUL_MATs on HTP0: 1.0000x (within", text)
        self.assertIn("doubtful", text)


if __name__ == "__main__":
    unittest.main()
