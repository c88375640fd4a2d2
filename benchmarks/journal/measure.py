"""Measures what the journal costs: time and bytes of a trial's start, and the time to read them back.

    python3 benchmarks/journal/measure.py [BIN [OTHER_BIN]]

BIN (build/default/bin) is a folder with both programs. OTHER_BIN, from another commit, is measured in turn with it, and
each reads only its own sweeps. Prints medians of 5 turns, and of the ratios of the turns. The sweeps are in memory
(/dev/shm), because waits for a disk would hide what the programs do.
"""
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import BIN, QUICK  # noqa: E402

TURNS, TRIALS = (1, 100) if QUICK else (5, 10_000)


def write(binaries, folder, reports):
    command = [binaries / "journal", folder, f"reports={reports}", f"trials={TRIALS}"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def seconds_of(*command):
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def turn(binaries, folder, reports):
    """Returns the figures of one sweep of 10,000 trials with 10 parameters."""
    figures = write(binaries, folder, reports)
    figures["status_s"] = seconds_of(binaries / "crescendo", "status", folder)
    return figures


def main():
    sides = [Path(path) for path in sys.argv[1:]] or [Path(BIN)]
    for reports in (1, 3, 9):
        turns = []
        for number in range(TURNS):
            with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
                order = range(len(sides)) if number % 2 == 0 else reversed(range(len(sides)))
                by_side = {side: turn(sides[side], Path(name) / str(side), reports) for side in order}
                turns.append(by_side)
        for what in turns[0][0]:
            line = f"{reports:2} reports per trial, {what}:"
            for side in range(len(sides)):
                line += f" {statistics.median(each[side][what] for each in turns):.4g}"
            if len(sides) > 1:
                line += f", ratio {statistics.median(each[0][what] / each[1][what] for each in turns):.3f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
