#!/usr/bin/env python3
"""Holds the recording's kernel times against Nsight Compute's, kernel by kernel of the exercises' solutions.

    bench/ncu/kernel_times.py [--out F] [--exercises 01,02] [--launches 50] [--skip 20]

A kernel is known by its name, grid, block and registers. Ours is the median over all launches of a recorded run; ncu's the
median of gpu__time_duration over some launches of another run with a profile, so that the plan is the same (ncu keeps CUPTI to
itself, and the recording of that run is thrown away), without a lock on clocks or caches. ncu takes about a microsecond longer
for every kernel, however long it runs: the median of the differences, which is taken off before the times are compared. Kernels
that share name and sizes but take different times are mixed, and not compared. `loop` is the time of a launch of a captured
graph of a hundred, by the host's clock, where that was measured: it holds the gaps between kernels too.
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


def recorded(path):
    """Nanoseconds of the kernel events in a recording: lists by (name, grid, block, registers), then by step."""
    database = sqlite3.connect(path)
    details = {row[0]: (ncu.base_name(row[1]), ncu.triple(row[2]), ncu.triple(row[3]), row[4])
               for row in database.execute("SELECT id, name, grid, block, registers FROM details")}
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    for (events,) in database.execute("SELECT events FROM blocks"):
        for begin, end, _call, step, detail, _lane, kind, _flags in EVENT.iter_unpack(events):
            if kind == KERNEL and detail in details:
                times[details[detail]][step].append(end - begin)
    database.close()
    return times


def mixed(by_step):
    """True if steps with the same kernel's name and sizes take different times: other kernels, or other data."""
    medians = [statistics.median(times) for times in by_step.values()]
    return max(medians) - min(medians) > max(64, 0.05 * min(medians))


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


def loop_time():
    """Nanoseconds a launch of the exp kernel, a hundred in a graph; None without the program."""
    path = ncu.BUILD / "bin" / "hypatia-cuda-limits"
    if not path.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "loop.json")
        done = subprocess.run([str(path), "--only", "exp f32, graph of 100", "--rounds", "5", "--json", file], capture_output=True)
        if done.returncode != 0:
            return None
        return 1000 * json.loads(pathlib.Path(file).read_text())["rows"][0]["microseconds"]


def same_kernel(theirs, key):
    """ncu's times of the kernel; registers, which not every ncu tells, need not agree where nothing else can be meant."""
    if key in theirs:
        return theirs[key]
    alike = [times for other, times in theirs.items() if other[:3] == key[:3]]
    return alike[0] if len(alike) == 1 else None


def compare(exercise, ours, theirs):
    rows = []
    for key, by_step in sorted(ours.items(), key=lambda item: -sum(map(sum, item[1].values()))):
        name, grid, block, registers = key
        times = [time for step in by_step.values() for time in step]
        row = {"exercise": exercise[:2], "kernel": name, "grid": grid, "block": block, "registers": registers,
               "launches": len(times), "mixed": mixed(by_step), "cupti_ns": statistics.median(times),
               "cupti_least_ns": min(times)}
        rows.append(row)
        by_ncu = same_kernel(theirs, key)
        if by_ncu:
            row["ncu_ns"] = statistics.median(by_ncu)
            row["ncu_least_ns"] = min(by_ncu)
            row["ncu_launches"] = len(by_ncu)
    return rows


def judge(rows):
    """Adds differences to the rows; returns what ncu takes longer for any kernel."""
    compared = [row for row in rows if "ncu_ns" in row and not row["mixed"]]
    extra = statistics.median(row["ncu_ns"] - row["cupti_ns"] for row in compared) if compared else 0
    for row in compared:
        least = row["ncu_ns"] - extra
        row["difference_ns"] = row["cupti_ns"] - least
        row["difference_percent"] = 100 * row["difference_ns"] / least
        row["within"] = abs(row["difference_ns"]) <= max(64, 0.02 * least)
    return extra


def text_of(rows, extra):
    lines = [["exercise", "kernel", "grid", "launches", "CUPTI ns", "ncu ns", f"less {extra:.0f}", "difference", "%", "loop ns",
              "within 2 % or 64 ns"]]
    for row in rows:
        line = [row["exercise"], row["kernel"][:32], "x".join(map(str, row["grid"])), row["launches"], f"{row['cupti_ns']:.0f}"]
        line.append(f"{row['ncu_ns']:.0f}" if "ncu_ns" in row else "-")
        if "within" in row:
            line += [f"{row['ncu_ns'] - extra:.0f}", f"{row['difference_ns']:+.0f}", f"{row['difference_percent']:+.1f}"]
        else:
            line += ["-", "-", "-"]
        line.append(f"{row['loop_ns']:.0f}" if "loop_ns" in row else "")
        line.append(("yes" if row["within"] else "no") if "within" in row else "mixed" if row["mixed"] else "not seen by ncu")
        lines.append(line)
    return ncu.table(lines)


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("--out", help="writes OUT.json and OUT.txt")
    words.add_argument("--exercises", default="", help="numbers, such as 01,03")
    words.add_argument("--launches", type=int, default=50, help="of each kernel under ncu")
    words.add_argument("--skip", type=int, default=1, help="launches of each kernel that ncu leaves out first")
    options = words.parse_args()
    chosen = [e for e in EXERCISES if not options.exercises or e[:2] in options.exercises.split(",")]
    rows, failures = [], []
    for exercise in chosen:
        try:
            rows += compare(exercise, our_times(exercise), ncu_times(exercise, options.launches, options.skip))
        except ncu.Failed as failure:
            failures.append(f"{exercise}: {failure}")
    loop = loop_time() if "01_exp_test" in chosen else None
    for row in rows:
        if loop and row["exercise"] == "01":
            row["loop_ns"] = loop
    extra = judge(rows)
    compared = [row for row in rows if "within" in row]
    result = {**ncu.head("kernel times"), "flags": FLAGS, "launches": options.launches, "ncu_extra_ns": extra, "rows": rows,
              "failures": failures}
    good = sum(row["within"] for row in compared)
    text = text_of(rows, extra) + f"{good} of {len(compared)} kernels within 2 % or 64 ns; {len(rows) - len(compared)} not compared\n"
    text += "".join(f"not measured: {failure}\n" for failure in failures)
    ncu.write(result, text, options.out)
    return 0 if compared and not failures else 1


if __name__ == "__main__":
    raise SystemExit(main())
