"""Slots of equal speed on a machine with fewer cores than slots, for benchmarks whose result hangs on parallel slots.

The kernel holds each slot to its share of a core (the quota of a control group), so a slot that works never takes time
from another, and one that idles gives none away. Needs root, and control groups of either version.
"""
import itertools
import os

ROOT = "/sys/fs/cgroup"
QUOTA = 1000  # microseconds in a period, the least that Linux takes: periods are short beside a step
IS_V1 = os.path.isdir(f"{ROOT}/cpu")


class Slot:
    """Processes put into it have `share` of a core together, before all that are in none."""
    numbers = itertools.count()

    def __init__(self, share):
        name = f"crescendo-{os.getpid()}-{next(self.numbers)}"
        self.path = f"{ROOT}/cpu/{name}" if IS_V1 else f"{ROOT}/{name}"
        try:
            if not IS_V1:
                self._write(f"{ROOT}/cgroup.subtree_control", "+cpu")
            os.makedirs(self.path, exist_ok=True)
            if IS_V1:
                self._set("cpu.cfs_period_us", round(QUOTA / share))
                self._set("cpu.cfs_quota_us", QUOTA)
                self._set("cpu.shares", 10240)
            else:
                self._set("cpu.max", f"{QUOTA} {round(QUOTA / share)}")
                self._set("cpu.weight", 1000)
        except OSError as error:
            raise SystemExit(f"{error}: slots of equal speed need root and control groups of the cpu controller")

    def add(self, process):
        self._set("cgroup.procs", process)

    def remove(self):
        """Once its processes have ended."""
        os.rmdir(self.path)

    def _set(self, name, value):
        self._write(os.path.join(self.path, name), value)

    @staticmethod
    def _write(path, value):
        with open(path, "w") as file:
            file.write(str(value))
