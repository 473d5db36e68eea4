"""What kernel_times.py says of times that were made up."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench" / "ncu"))
import verdicts

SIZES = {"grid": [8, 1, 1], "block": [256, 1, 1]}


def loop(duration, gap, period):
    return {"period_ns": period, "duration_ns": duration, "mean_duration_ns": duration, "gap_ns": gap}


def written(kernels, together):
    """As bench/kernel_loops writes it; kernels are (step, name, registers, duration, gap, period)."""
    rows = [{"plan": 2, "step": step, "kernel": name, "registers": registers, **SIZES, "function": "f", "step_name": "s",
             "restored": True, "loop": loop(duration, gap, period)} for step, name, registers, duration, gap, period in kernels]
    return {"rows": rows, "together": together}


def whole(works, running, gaps, period):
    return {"function": "f", "plan": 2, "steps": [0, 1], "restored": True, "period_ns": period, "running_ns": running, "gaps_ns": gaps,
            "works": [{"step": step, "kernel": name, "registers": 16, "duration_ns": ns, "apart_ns": ns + 100, **SIZES} for step, name, ns in works]}


def judged(recorded, traced):
    times = {(plan, step, verdicts.identity(name, **SIZES, registers=16)): ns for (plan, step, name), ns in recorded.items()}
    rows = verdicts.rows_of("10_mlp", times, traced, traced)
    together = verdicts.together_of("10_mlp", rows, traced, traced)
    verdicts.judge(rows, together)
    return {row["kernel"]: row for row in rows}, together


class Verdicts(unittest.TestCase):
    def test_agreeing_clocks_and_recordings_pass(self):
        traced = written([(0, "k0", 12, 1600, 100, 1710), (1, "void ns::k1<float>(float*)", 16, 5000, 100, 5110)],
                         [whole([(0, "k0", 1620), (1, "k1", 5010)], 6640, 220, 6870)])
        rows, together = judged({(2, 0, "k0"): [1632, 1630, 9000], (2, 1, "k1"): [5100]}, traced)
        self.assertAlmostEqual(rows["k0"]["clocks_ns"], -10)
        self.assertEqual([rows[k]["clocks_within"] for k in ("k0", "k1")], [True, True])
        self.assertEqual([rows[k]["in_place_difference_ns"] for k in ("k0", "k1")], [12, 90])
        self.assertEqual([rows[k]["in_place_within"] for k in ("k0", "k1")], [True, True])
        self.assertEqual([rows[k]["apart_ns"] for k in ("k0", "k1")], [1720, 5110])
        self.assertEqual([rows[k]["apart_within"] for k in ("k0", "k1")], [False, True])
        self.assertEqual(together[0]["recorded_ns"], 1632 + 5100)
        self.assertTrue(together[0]["clocks_within"] and together[0]["recorded_within"])
        self.assertEqual(together[0]["launches"], 1)

    def test_clocks_that_differ_fail(self):
        traced = written([(0, "k0", 16, 1600, 100, 1800)], [whole([(0, "k0", 1600)], 1600, 100, 1800)])
        rows, together = judged({(2, 0, "k0"): [1600]}, traced)
        self.assertFalse(rows["k0"]["clocks_within"])
        self.assertFalse(together[0]["clocks_within"])

    def test_recordings_that_differ_fail(self):
        traced = written([(0, "k0", 16, 6000, 100, 6100)], [whole([(0, "k0", 6000)], 6000, 100, 6100)])
        rows, together = judged({(2, 0, "k0"): [6130]}, traced)
        self.assertFalse(rows["k0"]["in_place_within"] or together[0]["recorded_within"])
        self.assertTrue(rows["k0"]["clocks_within"])

    def test_two_percent_or_two_ticks(self):
        self.assertTrue(verdicts.near(1064, 1000) and verdicts.near(9800, 10000))
        self.assertFalse(verdicts.near(1065, 1000) or verdicts.near(9799, 10000))

    def test_a_kernel_without_a_loop_says_why(self):
        traced = written([(0, "k0", 16, 1600, 100, 1700)], [])
        rows, _ = judged({(2, 0, "other"): [1000], (2, 1, "k1"): [1000], (None, None, "fill"): [900]}, traced)
        self.assertEqual(rows["other"]["why_no_loop"], "its step launched k0 when it was caught")
        self.assertEqual(rows["k1"]["why_no_loop"], "its step was not caught")
        self.assertEqual(rows["fill"]["why_no_loop"], "belongs to no step")
        text = "\n".join(verdicts.summary({"rows": list(rows.values()) + [{"clocks_within": True}], "together": []}))
        self.assertIn("1 of 1 within 2 % or 64 ns; 3 not compared", text)

    def test_ncu_is_held_against_without_what_it_adds_to_all(self):
        rows = [{"kernel": f"k{i}", "registers": 16, "cupti_ns": ns, **SIZES} for i, ns in enumerate([1000, 2000, 50000])]
        theirs = {(f"k{i}", (8, 1, 1), (256, 1, 1), 16): [ns] for i, ns in enumerate([2100, 3100, 55000])}
        verdicts.judge_ncu(rows, theirs)
        self.assertEqual(verdicts.take_off(rows), 1100)
        self.assertEqual([row["ncu_within"] for row in rows], [True, True, False])

    def test_ncu_cannot_tell_kernels_of_one_name_apart(self):
        rows = [{"kernel": "k0", "registers": 16, "cupti_ns": ns, **SIZES} for ns in (1000, 2000)]
        verdicts.judge_ncu(rows, {("k0", (8, 1, 1), (256, 1, 1), 16): [2100]})
        verdicts.take_off(rows)
        self.assertTrue(rows[0]["mixed"] and "ncu_within" not in rows[0])


if __name__ == "__main__":
    unittest.main()
