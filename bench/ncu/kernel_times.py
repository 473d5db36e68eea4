#!/usr/bin/env python3
"""Holds the recording's kernel times against loops between events and against Nsight Compute, for every kernel of the solutions.

    bench/ncu/kernel_times.py [--out F] [--exercises 01,02] [--launches 50] [--skip 1] [--without-ncu]

A row is a kernel of a step of a plan. Its recorded time is the median over all launches of a recorded run.

Loops: bench/kernel_loops launches the same kernel with the same arguments many times in one CUDA graph between two events, in a
process without CUPTI, and again under CUPTI. A loop's period holds the gap between kernels. Under CUPTI both are known: durations
and gaps by the stamps must sum to the period by the events ("clocks"). Without CUPTI the kernel's time is the period less what a
loop of empty kernels with the same grid, block and shared memory takes beyond the recorded duration of such a kernel ("loop").

ncu's is the median of gpu__time_duration over some launches of another run with a profile, so that the plan is the same (ncu keeps
CUPTI to itself, and the recording of that run is thrown away), without a lock on clocks or caches. ncu takes about a microsecond
longer for every kernel, however long it runs: the median of the differences, which is taken off before the times are compared.
ncu knows a kernel by its name, grid, block and registers alone: kernels that share them and take different times are not compared.
"""
import argparse
import collections
import json
import os
import pathlib
import sqlite3
import statistics
import struct
import subprocess
import tempfile

import ncu

EXERCISES = ["01_exp_test", "02_device_handles", "03_logistic_regression", "08_curse_of_transfers", "10_mlp"]
EVENT = struct.Struct("<qqIIIHBB")
KERNEL = 3  # of EventKind; docs/reference/recording.md
DURATION, REGISTERS = "gpu__time_duration.sum", "launch__registers_per_thread"
FLAGS = "device=cuda,force_device=True,floatX=float32,profile=True,profiling.destination=/dev/null"


def places_of_steps(database):
    """A step's plan, counted from 0 in the order of compilation, and its number in the plan."""
    rows = database.execute("SELECT id, plan FROM steps ORDER BY id").fetchall()
    plans = {plan: number for number, plan in enumerate(sorted({plan for _, plan in rows}))}
    first = {}
    for step, plan in rows:
        first.setdefault(plan, step)
    return {step: (plans[plan], step - first[plan]) for step, plan in rows}


def recorded(path):
    """Nanoseconds of the kernel events in a recording: lists by (plan, step, kernel), a kernel being (name, grid, block, registers)."""
    database = sqlite3.connect(path)
    details = {row[0]: (ncu.base_name(row[1]), ncu.triple(row[2]), ncu.triple(row[3]), row[4])
               for row in database.execute("SELECT id, name, grid, block, registers FROM details")}
    places = places_of_steps(database)
    times = collections.defaultdict(list)
    for (events,) in database.execute("SELECT events FROM blocks"):
        for begin, end, _call, step, detail, _lane, kind, _flags in EVENT.iter_unpack(events):
            if kind == KERNEL and detail in details:
                times[(*places.get(step, (None, None)), details[detail])].append(end - begin)
    database.close()
    return times


def recording_environment(folder, exercise):
    return {"HYPATIA_PROFILE_FILE": os.path.join(folder, "run.hyp"), "HYPATIA_EXERCISE": exercise}


def our_times(exercise):
    with tempfile.TemporaryDirectory() as folder:
        ncu.run_well([ncu.program("solution_" + exercise)], FLAGS, recording_environment(folder, exercise))
        return recorded(os.path.join(folder, "run.hyp"))


