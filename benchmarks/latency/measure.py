"""Measures how long a trainer waits for the decision about its report, and crescendo's own cost while trials train.

    python benchmarks/latency/measure.py [RANKS]
    python benchmarks/latency/measure.py 4 mpiexec.hydra build/mpich/bin/crescendo

Runs a real sweep of a program that only reports, with pauses in place of epochs, on two slots of each of RANKS MPI
ranks. Without RANKS, it runs on one node without MPI. The default launcher is Open MPI's mpirun.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import CRESCENDO, QUICK  # noqa: E402

REPORTS, PAUSE = (3, 0.05) if QUICK else (60, 0.25)

TRAINER = f"""
import json, os, socket, time
channel = socket.socket(fileno=int(os.environ["CRESCENDO_FD"])).makefile("rw")
waits = []
for resource in range(1, {REPORTS} + 1):
    time.sleep({PAUSE})
    begin = time.perf_counter()
    channel.write(json.dumps({{"resource": resource, "metrics": {{"loss": 1.0 / resource}}}}) + "\\n")
    channel.flush()
    decision = json.loads(channel.readline())["decision"]
    waits.append(time.perf_counter() - begin)
    if decision == "stop":
        break
json.dump(waits, open(os.path.join(os.environ["CRESCENDO_TRIAL_DIR"], "waits.json"), "w"))
"""

RANKS = int(sys.argv[1]) if len(sys.argv) > 1 else 1
LAUNCHER = sys.argv[2].split() if len(sys.argv) > 2 else ["mpirun", "--oversubscribe"]
BINARY = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else CRESCENDO

SWEEP = f"""
name: latency
metric: {{name: loss}}
run_cap: {4 * RANKS}
slots: 2
parameters: {{x: {{min: 0.0, max: 1.0}}}}
scheduler: {{type: fifo, max: {REPORTS}}}
command: [{sys.executable}, trainer.py]
"""


def start(folder):
    command = [BINARY, "run", "sweep.yaml"]
    if RANKS > 1:
        command = [*LAUNCHER, "-n", str(RANKS), *command]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)


def processes_of(pid):
    """Returns crescendo's processes: the job itself, or the ranks that a launcher or its helper has started."""
    if open(f"/proc/{pid}/comm").read() == "crescendo\n":
        return [pid]
    children = open(f"/proc/{pid}/task/{pid}/children").read().split()
    return [process for child in children for process in processes_of(int(child))]


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def sync_seconds(folder):
    """Measures the disk alone, for one line of the journal: crescendo answers only once it is on disk."""
    file = os.open(os.path.join(folder, "line"), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    times = []
    for _ in range(50):
        time.sleep(PAUSE / 5)
        os.write(file, b"x" * 200)
        begin = time.perf_counter()
        os.fdatasync(file)
        times.append(time.perf_counter() - begin)
    os.close(file)
    return statistics.median(times)


def main():
    with tempfile.TemporaryDirectory(dir=".") as folder:
        open(os.path.join(folder, "trainer.py"), "w").write(TRAINER)
        open(os.path.join(folder, "sweep.yaml"), "w").write(SWEEP)
        sync = sync_seconds(folder)
        begin = time.perf_counter()
        process = start(folder)
        cpu = 0.0
        while process.poll() is None:
            try:
                cpu = max(cpu, sum(map(cpu_seconds, processes_of(process.pid))))
            except (OSError, IndexError):  # the process has just ended
                pass
            time.sleep(0.05)
        seconds = time.perf_counter() - begin
        waits = []
        for trial in os.listdir(os.path.join(folder, "latency/trials")):
            waits += json.load(open(os.path.join(folder, "latency/trials", trial, "waits.json")))
    waits.sort()
    print(f"report to decision, {len(waits)} reports: median {statistics.median(waits) * 1e3:.2f} ms, "
          f"p99 {waits[int(0.99 * len(waits))] * 1e3:.2f} ms")
    print(f"of which the disk's fdatasync, measured alone: median {sync * 1e3:.2f} ms")
    print(f"crescendo's own CPU time: {100 * cpu / seconds / RANKS:.2f} % of a core per rank "
          f"at {len(waits) / seconds:.0f} reports/s")


if __name__ == "__main__":
    main()
