#!/usr/bin/env python3
"""Checks that all compilers and optimization levels give the same proposals and decisions.

Builds scheduler/ and decisions_trace.cpp with each installed compiler, one of them also without optimization and one
for 64-bit Arm, and compares their output. The sources of a folder are compiled together, as for the programs. Takes a
few seconds if ccache has them. The exit status is 1 if two outputs differ.

A journal has no decisions: a replay makes them again. So they are also compared with earlier decisions, whose digest is
in decisions.sha256.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import List, Tuple

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    *(path.relative_to(ROOT) for part in ("scheduler/**", "core") for path in sorted(ROOT.glob(f"{part}/*.cpp"))),
    *(Path("tests/scheduler") / name for name in ("script.cpp", "decisions_trace.cpp")),
]
JOINED = Path("build/same_everywhere")  # the same in every clone, for the cache
CACHE = ["ccache"] if shutil.which("ccache") else []
ARM = "aarch64-linux-gnu-g++"
EMULATOR = "qemu-aarch64-static"
DECISIONS = ROOT / "tests/scheduler/decisions.sha256"


def joined_sources() -> List[Path]:
    """Sources that each include eight sources of a folder, as cmake/JoinedSources.cmake does."""
    (ROOT / JOINED).mkdir(parents=True, exist_ok=True)
    joined = []
    by_folder = sorted(SOURCES, key=lambda source: source.parent)  # in the same order within a folder
    for folder, paths in groupby(by_folder, key=lambda source: source.parent):
        sources = list(paths)
        for first in range(0, len(sources), 8):
            joined.append(JOINED / f"{str(folder).replace('/', '_')}_{first}.cpp")
            includes = "".join(f'#include "{source}"\n' for source in sources[first:first + 8])
            (ROOT / joined[-1]).write_text(includes, encoding="utf-8")
    return joined


def trace(compiler: str, level: str, sources: List[Path], folder: Path) -> Tuple[str, str]:
    """Digests of the whole output and of the decisions alone."""
    processor = "-mcpu=neoverse-v1" if compiler == ARM else "-march=native"

    def object_of(source: Path) -> Path:
        path = folder / (source.stem + ".o")
        flags = ["-std=c++20", level, processor, "-ffp-contract=off", "-w", "-I."]  # without ROOT, for the cache
        subprocess.run([*CACHE, compiler, *flags, "-c", str(source), "-o", str(path)], check=True, cwd=ROOT)
        return path

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(object_of, sources))
    program = folder / "trace"
    libraries, command = (["-static"], [EMULATOR, program]) if compiler == ARM else ([], [program])
    subprocess.run([compiler, *libraries, *map(str, objects), "-o", str(program)], check=True)

    printed = subprocess.run(command, check=True, capture_output=True).stdout
    _, _, decisions = printed.partition(b"decisions:\n")
    return hashlib.sha256(printed).hexdigest(), hashlib.sha256(decisions).hexdigest()


def main() -> int:
    sources = joined_sources()
    traces = set()
    for compiler, level in (("g++", "-O0"), ("g++", "-O3"), ("clang++", "-O3"), (ARM, "-O3")):
        if shutil.which(compiler) and (compiler != ARM or shutil.which(EMULATOR)):
            with tempfile.TemporaryDirectory() as folder:
                traces.add(trace(compiler, level, sources, Path(folder)))
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
