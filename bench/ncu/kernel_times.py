#!/usr/bin/env python3
"""Holds the recording's kernel times against loops between events and against Nsight Compute, for every kernel of the solutions.

    bench/ncu/kernel_times.py [--out F] [--exercises 01,02] [--launches 50] [--skip 1] [--without-ncu]

A row is a kernel of a step of a plan. Its recorded time is the median over all launches of a recorded run.

Loops: bench/kernel_loops launches the same kernel with the same arguments many times in one CUDA graph between two events, under
CUPTI. Durations and gaps by CUPTI's stamps must sum to the period by the events. It does the same with all that one call of a
function runs on the GPU, in the engine's order, so that each kernel has its neighbours and finds the caches as they leave them:
there, a kernel's stamps are what its recorded time must agree with. "Apart" is the same with the host waiting for each call, as
programs do that look at results: a recorded time lies between the two. A process without CUPTI tells what tracing adds.

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
import struct
import tempfile

import ncu
import verdicts

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
    details = {row[0]: verdicts.identity(row[1], ncu.triple(row[2]), ncu.triple(row[3]), row[4])
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
    """What bench/kernel_loops wrote."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "loops.json")
        ncu.run_well([ncu.program("hypatia-kernel-loops-" + exercise), "--json", file] + (["--traced"] if traced else []))
        return json.loads(pathlib.Path(file).read_text())


def cell(row, *keys):
    for key in keys:
        row = row.get(key, {}) if isinstance(row, dict) else {}
    return f"{row:.0f}" if isinstance(row, (int, float)) else "-"


def yes_or_no(row, *keys):
    return " ".join({True: "yes", False: "no", None: "-"}[row.get(key)] for key in keys)


def text_of(result):
    lines = [["exercise", "kernel", "grid", "launches", "recorded", "in place", "apart", "alone", "gap", "events", "differ", "ncu",
              "within (clocks, in place, apart, ncu)"]]
    for row in result["rows"]:
        lines.append([row["exercise"], row["kernel"][:24], "x".join(map(str, row["grid"])), row["launches"], cell(row, "cupti_ns"),
                      cell(row, "in_place_ns"), cell(row, "apart_ns"), cell(row, "traced_loop", "duration_ns"), cell(row, "traced_loop", "gap_ns"),
                      cell(row, "traced_loop", "period_ns"), cell(row, "clocks_ns"), cell(row, "ncu_ns"),
                      yes_or_no(row, "clocks_within", "in_place_within", "apart_within", "ncu_within")])
    text = ncu.table(lines) + "\n"
    lines = [["exercise", "function", "plan", "works", "recorded", "in place", "running", "gaps", "events", "differ", "untraced",
              "within (clocks, recorded)"]]
    for whole in result["together"]:
        lines.append([whole["exercise"], whole["function"][:24], whole["plan"], whole.get("works", "-"), cell(whole, "recorded_ns"),
                      cell(whole, "in_place_ns"), cell(whole, "running_ns"), cell(whole, "gaps_ns"), cell(whole, "period_ns"),
                      cell(whole, "clocks_ns"), cell(whole, "untraced_period_ns"),
                      yes_or_no(whole, "clocks_within", "recorded_within")])
    text += ncu.table(lines) + "\n"
    text += "".join(f"{line}\n" for line in verdicts.summary(result))
    for row in result["rows"]:
        if "why_no_loop" in row:
            text += f"no loop over {row['kernel']} of exercise {row['exercise']}, step {row['plan']}.{row['step']}: {row['why_no_loop']}\n"
    return text + "".join(f"not measured: {failure}\n" for failure in result["failures"])


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("--out", help="writes OUT.json and OUT.txt")
    words.add_argument("--exercises", default="", help="numbers, such as 01,03")
    words.add_argument("--launches", type=int, default=50, help="of each kernel under ncu")
    words.add_argument("--skip", type=int, default=1, help="launches of each kernel that ncu leaves out first")
    words.add_argument("--without-ncu", action="store_true", help="only recordings and loops")
    options = words.parse_args()
    chosen = [e for e in EXERCISES if not options.exercises or e[:2] in options.exercises.split(",")]
    result = {**ncu.head("kernel times"), "flags": FLAGS, "launches": options.launches, "rows": [], "together": [], "failures": []}

    def tell():
        ncu.write(result, text_of(result), options.out)

    for exercise in chosen:
        try:
            plain, traced = loops(exercise, False), loops(exercise, True)
            rows = verdicts.rows_of(exercise, our_times(exercise), plain, traced)
            result["rows"] += rows
            result["together"] += verdicts.together_of(exercise, rows, plain, traced)
        except ncu.Failed as failure:
            result["failures"].append(f"{exercise}: {failure}")
    verdicts.judge(result["rows"], result["together"])
    if options.without_ncu or options.out:
        tell()  # before ncu, which may take long
    for exercise in [] if options.without_ncu else chosen:
        try:
            own = [row for row in result["rows"] if row["exercise"] == exercise[:2]]
            verdicts.judge_ncu(own, ncu_times(exercise, options.launches, options.skip))
        except ncu.Failed as failure:
            result["failures"].append(f"{exercise}: {failure}")
    if not options.without_ncu:
        result["ncu_extra_ns"] = verdicts.take_off(result["rows"])
        tell()
    return 0 if any("clocks_within" in row for row in result["rows"]) and not result["failures"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
