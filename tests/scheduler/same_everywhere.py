#!/usr/bin/env python3
"""Do all compilers and levels of optimization propose the same configurations and make the same decisions?

Builds scheduler/ and decisions_trace.cpp with each compiler that is there, one of them also without optimization and one
for 64-bit Arm, and compares what they print. Takes a minute and a half, or a few seconds where ccache knows the sources;
exit status 1 where two differ.

A journal has no decisions: its replay makes them again. So they are also compared with those of before, whose digest is
in decisions.sha256.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Tuple

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    *(path.relative_to(ROOT) for part in ("scheduler/**", "core") for path in sorted(ROOT.glob(f"{part}/*.cpp"))),
    *(Path("tests/scheduler") / name for name in ("script.cpp", "decisions_trace.cpp")),
]
CACHE = ["ccache"] if shutil.which("ccache") else []
ARM = "aarch64-linux-gnu-g++"
EMULATOR = "qemu-aarch64-static"
DECISIONS = ROOT / "tests/scheduler/decisions.sha256"


def trace(compiler: str, level: str, folder: Path) -> Tuple[str, str]:
    """Digests of all that it prints, and of the decisions alone."""
    processor = "-mcpu=neoverse-v1" if compiler == ARM else "-march=native"

    def object_of(source: Path) -> Path:
        path = folder / (str(source).replace("/", ".") + ".o")
        flags = ["-std=c++20", level, processor, "-ffp-contract=off", "-I."]  # nothing of ROOT, for the cache
        subprocess.run([*CACHE, compiler, *flags, "-c", str(source), "-o", str(path)], check=True, cwd=ROOT)
        return path

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(object_of, SOURCES))
    program = folder / "trace"
    libraries, command = (["-static"], [EMULATOR, program]) if compiler == ARM else ([], [program])
    subprocess.run([compiler, *libraries, *map(str, objects), "-o", str(program)], check=True)

    def digest(*arguments: str) -> str:
        run = subprocess.run([*command, *arguments], check=True, capture_output=True)
        return hashlib.sha256(run.stdout).hexdigest()

    return digest(), digest("decisions")


def main() -> int:
    traces = set()
    for compiler, level in (("g++", "-O0"), ("g++", "-O3"), ("clang++", "-O3"), (ARM, "-O3")):
        if shutil.which(compiler) and (compiler != ARM or shutil.which(EMULATOR)):
            with tempfile.TemporaryDirectory() as folder:
                traces.add(trace(compiler, level, Path(folder)))
                print(f"{compiler} {level}: {len(traces)} different so far", flush=True)
    if len(traces) != 1:
        return 1
    ((_, decisions),) = traces
    if decisions != DECISIONS.read_text(encoding="utf-8").strip():
        print(
            "the decisions have changed: sweeps that began before would be decided anew; keep what they did "
            "(launch/sweep_file/keys/earlier_defaults.hpp), then write the new digest to "
            f"{DECISIONS.relative_to(ROOT)}: {decisions}"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
