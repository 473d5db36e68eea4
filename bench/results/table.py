#!/usr/bin/env python3
"""Writes docs/reference/measurements.md from the result files beside this script: python3 bench/results/table.py"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "ncu"))
import verdicts  # noqa: E402
PAGE = HERE.parent.parent / "docs" / "reference" / "measurements.md"


def load(name):
    return json.loads((HERE / name).read_text())


def head(result):
    keys = [k for k in ("date", "device", "processor", "cores", "driver", "nvrtc", "command", "rounds", "note") if k in result]
    return ", ".join(f"{k} {result[k]}" for k in keys)


def cpu_table(result):
    """One row a job: the engine, the best program by hand, and each library, in microseconds."""
    libraries = sorted({r["library"] for r in result["peers"] if "us" in r})
    lines = [
        "| " + " | ".join(["job", "engine us", "by hand us", "ratio"] + libraries) + " |",
        "| --- | ---: | ---: | ---: |" + " ---: |" * len(libraries),
    ]
    ways = {}
    for row in result["rows"]:
        ways.setdefault(row["group"], {})[row["way"]] = row["us"]
    for group, times in ways.items():
        if "engine" not in times:
            continue
        hand = [us for way, us in times.items() if way.startswith("hand")]
        cells = [f"{times['engine']:.4g}"]
        cells += [f"{min(hand):.4g}", f"{times['engine'] / min(hand):.2f}"] if hand else ["", ""]
        for library in libraries:
            own = [r["us"] for r in result["peers"] if r.get("library") == library and r.get("group") == group and "us" in r]
            cells.append(f"{min(own):.4g}" if own else "")
        lines.append(f"| {group} | " + " | ".join(cells) + " |")
    return lines


def gpu_table(result):
    """Programs by hand and the engine beside them; the reference is this project's list of what such a GPU can do."""
    lines = ["| work | us | least | of the reference |", "| --- | ---: | ---: | ---: |"]
    for row in result["rows"]:
        share = f"{row['microseconds'] / row['reference']:.2f}" if row.get("reference") else ""
        lines.append(f"| {row['name']} | {row['microseconds']:.2f} | {row['least']:.2f} | {share} |")
    return lines


def peers_table(result):
    lines = ["| work | library | us |", "| --- | --- | ---: |"]
    for row in result["rows"]:
        lines.append(f"| {row['name']} | {row['library']} | {row['microseconds']:.2f} |")
    return lines


def convolutions_table(result, torch):
    """A row a convolution: the op's kernel and cuDNN, then PyTorch with any algorithm and with those that give the same bits."""
    columns = ["work", "million multiplications", "kernel us", "cuDNN us"] + ["PyTorch us", "deterministic"] * bool(torch["rows"])
    lines = ["| " + " | ".join(columns) + " |", "| --- |" + " ---: |" * (len(columns) - 1)]
    own = {r["name"]: r["microseconds"] for r in result["rows"]}
    peers = {r["name"]: r["microseconds"] for r in torch["rows"]}
    for work in dict.fromkeys(name.removeprefix("engine: ").rsplit(", ", 1)[0] for name in own):
        n, c, side, o, k = map(int, re.search(r"(\d+)x(\d+)x(\d+)x\d+, (\d+) filters of (\d+)x", work).groups())
        times = [own.get(f"engine: {work}, {way}") for way in ("kernel", "cuDNN")]
        if peers:
            times += [peers.get(work), peers.get(work + ", deterministic")]
        cells = [f"{n * o * (side - k + 1) ** 2 * c * k * k / 1e6:.1f}"] + [f"{t:.2f}" if t else "" for t in times]
        lines.append(f"| {work} | " + " | ".join(cells) + " |")
    return lines


