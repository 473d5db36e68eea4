#!/usr/bin/env python3
"""Holds the simulator's counts of memory accesses against a GPU's counters, kernel by kernel.

    bench/ncu/counters.py [--out F] [--launches 24]

The programs are hypatia-accesses, whose accesses are known by heart, and the solutions of the exercises with kernels by hand.
Each runs twice: on the checked simulator, and on the GPU under ncu. Launches pair by kernel, grid, block and order.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

import ncu

PROGRAMS = [("accesses", "hypatia-accesses", []), ("06", "solution_06_raw_kernels", ["--no-mistake"]),
            ("07", "solution_07_gpu_custom_ops", [])]

# Each count, and the metrics whose sum it is; the first list whose metrics the chip has.
COUNTS = {
    "global_requests": [["l1tex__t_requests_pipe_lsu_mem_global_op_ld", "l1tex__t_requests_pipe_lsu_mem_global_op_st"]],
    "sectors": [["l1tex__t_sectors_pipe_lsu_mem_global_op_ld", "l1tex__t_sectors_pipe_lsu_mem_global_op_st"]],
    "shared_requests": [["smsp__sass_inst_executed_op_shared_ld", "smsp__sass_inst_executed_op_shared_st"],
                        ["smsp__inst_executed_op_shared_ld", "smsp__inst_executed_op_shared_st"]],
    "bank_conflicts": [["smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ld",
                        "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_st"],
                       ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld",
                        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st"]],
    "active_lanes": [["smsp__sass_thread_inst_executed_op_global_ld", "smsp__sass_thread_inst_executed_op_global_st",
                      "smsp__sass_thread_inst_executed_op_shared_ld", "smsp__sass_thread_inst_executed_op_shared_st"],
                     ["smsp__sass_thread_inst_executed_op_memory_pred_on"]],
    "atomics": [["l1tex__t_requests_pipe_lsu_mem_global_op_red", "l1tex__t_requests_pipe_lsu_mem_global_op_atom"]],
}
OPCODES = "sass__inst_executed_per_opcode"
NOTES = {
    "atomics": "the simulator counts threads, here divided by 32; the GPU counts requests of warps",
    "barriers": "the simulator counts blocks, here times warps; the GPU counts instructions of warps",
    "active_lanes": "op_memory also counts what reads parameters and constants",
    "bank_conflicts": "l1tex__data_bank_conflicts also counts other waits for the same memory",
}


def reports_of(name, words, most):
    """The checked simulator's first reports, a launch each; the program is ended once they are there."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.jsonl"
        own = dict(os.environ, HYPATIA_FLAGS="device=sim,sim.checked=True", HYPATIA_SIM_REPORT=str(path))
        with subprocess.Popen([ncu.program(name), *words], env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            lines = []
            while len(lines) <= most and process.poll() is None:
                time.sleep(0.05)
                lines = path.read_text().splitlines() if path.exists() else []
            process.kill()
        lines = path.read_text().splitlines() if path.exists() else []
    if not lines:
        raise ncu.Failed(f"{name} launched nothing on the simulator")
    return [json.loads(line) for line in lines[:most]]


def simulated(name, words, most):
    """Kernel, grid, block and the counts over all lines of each launch, in order."""
    launches = []
    for report in reports_of(name, words, most):
        launch = {"kernel": report["kernel"], "grid": tuple(report["grid"]), "block": tuple(report["block"])}
        for count in [*COUNTS, "barriers"]:
            launch[count] = sum(line[count] for line in report["lines"]) / report["launches"]
        threads = launch["block"][0] * launch["block"][1] * launch["block"][2]
        launch["barriers"] *= -(-threads // 32)
        launch["atomics"] /= 32
        launches += [launch] * report["launches"]
    return launches


def choose(known):
    """For each count the metrics to ask for, with suffix; None where the chip has none of them."""
    chosen = {}
    for count, choices in COUNTS.items():
        good = [c for c in choices if not known or all(metric in known for metric in c)]
        chosen[count] = [metric + ".sum" for metric in good[0]] if good else None
    return chosen


def barriers_of(text):
    """Instructions BAR in "1,234 (BAR: 8; LDG: 16)"; None if opcodes are not named."""
    if not re.search(r"[A-Z]{2,}\w*:", text or ""):
        return None
    return sum(float(n.replace(",", "")) for n in re.findall(r"\bBAR[\w.]*:\s*([\d,]+)", text))


def launches_under_ncu(name, words, metrics, options):
    """With the instructions by opcode where this ncu has them."""
    line, flags = [ncu.program(name), *words], "device=cuda,force_device=True"
    try:
        return ncu.profile(line, [*metrics, OPCODES], flags, [*options, "--print-metric-instances", "details"])
    except ncu.Failed:
        return ncu.profile(line, metrics, flags, options)


def measured(name, words, chosen, launches):
    metrics = sorted({m for list_ in chosen.values() if list_ for m in list_})
    options = ["--launch-count", str(launches), "--kill", "on"]
    result = []
    for found in launches_under_ncu(name, words, metrics, options):
        launch = {key: found[key] for key in ("kernel", "grid", "block")}
        for count, names in chosen.items():
            values = [found.get(n) for n in names or []]
            launch[count] = sum(values) if values and None not in values else None
        launch["barriers"] = barriers_of(found.get(OPCODES + " text"))
        result.append(launch)
    return result


def key_of(launch):
    return launch["kernel"], launch["grid"], launch["block"]


def compare(title, simulator, gpu):
    """Pairs the n-th launch of each kernel with its n-th; equal rows are kept once."""
    waiting = collections.defaultdict(list)
    for launch in simulator:
        waiting[key_of(launch)].append(launch)
    rows, seen = [], set()
    for launch in gpu:
        queue = waiting[key_of(launch)]
        if not queue:
            continue
        modelled = queue.pop(0)
        counts = {c: [modelled[c], launch[c]] for c in [*COUNTS, "barriers"]}
        mark = (key_of(launch), json.dumps(counts))
        if mark not in seen:
            seen.add(mark)
            rows.append({"program": title, "kernel": launch["kernel"], "grid": launch["grid"], "block": launch["block"],
                         "counts": counts})
    return rows


def cell(pair):
    ours, theirs = pair
    if theirs is None:
        return f"{ours:g} / ?"
    return f"{ours:g}" if ours == theirs else f"{ours:g} / {theirs:g}"


def text_of(rows, chosen):
    counts = [*COUNTS, "barriers"]
    lines = [["program", "kernel", "grid", "block", *counts]]
    for row in rows:
        lines.append([row["program"], row["kernel"], "x".join(map(str, row["grid"])), "x".join(map(str, row["block"])),
                      *[cell(row["counts"][c]) for c in counts]])
    text = ncu.table(lines) + "\none number: both agree; a / b: simulator / GPU; ?: the GPU's counter is not known\n"
    for count in counts:
        pairs = [row["counts"][count] for row in rows if row["counts"][count][1] is not None]
        same = sum(a == b for a, b in pairs)
        metrics = " + ".join(chosen.get(count) or []) or (OPCODES + " (BAR)" if count == "barriers" else "no metric")
        note = f"; {NOTES[count]}" if count in NOTES else ""
        text += f"{count}: equal in {same} of {len(pairs)}; {metrics}{note}\n"
    return text


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("--out", help="writes OUT.json and OUT.txt")
    words.add_argument("--launches", type=int, default=24, help="the first so many launches of each program")
    options = words.parse_args()
    known = ncu.known_metrics()
    chosen = choose(known)
    rows, failures = [], []
    for title, name, arguments in PROGRAMS:
        try:
            # A GPU's plan may leave out a launch that the simulator makes.
            modelled = simulated(name, arguments, 4 * options.launches)
            rows += compare(title, modelled, measured(name, arguments, chosen, options.launches))
        except ncu.Failed as failure:
            failures.append(f"{name}: {failure}")
    result = {**ncu.head("counters"), "metrics": chosen, "notes": NOTES, "rows": rows, "failures": failures}
    text = text_of(rows, chosen) + "".join(f"not measured: {failure}\n" for failure in failures)
    ncu.write(result, text, options.out)
    return 0 if rows and not failures else 1


if __name__ == "__main__":
    raise SystemExit(main())
