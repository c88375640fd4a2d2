"""Results that benchmarks keep as CSV files: the commit they are of, their rows, and means over these."""
import csv
import math
import os
import statistics
import subprocess

from harness import ROOT


def commit():
    """Empty where the sources are no clone, as those of an archive."""
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True,
                          text=True).stdout.strip()


def read(path):
    """The rows of a file; none if there is no file yet."""
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def mean_and_half_width(values):
    """Mean, and half the width of its 95 % interval (normal approximation)."""
    if len(values) < 2:
        return statistics.fmean(values), math.nan
    return statistics.fmean(values), 1.96 * statistics.stdev(values) / math.sqrt(len(values))
