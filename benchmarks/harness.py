"""What benchmarks have in common: the programs, and trainers alone, whose crescendo is python/crescendo/fake.py.

CI runs benchmarks with --quick: small numbers, only to check that they still work. Those figures mean nothing.
"""
import os
import sys

import usage  # noqa: F401

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.environ.get("CRESCENDO_BIN", os.path.join(ROOT, "build/default/bin"))
TRAINER = os.path.join(BIN, "crescendo-trainer")
CRESCENDO = os.path.join(BIN, "crescendo")
QUICK = "--quick" in sys.argv
if QUICK:
    sys.argv.remove("--quick")

sys.path.append(os.path.join(ROOT, "python"))
from crescendo.fake import FakeCrescendo  # noqa: E402


def trainers(count, **variables):
    """Starts warm crescendo-trainers on CPU slots, or on the device in CRESCENDO_DEVICE."""
    return FakeCrescendo(count, [TRAINER], variables, patience=3600)
