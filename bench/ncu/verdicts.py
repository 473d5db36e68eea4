"""What kernels' times are held against, and how near they must be: arithmetic on rows, without programs or a GPU.

A row is a kernel of a step of a plan, as recorded; `together` is what runs on the GPU one after another in one call of a function,
which the engine submits as one graph. Times are in nanoseconds.
"""
import collections
import statistics

import ncu

LEAST_REGISTERS = 16  # CUPTI tells what a kernel is given, the driver what it needs: a kernel of 12 is given 16


def identity(kernel, grid, block, registers):
    """What tells a kernel of a step: CUPTI's and the driver's words for it made alike."""
    return ncu.base_name(kernel), tuple(grid), tuple(block), max(LEAST_REGISTERS, registers)


def find(known, key):
    """The entry of (plan, step, kernel); registers need not agree where nothing else can be meant."""
    if key in known:
        return known[key]
    plan, step, kernel = key
    alike = [entry for (p, s, k), entry in known.items() if (p, s) == (plan, step) and k[:3] == kernel[:3]]
    return alike[0] if len(alike) == 1 else None


def near(one, other):
    """Within 2 % or 64 ns: two ticks of the GPU's clock."""
    return abs(one - other) <= max(64, 0.02 * other)


def by_kernel(rows):
    return {(row["plan"], row["step"], identity(row["kernel"], row["grid"], row["block"], row["registers"])): row for row in rows}


def why_not(key, loops):
    """Why no loop over a recorded kernel was timed."""
    plan, step, _ = key
    if plan is None:
        return "belongs to no step"
    others = sorted({kernel[0] for p, s, kernel in loops if (p, s) == (plan, step)})
    return f"its step launched {', '.join(others)} when it was caught" if others else "its step was not caught"


def rows_of(exercise, recorded, plain, traced):
    """The recording's kernels, the longest in all first, each with the loops over it where there are some. `recorded` are lists of
    times by (plan, step, kernel), `plain` and `traced` what bench/kernel_loops wrote without and with CUPTI."""
    loops, traced_loops = by_kernel(plain["rows"]), by_kernel(traced["rows"])
    places, apart = collections.defaultdict(list), collections.defaultdict(list)
    for whole in traced["together"]:
        for work in whole.get("works", []):
            key = (whole["plan"], work["step"], identity(work["kernel"], work["grid"], work["block"], work["registers"]))
            places[key].append(work["duration_ns"])
            if work.get("apart_ns"):
                apart[key].append(work["apart_ns"])
    rows = []
    for key, times in sorted(recorded.items(), key=lambda item: -sum(item[1])):
        plan, step, (name, grid, block, registers) = key
        row = {"exercise": exercise[:2], "plan": plan, "step": step, "kernel": name, "grid": grid, "block": block,
               "registers": registers, "launches": len(times), "cupti_ns": statistics.median(times), "cupti_least_ns": min(times)}
        rows.append(row)
        one, other, in_place, alone = find(loops, key), find(traced_loops, key), find(places, key), find(apart, key)
        if one and other:
            row["function"], row["step_name"], row["restored"] = one["function"], one["step_name"], one["restored"]
            row["loop"], row["traced_loop"] = one["loop"], other["loop"]
        else:
            row["why_no_loop"] = why_not(key, loops)
        if in_place:
            row["in_place_ns"] = statistics.median(in_place)
        if alone:
            row["apart_ns"] = statistics.median(alone)
    return rows


def together_of(exercise, rows, plain, traced):
    """What runs together, with the sums of the recorded medians of its kernels where all of them were recorded."""
    recorded = by_kernel(row for row in rows if row["plan"] is not None)
    wholes = []
    for one, other in zip(plain["together"], traced["together"]):
        whole = {"exercise": exercise[:2], "function": one["function"], "plan": one["plan"], "steps": one["steps"],
                 "restored": one["restored"] and other["restored"], "untraced_period_ns": one["period_ns"],
                 "period_ns": other["period_ns"]}
        wholes.append(whole)
        if "works" not in other:
            continue
        works = other["works"]
        own = [find(recorded, (other["plan"], w["step"], identity(w["kernel"], w["grid"], w["block"], w["registers"]))) for w in works]
        whole |= {"works": len(works), "running_ns": other["running_ns"], "gaps_ns": other["gaps_ns"],
                  "in_place_ns": sum(w["duration_ns"] for w in works)}
        if all(own):
            whole["launches"] = min(row["launches"] for row in own)
            whole["recorded_ns"] = sum(row["cupti_ns"] for row in own)
    return wholes


def judge(rows, together):
    """Adds differences, and whether they are small enough."""
    for row in rows:
        stamps = row.get("traced_loop", {})
        if "duration_ns" in stamps:
            row["clocks_ns"] = stamps["mean_duration_ns"] + stamps["gap_ns"] - stamps["period_ns"]
            row["clocks_within"] = near(stamps["mean_duration_ns"] + stamps["gap_ns"], stamps["period_ns"])
        elif stamps:
            row["why_no_loop"] = "CUPTI gave no stamps of its loop"
        if "in_place_ns" in row:
            row["in_place_difference_ns"] = row["cupti_ns"] - row["in_place_ns"]
            row["in_place_within"] = near(row["cupti_ns"], row["in_place_ns"])
        if "apart_ns" in row:
            row["apart_within"] = near(row["cupti_ns"], row["apart_ns"])
    for whole in together:
        if "running_ns" in whole:
            whole["clocks_ns"] = whole["running_ns"] + whole["gaps_ns"] - whole["period_ns"]
            whole["clocks_within"] = near(whole["running_ns"] + whole["gaps_ns"], whole["period_ns"])
        if "recorded_ns" in whole:
            whole["recorded_difference_ns"] = whole["recorded_ns"] - whole["in_place_ns"]
            whole["recorded_within"] = near(whole["recorded_ns"], whole["in_place_ns"])


def judge_ncu(rows, theirs):
    """Adds ncu's times to the rows of an exercise where it can tell their kernels: `theirs` are lists by kernel."""
    alike = collections.defaultdict(list)
    for row in rows:
        alike[identity(row["kernel"], row["grid"], row["block"], row["registers"])].append(row)
    known = {(None, None, identity(*kernel)): times for kernel, times in theirs.items()}
    for kernel, group in alike.items():
        times = find(known, (None, None, kernel))
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


COMPARED = (
    ("rows", "clocks_within", "CUPTI's stamps of loops over one kernel, durations and gaps, and events around the same loops"),
    ("together", "clocks_within", "the same for all that a call runs on the GPU"),
    ("rows", "in_place_within", "a kernel as recorded, and its stamps where a call's work is run again and again"),
    ("rows", "apart_within", "the same where the host waits for each call"),
    ("together", "recorded_within", "a call's kernels in sum, likewise"),
    ("rows", "ncu_within", "a kernel as recorded, and Nsight Compute's duration less what it adds to all"),
)


def summary(result):
    """A sentence for each comparison of a result with `rows` and `together`."""
    lines = []
    for where, key, what in COMPARED:
        rows = result.get(where, [])
        judged = [row[key] for row in rows if key in row]
        if judged:
            left_out = f"; {len(rows) - len(judged)} not compared" if len(rows) > len(judged) else ""
            lines.append(f"{what}: {sum(judged)} of {len(judged)} within 2 % or 64 ns{left_out}")
    return lines
