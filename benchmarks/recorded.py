"""For results that benchmarks keep in CSV files: their commit, their rows, and means over the rows."""
import contextlib
import csv
import math
import os
import statistics
import subprocess

from harness import ROOT


def commit():
    """The present commit; empty if the sources are not a clone, such as those of an archive."""
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True,
                          text=True).stdout.strip()


def read(path):
    """Returns the rows of a file; none if there is no file yet."""
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


@contextlib.contextmanager
def writer(path, columns):
    """Adds rows to a file, which gets a header if it is new: call what it yields with rows that are complete."""
    begun = not os.path.exists(path)
    with open(path, "a", newline="") as file:
        rows = csv.DictWriter(file, columns, lineterminator="\n", extrasaction="ignore")
        if begun:
            rows.writeheader()

        def write(new):
            rows.writerows(new)
            file.flush()

        yield write


def mean_and_half_width(values):
    """Returns the mean, and half the width of its 95 % interval (normal approximation)."""
    if len(values) < 2:
        return statistics.fmean(values), math.nan
    return statistics.fmean(values), 1.96 * statistics.stdev(values) / math.sqrt(len(values))
