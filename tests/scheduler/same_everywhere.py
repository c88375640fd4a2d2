#!/usr/bin/env python3
"""Do all compilers and levels of optimization propose the same configurations and make the same decisions?

Builds scheduler/ and decisions_trace.cpp with each compiler that is there, one of them also without optimization, and
compares what they print. Takes about a minute and a half; exit status 1 where two differ.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    *sorted((ROOT / "scheduler").rglob("*.cpp")),
    *sorted((ROOT / "core").glob("*.cpp")),
    *(ROOT / "tests/scheduler" / name for name in ("script.cpp", "decisions_trace.cpp")),
]


def trace(compiler: str, level: str, folder: str) -> str:
    program = Path(folder) / f"trace{level}"
    flags = ["-std=c++20", level, "-march=native", "-ffp-contract=off", f"-I{ROOT}"]
    subprocess.run([compiler, *flags, *map(str, SOURCES), "-o", str(program)], check=True)
    return hashlib.sha256(subprocess.run([program], check=True, capture_output=True).stdout).hexdigest()


def main() -> int:
    traces = set()
    for compiler, level in (("g++", "-O0"), ("g++", "-O3"), ("clang++", "-O3")):
        if shutil.which(compiler):
            with tempfile.TemporaryDirectory() as folder:
                traces.add(trace(compiler, level, folder))
                print(f"{compiler} {level}: {len(traces)} different so far", flush=True)
    return 0 if len(traces) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
