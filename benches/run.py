#!/usr/bin/env python3
"""Times whole builds of generated platforms, and the peer that writes the same objects, in one run.

    cargo build --release && python3 benches/run.py [WORKLOADS ...]

Prints for each size: wall and CPU seconds, peak memory, objects a second, MB/s of input, files written again by a
second build, and the ratio to the peer; then the growth of CPU from size to size. Medians of five runs (three above
10,000 workloads). Needs jinja2 for the peer; without it the ratio is left out.
"""
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
AIPC = os.environ.get("AIPC", os.path.join(HERE, "..", "target", "release", "aipc"))


def measure(command, runs):
    """Wall seconds, CPU seconds and peak MiB of a command, as medians."""
    walls, cpus, peaks = [], [], []
    for _ in range(runs):
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        walls.append(time.perf_counter() - start)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{command} ended with {child.returncode}")
        cpus.append(usage.ru_utime + usage.ru_stime)
        peaks.append(usage.ru_maxrss / 1024)
    return statistics.median(walls), statistics.median(cpus), statistics.median(peaks)


def size_of(folder):
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)


def objects_in(folder):
    count = 0
    for path, _, names in os.walk(os.path.join(folder, "kubernetes")):
        for name in names:
            with open(os.path.join(path, name), encoding="utf-8") as file:
                count += sum(line == "---\n" for line in file)
    return count


def one(workloads, root):
    package, data = os.path.join(root, str(workloads)), os.path.join(root, f"{workloads}.json")
    out, peer, template = (os.path.join(root, f"{workloads}-{name}") for name in ("out", "peer", "template"))
    os.makedirs(package)
    source = os.path.join(package, "main.aip")
    with open(source, "w", encoding="utf-8") as file:
        subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), str(workloads), "--json", data], stdout=file, check=True)
    runs = 3 if workloads >= 10000 else 5
    build = [AIPC, "build", package, "--out", out]
    clean = ["sh", "-c", 'rm -rf "$1"; shift; exec "$@"', "sh", out, *build]
    wall, cpu, peak = measure(clean, runs)
    check_wall, check_cpu, check_peak = measure([AIPC, "check", package], runs)
    again = subprocess.run(build, capture_output=True, text=True, check=True).stderr.strip().splitlines()[-1]
    read, wrote = os.path.getsize(source), size_of(out)
    print(f"{workloads} workloads: {read / 1e6:.2f} MB in, {wrote / 1e6:.1f} MB out, {objects_in(out)} Kubernetes objects")
    print(f"  build   wall {wall:.3f} s  CPU {cpu:.3f} s  peak {peak:.1f} MiB = {peak * 2**20 / (read + wrote):.2f} of in + out")
    print(f"  check   wall {check_wall:.3f} s  CPU {check_cpu:.3f} s  peak {check_peak:.1f} MiB  {read / 1e6 / check_wall:.1f} MB/s")
    print(f"  objects {objects_in(out) / wall:,.0f} a second; again: {again.split(': ', 1)[-1]}")
    try:
        import jinja2  # noqa: F401
    except ImportError:
        print("  peer    skipped, jinja2 is missing")
    else:
        script = os.path.join(HERE, "peer.py")
        subprocess.run([sys.executable, script, "prepare", out, template], check=True)
        peer_wall, peer_cpu, peer_peak = measure([sys.executable, script, "run", data, template, peer], runs)
        print(f"  peer    wall {peer_wall:.3f} s  CPU {peer_cpu:.3f} s  peak {peer_peak:.1f} MiB; build / peer CPU {cpu / peer_cpu:.2f}, wall {wall / peer_wall:.2f}")
    for folder in (out, peer):
        shutil.rmtree(folder, ignore_errors=True)
    return cpu


def main():
    sizes = [int(word) for word in sys.argv[1:]] or [10, 1000, 20000]
    start, _, floor = measure([AIPC, "--version"], 15)
    print(f"start of the program: {start * 1000:.1f} ms, {floor:.1f} MiB")
    with tempfile.TemporaryDirectory() as root:
        cpus = [one(size, root) for size in sizes]
    for (small, a), (large, b) in zip(zip(sizes, cpus), list(zip(sizes, cpus))[1:]):
        print(f"growth {small} to {large}: exponent {math.log(b / a) / math.log(large / small):.2f}")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