def ncu_times(exercise, launches, skip):
    """ncu's lists; counts and skips are of each kernel with each grid and block."""
    options = ["--filter-mode", "per-launch-config", "--launch-skip", str(skip), "--launch-count", str(launches)]
    times = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        found = ncu.profile([ncu.program("solution_" + exercise)], [DURATION, REGISTERS], FLAGS, options,
                            recording_environment(folder, exercise))
    for launch in found:
        if launch.get(DURATION) is not None:
            key = (launch["kernel"], launch["grid"], launch["block"], int(launch.get(REGISTERS) or 0))
            times[key].append(launch[DURATION])
    return times


def loops(exercise, traced):
    """What bench/kernel_loops measured, by (plan, step, kernel); a kernel that a step launches twice is there once."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "loops.json")
        ncu.run_well([ncu.program("hypatia-kernel-loops-" + exercise), "--json", file] + (["--traced"] if traced else []))
        rows = json.loads(pathlib.Path(file).read_text())["rows"]
    return {(row["plan"], row["step"], (ncu.base_name(row["kernel"]), tuple(row["grid"]), tuple(row["block"]),
                                        row["registers"])): row for row in rows}


def same_kernel(theirs, key):
    """ncu's times of the kernel; registers, which not every ncu tells, need not agree where nothing else can be meant."""
    if key in theirs:
        return theirs[key]
    alike = [times for other, times in theirs.items() if other[:3] == key[:3]]
    return alike[0] if len(alike) == 1 else None


def compare(exercise, ours, plain, traced):
    """Rows of the recording beside the loops'."""
    rows = []
    for (plan, step, kernel), times in sorted(ours.items(), key=lambda item: -sum(item[1])):
        name, grid, block, registers = kernel
        row = {"exercise": exercise[:2], "plan": plan, "step": step, "kernel": name, "grid": grid, "block": block,
               "registers": registers, "launches": len(times), "cupti_ns": statistics.median(times), "cupti_least_ns": min(times)}
        rows.append(row)
        key = (plan, step, kernel)
        if key in plain and key in traced:
            row["function"], row["step_name"] = plain[key]["function"], plain[key]["step_name"]
            row["restored"] = plain[key]["restored"]
            row["loop"], row["empty"] = plain[key]["loop"], plain[key]["empty"]
            row["traced_loop"], row["traced_empty"] = traced[key]["loop"], traced[key]["empty"]
    return rows


def near(one, other):
    """Within 2 % or 64 ns: two ticks of the GPU's clock."""
    return abs(one - other) <= max(64, 0.02 * other)


def judge_loops(rows):
    """Adds to the rows what the loops say; see the top."""
    for row in rows:
        if "loop" not in row or "duration_ns" not in row["traced_loop"] or "duration_ns" not in row["traced_empty"]:
            continue
        stamps = row["traced_loop"]
        row["clocks_ns"] = stamps["mean_duration_ns"] + stamps["gap_ns"] - stamps["period_ns"]
        row["clocks_within"] = near(stamps["mean_duration_ns"] + stamps["gap_ns"], stamps["period_ns"])
        row["launching_ns"] = row["empty"]["period_ns"] - row["traced_empty"]["duration_ns"]
        row["loop_ns"] = row["loop"]["period_ns"] - row["launching_ns"]
        row["loop_difference_ns"] = row["cupti_ns"] - row["loop_ns"]
        row["loop_within"] = near(row["cupti_ns"], row["loop_ns"])


def judge_ncu(rows, theirs):
    """Adds ncu's times to the rows of an exercise where it can tell their kernels."""
    alike = collections.defaultdict(list)
    for row in rows:
        alike[(row["kernel"], row["grid"], row["block"], row["registers"])].append(row)
    for key, group in alike.items():
        times = same_kernel(theirs, key)
        medians = [row["cupti_ns"] for row in group]
        for row in group:
            row["mixed"] = max(medians) - min(medians) > max(64, 0.05 * min(medians))
            if times:
                row["ncu_ns"], row["ncu_launches"] = statistics.median(times), len(times)


