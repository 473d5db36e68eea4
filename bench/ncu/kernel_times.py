#!/usr/bin/env python3
"""Holds the recording's kernel times against Nsight Compute's, kernel by kernel of the exercises' solutions.

    bench/ncu/kernel_times.py [--out F] [--exercises 01,02] [--launches 50] [--skip 20]

A kernel is known by its name, grid, block and registers. Ours is the median over all launches of a recorded run; ncu's the
median of gpu__time_duration over some launches of another run, without a lock on clocks or caches. `loop` is the time of a
launch of a captured graph of a hundred, by the host's clock, where that was measured: it holds the gaps between kernels too.
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
FLAGS = "device=cuda,force_device=True,floatX=float32"


def recorded(path):
    """Nanoseconds of every kernel event in a recording, by (name, grid, block, registers)."""
    database = sqlite3.connect(path)
    details = {row[0]: (ncu.base_name(row[1]), ncu.triple(row[2]), ncu.triple(row[3]), row[4])
               for row in database.execute("SELECT id, name, grid, block, registers FROM details")}
    times = collections.defaultdict(list)
    for (events,) in database.execute("SELECT events FROM blocks"):
        for begin, end, _call, _step, detail, _lane, kind, _flags in EVENT.iter_unpack(events):
            if kind == KERNEL and detail in details:
                times[details[detail]].append(end - begin)
    database.close()
    return times


def our_times(exercise):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.hyp")
        ncu.run_well([ncu.program("solution_" + exercise)], FLAGS + ",profile=True,profiling.destination=/dev/null",
                     {"HYPATIA_PROFILE_FILE": path, "HYPATIA_EXERCISE": exercise})
        return recorded(path)


def ncu_times(exercise, launches, skip):
    """The same by ncu; counts and skips are of each kernel with each grid and block."""
    options = ["--filter-mode", "per-launch-config", "--launch-skip", str(skip), "--launch-count", str(launches)]
    times = collections.defaultdict(list)
    for launch in ncu.profile([ncu.program("solution_" + exercise)], [DURATION, REGISTERS], FLAGS, options):
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
    for key, times in sorted(ours.items(), key=lambda item: -sum(item[1])):
        name, grid, block, registers = key
        row = {"exercise": exercise[:2], "kernel": name, "grid": grid, "block": block, "registers": registers,
               "launches": len(times), "cupti_ns": statistics.median(times), "cupti_least_ns": min(times)}
        rows.append(row)
        by_ncu = same_kernel(theirs, key)
        if not by_ncu:
            continue
        row["ncu_ns"] = statistics.median(by_ncu)
        row["ncu_least_ns"] = min(by_ncu)
        row["ncu_launches"] = len(by_ncu)
        row["difference_ns"] = row["cupti_ns"] - row["ncu_ns"]
        row["difference_percent"] = 100 * row["difference_ns"] / row["ncu_ns"]
        row["within"] = abs(row["difference_ns"]) <= max(64, 0.02 * row["ncu_ns"])
    return rows


def text_of(rows):
    lines = [["exercise", "kernel", "grid", "launches", "CUPTI ns", "ncu ns", "difference", "%", "loop ns", "within 2 % or 64 ns"]]
    for row in rows:
        compared = "ncu_ns" in row
        lines.append([
            row["exercise"], row["kernel"][:32], "x".join(map(str, row["grid"])), row["launches"], f"{row['cupti_ns']:.0f}",
            f"{row['ncu_ns']:.0f}" if compared else "-", f"{row['difference_ns']:+.0f}" if compared else "-",
            f"{row['difference_percent']:+.1f}" if compared else "-", f"{row['loop_ns']:.0f}" if "loop_ns" in row else "",
            ("yes" if row["within"] else "no") if compared else "not seen by ncu"])
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
    compared = [row for row in rows if "ncu_ns" in row]
    result = {**ncu.head("kernel times"), "flags": FLAGS, "launches": options.launches, "rows": rows,
              "failures": failures}
    good = sum(row["within"] for row in compared)
    text = text_of(rows) + f"{good} of {len(compared)} kernels within 2 % or 64 ns; {len(rows) - len(compared)} not compared\n"
    text += "".join(f"not measured: {failure}\n" for failure in failures)
    ncu.write(result, text, options.out)
    return 0 if compared and not failures else 1


if __name__ == "__main__":
    raise SystemExit(main())