def median(values):
    values = sorted(values)
    return values[len(values) // 2] if values else 0


def hooks_table(result):
    """Profiling off, in instructions under callgrind; then what a recorded node takes."""
    lines = ["| function | instructions a call | without hooks | more | ns a call | without hooks |", "| --- |" + " ---: |" * 5]
    for r in result["silent"]:
        more = 100 * (r["instructions"] / r["instructions_without_hooks"] - 1)
        lines.append(f"| {r['nodes']} node{'s' * (r['nodes'] > 1)} | {r['instructions']:.0f} | {r['instructions_without_hooks']:.0f} | "
                     f"{more:.2g} % | {r['ns']:.0f} | {r['ns_without_hooks']:.0f} |")
    r = result["recorded"]
    return lines + ["", f"With profiling on, a call of {r['nodes']} nodes takes {r['ns']:.0f} ns instead of {r['ns_not_recorded']:.0f}: "
                    f"{(r['ns'] - r['ns_not_recorded']) / r['nodes']:.0f} ns a node."]


def cupti_table(result):
    lines = ["| way | us a launch | of |", "| --- | ---: | --- |"]
    names = {"raw": "no tracing", "bare": "the bare probe", "engine": "profiling off"}
    for row in result["rows"]:
        share = f"{row['ratio']:.2f} of {names.get(row['against'], row['against'])}" if "ratio" in row else ""
        lines.append(f"| {row['name']} | {row['microseconds']:.2f} | {share} |")
    return lines


def ncu_table(result):
    """What ncu adds to all kernels, and the longest of them."""
    rows = [r for r in result["rows"] if r.get("ncu_ns") and not r.get("mixed")]
    added = sorted(r["ncu_ns"] - r["cupti_ns"] for r in rows)
    lines = [f"ncu's durations of {len(rows)} kernels are longer by {median(added):.0f} ns in the median, {added[0]:.0f} to "
             f"{added[-1]:.0f} ns, for kernels of {min(r['cupti_ns'] for r in rows) / 1e3:.1f} us and of "
             f"{max(r['cupti_ns'] for r in rows) / 1e3:.1f} us alike: they include the way to the kernel's first block.", "",
             "| exercise | kernel | launches | recorded ns | ncu ns |", "| --- | --- | ---: | ---: | ---: |"]
    for r in sorted(rows, key=lambda r: -r["cupti_ns"])[:12]:
        lines.append(f"| {r['exercise']} | {r['kernel'][:40]} | {r['launches']} | {r['cupti_ns']:.0f} | {r['ncu_ns']:.0f} |")
    return lines


def nanoseconds(row, *keys):
    for key in keys:
        row = row.get(key, {}) if isinstance(row, dict) else {}
    return f"{row:.0f}" if isinstance(row, (int, float)) else ""


def how_recordings_differ(result):
    """Why fewer recorded times agree than clocks do."""
    added = [r["in_place_difference_ns"] for r in result["rows"] if "in_place_difference_ns" in r]
    sums = [(r["recorded_ns"], r["in_place_ns"]) for r in result["together"] if "recorded_ns" in r]
    more = 100 * (sum(a for a, _ in sums) / sum(b for _, b in sums) - 1)
    return (f"A recorded kernel is longer than the same one in place by {median(added):.0f} ns in the median, and all calls' kernels in sum "
            f"by {more:.1f} %. The clock is the same, as the first two lines say; the surroundings are not: between a program's calls "
            "the GPU waits for the host, and in a loop it never does.")


def together_table(result):
    """A row for what each function runs on the GPU in one call."""
    if not result.get("together"):
        return []
    lines = ["| exercise | function | plan | works | recorded | in place | stamps' sum | gaps | events | difference | untraced |",
             "| --- | --- | ---: |" + " ---: |" * 8]
    for r in result["together"]:
        cells = [nanoseconds(r, k) for k in ("works", "recorded_ns", "in_place_ns", "running_ns", "gaps_ns", "period_ns", "clocks_ns",
                                             "untraced_period_ns")]
        lines.append(f"| {r['exercise']} | {r['function']} | {r['plan']} | " + " | ".join(cells) + " |")
    return lines + [""]


def times_table(result):
    """A row a kernel: as recorded, and what events say of the clock that recorded it."""
    lines = ["Nanoseconds, medians. Recorded: in a run of the solution. In place: CUPTI's stamps where all that a call of the function "
             "runs on the GPU is run again and again, in one graph; apart, where it was measured: the same with the host waiting for "
             "each call. Alone: the same kernel in a loop, by CUPTI's stamps; the gap to the next; events: the period of the very same loop by events around it, from which durations and gaps differ by the "
             "difference. Untraced: the events' period in a process without CUPTI.", ""]
    lines += [f"- {line}." for line in verdicts.summary(result)] + ["", how_recordings_differ(result), ""]
    reasons = sorted({r["why_no_loop"] for r in result["rows"] if "why_no_loop" in r})
    lines += [f"- ({number + 1}) no loop: {reason}." for number, reason in enumerate(reasons)] + ([""] if reasons else [])
    lines += together_table(result)
    apart = any("apart_ns" in r for r in result["rows"])
    lines += [f"| exercise | step | kernel | grid | launches | recorded | in place | {'apart | ' * apart}alone | gap | events | difference |",
              "| --- | --- | --- | --- |" + " ---: |" * (7 + apart)]
    for r in result["rows"]:
        why = f" ({reasons.index(r['why_no_loop']) + 1})" if "why_no_loop" in r else ""
        cells = [str(r["launches"]), nanoseconds(r, "cupti_ns"), nanoseconds(r, "in_place_ns"),
                 *([nanoseconds(r, "apart_ns")] if apart else []), nanoseconds(r, "traced_loop", "duration_ns") + why, nanoseconds(r, "traced_loop", "gap_ns"),
                 nanoseconds(r, "traced_loop", "period_ns"), nanoseconds(r, "clocks_ns")]
        grid = "x".join(map(str, r["grid"]))
        lines.append(f"| {r['exercise']} | {r['plan']}.{r['step']} | {r['kernel'][:24]} | {grid} | " + " | ".join(cells) + " |")
    return lines


def counters_table(result):
    kinds = ["global_requests", "sectors", "shared_requests", "bank_conflicts", "atomics", "barriers"]
    lines = ["Where two counts stand, the first is the simulator's.", "", "| program | kernel | " + " | ".join(kinds) + " |", "| --- | --- |" + " ---: |" * len(kinds)]
    for row in result["rows"]:
        cells = []
        for kind in kinds:
            own, theirs = row["counts"][kind]
            cells.append(f"{own:.0f}" if own == theirs else f"{own:.0f} / {theirs:.0f}")
        lines.append(f"| {row['program']} | {row['kernel']} | " + " | ".join(cells) + " |")
    return lines


def calibration_table(result):
    """Medians by kind and exercise; the file has every step."""
    groups = {}
    for work in result["works"]:
        groups.setdefault((work["exercise"], work["kind"]), []).append(work)
    lines = [f"{len(result['works'])} kernels and copies of the exercises' solutions: median error "
             f"{100 * result['median_error']:.0f} %; functions ranked the other way: {len(result['ranked_the_other_way'])}.", "",
             "| exercise | kind | steps | median modelled us | median measured us | median error |",
             "| --- | --- | ---: | ---: | ---: | ---: |"]
    for (exercise, kind), works in sorted(groups.items()):
        lines.append(f"| {exercise} | {kind} | {len(works)} | {median([w['modelled_us'] for w in works]):.2f} | "
                     f"{median([w['measured_us'] for w in works]):.2f} | {100 * median([w['error'] for w in works]):.0f} % |")
    return lines


def main():
    lines = ["# Measurements", "", "Made from `bench/results/` by `python3 bench/results/table.py`. Medians of interleaved rounds;",
             "figures of different tables are of different runs and are not compared.", ""]
    for name in ("vm_cpu2.json", "h100_host_cpu4.json", "h100_host_cpu16.json"):
        result = load(name)
        lines += [f"## On the CPU, {result['cores']} cores", "", head(result) + ".", ""] + cpu_table(result) + [""]
    result = load("h100_limits.json")
    lines += ["## On the GPU", "", head(result) + ".", ""] + gpu_table(result) + [""]
    peers = load("h100_gpu_peers.json")
    versions = ", ".join(f"{k} {v}" for k, v in peers["versions"].items())
    lines += ["Other libraries in the same minute on the same machine: " + versions + ".", ""] + peers_table(peers) + [""]
    for name in ("h100", "h200"):
        result = load(f"{name}_convolutions.json")
        torch = HERE / f"{name}_convolutions_torch.json"
        lines += [f"## Convolutions on the GPU, {name.upper()}", "", head(result) + ".", ""]
        lines += convolutions_table(result, load(torch.name) if torch.exists() else {"rows": []}) + [""]
    for title, name, table in (
        ("On the GPU, exp and the logistic step again", "h100_limits_steps.json", gpu_table),
        ("What hooks cost where nobody profiles, and a recorded node", "hook_cost.json", hooks_table),
        ("What recording costs a launch", "h100_cupti_cost.json", cupti_table),
        ("Recorded kernel times beside events", "h100_kernel_times.json", times_table),
        ("Recorded kernel times beside Nsight Compute's", "h100_kernel_times.json", ncu_table),
        ("The simulator's counts beside Nsight Compute's", "h100_counters.json", counters_table),
        ("The simulated H100 beside a real one", "h100_calibration.json", calibration_table),
    ):
        result = load(name)
        lines += [f"## {title}", "", head(result) + ".", ""] + table(result) + [""]
    PAGE.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