def take_off(rows):
    """What ncu takes longer for any kernel: the median of the differences, which is taken off in the rows."""
    compared = [row for row in rows if "ncu_ns" in row and not row["mixed"]]
    extra = statistics.median(row["ncu_ns"] - row["cupti_ns"] for row in compared) if compared else 0
    for row in compared:
        row["ncu_difference_ns"] = row["cupti_ns"] - (row["ncu_ns"] - extra)
        row["ncu_within"] = near(row["cupti_ns"], row["ncu_ns"] - extra)
    return extra


def cell(row, *keys):
    for key in keys:
        row = row.get(key, {}) if isinstance(row, dict) else {}
    return f"{row:.0f}" if isinstance(row, (int, float)) else "-"


def text_of(rows, extra):
    lines = [["exercise", "kernel", "grid", "launches", "recorded", "traced loop", "gap", "period", "clocks", "untraced", "empty",
              "loop", "difference", "ncu", f"less {extra:.0f}", "within (clocks, loop, ncu)"]]
    for row in rows:
        words = [{True: "yes", False: "no", None: "-"}[row.get(key)] for key in ("clocks_within", "loop_within", "ncu_within")]
        less = f"{row['ncu_ns'] - extra:.0f}" if "ncu_within" in row else "mixed" if row.get("mixed") and "ncu_ns" in row else "-"
        lines.append([row["exercise"], row["kernel"][:24], "x".join(map(str, row["grid"])), row["launches"], cell(row, "cupti_ns"),
                      cell(row, "traced_loop", "duration_ns"), cell(row, "traced_loop", "gap_ns"),
                      cell(row, "traced_loop", "period_ns"), cell(row, "clocks_ns"), cell(row, "loop", "period_ns"),
                      cell(row, "launching_ns"), cell(row, "loop_ns"), cell(row, "loop_difference_ns"), cell(row, "ncu_ns"), less,
                      " ".join(words)])
    text = ncu.table(lines)
    for key, what in (("clocks_within", "stamps and events of the same loops"), ("loop_within", "recordings and loops without CUPTI"),
                      ("ncu_within", "recordings and ncu")):
        judged = [row[key] for row in rows if key in row]
        text += f"{what}: {sum(judged)} of {len(judged)} kernels within 2 % or 64 ns; {len(rows) - len(judged)} not compared\n"
    return text


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("--out", help="writes OUT.json and OUT.txt")
    words.add_argument("--exercises", default="", help="numbers, such as 01,03")
    words.add_argument("--launches", type=int, default=50, help="of each kernel under ncu")
    words.add_argument("--skip", type=int, default=1, help="launches of each kernel that ncu leaves out first")
    words.add_argument("--without-ncu", action="store_true", help="only recordings and loops")
    options = words.parse_args()
    chosen = [e for e in EXERCISES if not options.exercises or e[:2] in options.exercises.split(",")]
    rows, failures = [], []

    def tell(extra):
        result = {**ncu.head("kernel times"), "flags": FLAGS, "launches": options.launches, "ncu_extra_ns": extra, "rows": rows,
                  "failures": failures}
        ncu.write(result, text_of(rows, extra) + "".join(f"not measured: {f}\n" for f in failures), options.out)

    for exercise in chosen:
        try:
            rows += compare(exercise, our_times(exercise), loops(exercise, False), loops(exercise, True))
        except ncu.Failed as failure:
            failures.append(f"{exercise}: {failure}")
    judge_loops(rows)
    if options.without_ncu or options.out:
        tell(0)  # before ncu, which may take long
    for exercise in [] if options.without_ncu else chosen:
        try:
            judge_ncu([row for row in rows if row["exercise"] == exercise[:2]], ncu_times(exercise, options.launches, options.skip))
        except ncu.Failed as failure:
            failures.append(f"{exercise}: {failure}")
    if not options.without_ncu:
        tell(take_off(rows))
    return 0 if any("loop_within" in row for row in rows) and not failures else 1


if __name__ == "__main__":
    raise SystemExit(main())
