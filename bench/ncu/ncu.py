"""What both scripts need: the programs, Nsight Compute's command line, its CSV, and tables."""
import csv
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("HYPATIA_BUILD", ROOT / "build" / "default"))


class Failed(Exception):
    """A program or ncu did not do its work; the text says why."""


def stop(message):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {message}")


def program(name):
    """A built program of the checkout."""
    path = BUILD / "bin" / name
    if not path.exists():
        stop(f"{path} is not there; build it with ninja -C {BUILD} {name}")
    return str(path)


def find_ncu():
    """The path of ncu: on PATH, or where toolkits put it."""
    places = [shutil.which("ncu")]
    for root in [os.environ.get("CUDA_HOME"), "/usr/local/cuda", *sorted(map(str, pathlib.Path("/opt/nvidia").glob("nsight-compute/*")), reverse=True)]:
        if root:
            places += [f"{root}/bin/ncu", f"{root}/ncu"]
    for place in places:
        if place and os.access(place, os.X_OK):
            return place
    stop("ncu was not found: install the toolkit's nsight-compute, or put it on PATH")


def run(words, flags="", environment=None, seconds=120):
    """Runs a program with HYPATIA_FLAGS and returns its process; Failed if it takes longer."""
    own = dict(os.environ, HYPATIA_FLAGS=flags, **(environment or {}))
    try:
        return subprocess.run(words, env=own, capture_output=True, text=True, timeout=seconds, errors="replace")
    except subprocess.TimeoutExpired:
        raise Failed(f"{' '.join(words)} took more than {seconds} s") from None


def run_well(words, flags="", environment=None):
    """The same; Failed also where it ends with an error."""
    done = run(words, flags, environment)
    if done.returncode != 0:
        raise Failed(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def base_name(name):
    """"void ns::kernel<float, 4>(float*)" is "kernel", as ncu prints it with --print-kernel-base function."""
    head = re.split(r"[<(]", name.replace("(anonymous namespace)", ""))[0].strip()
    return head.split(" ")[-1].split("::")[-1]


def triple(text):
    """"(16, 1, 1)" and "[16,1,1]" alike."""
    return tuple(int(n) for n in re.findall(r"\d+", str(text).replace(",", " ")))


def number(text):
    """ncu groups thousands, and writes nan or nothing where a metric is not known."""
    try:
        return float(str(text).replace(",", "").split(" ")[0])
    except ValueError:
        return None


SCALES = {"ns": 1, "nsecond": 1, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "s": 1e9, "second": 1e9}


def parse(text, metrics):
    """The launches in ncu's CSV, wide (--page raw) or a line a metric: dicts of kernel, grid, block and the metrics."""
    start = text.find('"ID"')
    if start < 0:
        return []
    rows = list(csv.reader(text[start:].splitlines()))
    head, launches, units = rows[0], {}, {}
    at = {name: i for i, name in enumerate(head)}
    for row in rows[1:]:
        if len(row) != len(head):
            continue
        if not row[at["ID"]].strip():  # the wide form's line of units
            units = {name: row[i] for name, i in at.items()}
            continue
        launch = launches.setdefault(
            row[at["ID"]],
            {"kernel": base_name(row[at["Kernel Name"]]), "grid": triple(row[at["Grid Size"]]),
             "block": triple(row[at["Block Size"]])})
        if "Metric Name" in at:
            found = [(row[at["Metric Name"]], row[at["Metric Value"]], row[at["Metric Unit"]])]
        else:
            found = [(m, row[at[m]], units.get(m, "")) for m in metrics if m in at]
        for name, value, unit in found:
            launch[name] = number(value)
            launch[name + " text"] = value
            if launch[name] is not None and name.startswith("gpu__time"):
                launch[name] *= SCALES.get(unit, 1)
    return list(launches.values())


def profile(words, metrics, flags, options=(), environment=None):
    """The launches of a program under ncu, each with its metrics; clocks and caches as they are without it."""
    log = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"hypatia-ncu-{os.getpid()}.csv"
    line = [find_ncu(), "--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "function",
            "--clock-control", "none", "--cache-control", "none", "--log-file", str(log), "-f",
            "--metrics", ",".join(metrics), *options, *words]
    done = run(line, flags, environment)
    text = log.read_text(errors="replace") if log.exists() else ""
    log.unlink(missing_ok=True)
    launches = parse(text, metrics)
    if not launches:
        raise Failed(f"{' '.join(line)}\nmeasured nothing and ended with {done.returncode}:\n{text[-2000:]}{done.stdout[-1000:]}{done.stderr[-1000:]}")
    return launches


def said_by(words):
    """What a tool prints; nothing where there is no such tool."""
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=120, errors="replace").stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def known_metrics(chip="gh100"):
    """Names of the chip's metrics without their suffixes; empty if ncu does not tell."""
    return set(re.findall(r"^(\w+__\w+)", said_by([find_ncu(), "--query-metrics", "--chips", chip]), re.MULTILINE))


def head(suite):
    """Date, device and versions, for a result's file."""
    gpu = said_by(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).strip().splitlines()
    version = said_by([find_ncu(), "--version"]).strip().splitlines()
    device, driver = (gpu[0].split(", ") if gpu else ["unknown", "unknown"])
    return {"suite": suite, "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "device": device, "driver": driver, "ncu": version[-1] if version else ""}


def table(rows):
    """Columns as wide as their longest cell; the first two to the left."""
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [f"{c!s:<{w}}" if i < 2 else f"{c!s:>{w}}" for i, (c, w) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def write(result, text, path):
    """The table to standard output; with a path, PATH.json and PATH.txt."""
    print(text, end="")
    if not path:
        return
    base = pathlib.Path(path).with_suffix("")
    base.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
    base.with_suffix(".txt").write_text(text)
