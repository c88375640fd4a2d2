"""Measures what one coordinator can handle: reports per second, answer times, memory, and the cost of idle ranks.

    python3 benchmarks/control_plane/measure.py [FOLDER]

Sweeps are written to FOLDER (build), whose file system determines the cost of the journal's fdatasync. Emulated agents
(control_plane.cpp) make the load; real MPI ranks show the cost of waiting.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import BIN, ROOT  # noqa: E402

BIN, ROOT = Path(BIN), Path(ROOT)
RANKS = (4, 16)
MPI = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

# Each rank's program sleeps for a minute, so all that crescendo uses is the cost of waiting.
IDLE = """
name: idle
metric: {name: loss}
run_cap: 1000
slots: 1
parameters: {x: {min: 0.0, max: 1.0}}
scheduler: {type: fifo, max: 2}
command: [sleep, "60"]
"""


def emulate(folder, name, **settings):
    """Runs control_plane once and returns its figures. The sweep stays in folder/name."""
    words = [f"{key}={value}" for key, value in settings.items()]
    run = subprocess.run([BIN / "control_plane", folder / name, *words], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def decisions_per_second():
    """Measures the scheduler alone, RASDA with 100,000 trials, to show how fast this machine is right now."""
    table = subprocess.run([BIN / "decisions", "--most", "100000"], check=True, capture_output=True, text=True).stdout
    return next(float(line.split()[2]) for line in table.splitlines() if line.split()[:2] == ["rasda", "100000"])


def sync_seconds(folder):
    """Measures fdatasync alone, after 64 lines of a journal."""
    times = []
    with open(folder / "sync", "ab", buffering=0) as file:
        for _ in range(200):
            file.write(b"x" * 64 * 250)
            begin = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - begin)
    return statistics.median(times), sorted(times)[int(0.99 * len(times))]


def read(command, directory):
    """Returns seconds and peak MB of a command that reads a sweep."""
    begin = time.perf_counter()
    process = subprocess.Popen([BIN / "crescendo", command, directory], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ranks_of(directory):
    """Returns the processes of `crescendo run` on that directory."""
    words = [b"run", os.fsencode(directory)]
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if line[0].endswith(b"/crescendo") and all(word in line for word in words):
            found.append(int(path.parent.name))
    return found


def idle_cores(folder, ranks, seconds=15):
    """Returns the share of a core that a rank uses while all programs sleep: mean and maximum."""
    (folder / "idle.yaml").write_text(IDLE)
    directory = folder / f"idle{ranks}"
    job = subprocess.Popen(["mpirun", "--oversubscribe", "-n", str(ranks), BIN / "crescendo", "run",
                            folder / "idle.yaml", "--dir", directory], env=MPI, stdout=subprocess.DEVNULL)
    time.sleep(3 + 0.1 * ranks)
    pids = ranks_of(directory)
    assert len(pids) == ranks, pids
    before = [cpu_seconds(pid) for pid in pids]
    time.sleep(seconds)
    shares = [(cpu_seconds(pid) - used) / seconds for pid, used in zip(pids, before)]
    subprocess.run([BIN / "crescendo", "stop", directory], check=True, stdout=subprocess.DEVNULL)
    job.wait()
    return statistics.mean(shares), max(shares)


def main():
    base = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build")
    with tempfile.TemporaryDirectory(dir=base) as name:
        folder = Path(name)
        median, p99 = sync_seconds(folder)
        print(f"fdatasync of 64 lines alone: median {median * 1e3:.2f} ms, p99 {p99 * 1e3:.2f} ms")
        runs, decisions = [], []
        for i in range(3):
            runs.append(emulate(folder, f"saturated{i}", reports=500_000))
            decisions.append(decisions_per_second())
        rates = [run["reports_per_second"] for run in runs]
        print(f"at full speed: {statistics.median(rates):,.0f} reports/s ({min(rates):,.0f} to {max(rates):,.0f}), "
              f"{runs[0]['cpu_us_per_report']:.1f} us of CPU, {runs[0]['journal_bytes_per_report']:.0f} bytes a report")
        ratio = statistics.median(alone / rate for alone, rate in zip(decisions, rates))
        print(f"the decisions alone: {statistics.median(decisions):,.0f} reports/s, {ratio:.1f} times as many")
        for rate in (1_000, 10_000):
            run = emulate(folder, f"offered{rate}", rate=rate, reports=10 * rate)
            print(f"{rate:,} reports/s offered: waits of {run['median_ms']:.2f} ms (median), {run['p99_ms']:.2f} ms (p99), "
                  f"{run['longest_ms']:.1f} ms (longest); {run['reports'] / run['turns']:.1f} reports per turn")
        many = emulate(folder, "many", min=1, reports=430_000)
        print(f"first rung at one report: {many['reports_per_second']:,.0f} reports/s, {many['trials']:,} trials begun")
        long = emulate(folder, "long", reports=1_000_000)
        print(f"memory after {long['reports']:,} reports of {long['trials']:,} trials: {long['resident_mb']:.0f} MB; "
              f"after {many['reports']:,} of {many['trials']:,}: {many['resident_mb']:.0f} MB")
        for what, directory in (("long", long), ("many", many)):
            for command in ("status", "trials"):
                seconds, megabytes = read(command, folder / what)
                print(f"crescendo {command}, {directory['reports']:,} reports of {directory['trials']:,} trials: "
                      f"{seconds:.2f} s, {megabytes:.0f} MB")
        for ranks in RANKS:
            mean, most = idle_cores(folder, ranks)
            print(f"{ranks} MPI ranks whose programs sleep: {100 * mean:.2f} % of a core each, at most {100 * most:.2f} %")


if __name__ == "__main__":
    main()
