"""Slow cores of equal speed, more than the machine has cores, for benchmarks whose result depends on parallel slots.

Each core of the machine is divided into equally many slots. Half of a slot's time goes to a process that only counts,
and the other half to the slot's own processes. So a working slot never takes time from another, and a waiting one gives
none away: its counting process takes it. A process with real-time priority interrupts each core 10,000 times a second,
and the kernel then chooses again what runs. So a woken process waits about 0.3 ms. With the quota of a control group,
which is at least a millisecond per period, a twentieth of a core would wait up to 20 ms: too long for workers that wait
for each other many times per step.

Needs root, and control groups of either version.
"""
import itertools
import os
import subprocess
import sys
import time

ROOT = "/sys/fs/cgroup"
IS_V1 = os.path.isdir(f"{ROOT}/cpu")
TICK = 1e-4  # seconds


def share(count):
    """Share of a core that each of this many slots has."""
    return 1 / (2 * -(-count // len(os.sched_getaffinity(0))))


class SlowCores:
    """Makes slots for the body of `with SlowCores(8) as slots`. All processes in them must have ended when the body
    ends."""

    def __init__(self, count):
        self.count = count
        self.slots, self.helpers = [], []

    def __enter__(self):
        cores = sorted(os.sched_getaffinity(0))
        rounded = self.count + -self.count % len(cores)  # so that each core has the same number
        try:
            for number in range(rounded):
                slot = Slot(cores[number % len(cores)])
                self.slots.append(slot)
                slot.make()
                self.helpers.append(helper("count", slot.core))
                write(f"{slot.path}/hog/cgroup.procs", self.helpers[-1].pid)
            for core in cores:
                self.helpers.append(helper("tick", core))
            time.sleep(0.2)
            if any(process.poll() is not None for process in self.helpers):
                raise SystemExit("slow cores need root, and real-time priority (SCHED_FIFO)")
        except OSError as error:
            self.__exit__()
            raise SystemExit(f"{error}: slow cores need root and control groups of the cpu controller")
        return self.slots[:self.count]

    def __exit__(self, *_):
        for process in self.helpers:
            process.kill()
            process.wait()
        for slot in self.slots:
            slot.remove()


class Slot:
    numbers = itertools.count()

    def __init__(self, core):
        self.core = core
        name = f"crescendo-{os.getpid()}-{next(self.numbers)}"
        self.path = f"{ROOT}/cpu/{name}" if IS_V1 else f"{ROOT}/{name}"
        self.processes = f"{self.path}/work/cgroup.procs"  # processes put in here must also run on `core`

    def make(self):
        for path in [self.path, f"{self.path}/hog", f"{self.path}/work"]:
            if not IS_V1:
                write(f"{os.path.dirname(path)}/cgroup.subtree_control", "+cpu")
            os.mkdir(path)

    def add(self, process):
        """Puts a running process into the slot, with all its threads."""
        write(self.processes, process)
        for thread in os.listdir(f"/proc/{process}/task"):
            os.sched_setaffinity(int(thread), {self.core})

    def remove(self):
        for path in [f"{self.path}/hog", f"{self.path}/work", self.path]:
            if os.path.isdir(path):
                remove(path)


def remove(path):
    """Retries, because a control group is busy for a moment after its last process has ended."""
    for _ in range(100):
        try:
            return os.rmdir(path)
        except OSError:
            time.sleep(0.02)
    return os.rmdir(path)


def write(path, value):
    with open(path, "w") as file:
        file.write(str(value))


def helper(kind, core):
    return subprocess.Popen([sys.executable, os.path.abspath(__file__), kind, str(core), str(os.getpid())])


def main():
    kind, core, parent = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.sched_setaffinity(0, {core})
    if kind == "tick":
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    while os.getppid() == parent:
        if kind == "tick":
            time.sleep(TICK)
        else:
            for _ in range(100000):
                pass


if __name__ == "__main__":
    main()
