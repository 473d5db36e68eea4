#!/usr/bin/env python3
"""Writes docs/reference/measurements.md from the result files beside this script: python3 bench/results/table.py"""
import json
import pathlib

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "reference" / "measurements.md"


def load(name):
    return json.loads((HERE / name).read_text())


def head(result):
    keys = [k for k in ("date", "device", "processor", "cores", "driver", "nvrtc", "command", "rounds") if k in result]
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


def main():
    lines = ["# Measurements", "", "Made from `bench/results/` by `python3 bench/results/table.py`. Medians of interleaved rounds;",
             "figures of different tables are of different runs and are not compared.", ""]
    for name in ("h100_host_cpu4.json", "h100_host_cpu16.json"):
        result = load(name)
        lines += [f"## On the CPU, {result['cores']} cores", "", head(result) + ".", ""] + cpu_table(result) + [""]
    result = load("h100_limits.json")
    lines += ["## On the GPU", "", head(result) + ".", ""] + gpu_table(result) + [""]
    peers = load("h100_gpu_peers.json")
    versions = ", ".join(f"{k} {v}" for k, v in peers["versions"].items())
    lines += ["Other libraries half a minute later on the same machine: " + versions + ".", ""] + peers_table(peers) + [""]
    PAGE.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
