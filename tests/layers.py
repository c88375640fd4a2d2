#!/usr/bin/env python3
"""Checks the includes of every source against the layers of docs/architecture.md, section 8.

usage: layers.py ROOT
"""
import re
import sys
from pathlib import Path

# A folder's code may include these of our own folders …
OWN = {
    "core": {"core"},
    "scheduler": {"scheduler", "core"},
    "simulator": {"simulator", "scheduler", "core"},
    "analysis": {"analysis", "core"},
    "datasets": {"datasets", "core"},
    "trainer": {"trainer", "datasets", "core"},
    "plugin": {"plugin"},
    "launch": {"launch", "scheduler", "simulator", "analysis", "datasets", "core"},
}
# … and these libraries, whose headers are known by how their names begin.
THIRD_PARTY = {
    "mpi": ("mpi.h",),
    "CLI11": ("CLI/",),
    "fmt": ("fmt/",),
    "hwloc": ("hwloc",),
    "yaml-cpp": ("yaml-cpp/",),
    "re2": ("re2/",),
    "microhttpd": ("microhttpd.h",),
    "sqlite": ("sqlite3",),
    "nlohmann-json": ("nlohmann/",),
    "hdf5": ("hdf5", "H5"),
    "archives and images": ("zip.h", "png.h", "jpeglib.h"),
    "decompression": ("zlib.h", "zstd.h", "lz4", "blosc", "libdeflate.h"),
    "torch": ("torch/", "ATen/", "c10/", "gloo/"),
    "cuda": ("cuda", "nccl", "cudnn", "ATen/cuda/", "c10/cuda/"),
    "doctest": ("doctest/",),
}
ALLOWED = {
    "core": set(),
    "core/files": set(),
    "scheduler": set(),
    "simulator": set(),
    "analysis": set(),
    "datasets": {"hdf5", "decompression", "archives and images", "nlohmann-json"},
    "plugin": {"nlohmann-json"},
    "plugin/crescendo": set(),
    "trainer": {"torch", "nlohmann-json"},
    "trainer/device/cuda": {"torch", "nlohmann-json", "cuda"},
    "launch": {"mpi", "CLI11", "fmt", "hwloc", "yaml-cpp", "re2", "microhttpd", "sqlite", "nlohmann-json"},
}
# The C++ library can neither own a descriptor nor wait until a file is on the disk. Folders that need this share the
# code in core/files/.
POSIX = {"core/files": {"fcntl.h", "unistd.h", "sys/mman.h", "sys/stat.h"}}
# The rooms inside a folder have an order: each includes itself and those before it, so that there is no cycle.
# "." is the folder itself: first if all rooms use its files, last if its files use all rooms.
ROOMS = {
    "core": ["files", "."],
    "scheduler": ["expressions", "space", ".", "samplers", "schedulers", "slots", "growth", "sweep"],
    "datasets": ["system", "hdf5", "readers", "samples", "sources", "writers", "inspection", "flow", "melt_pool"],
    "trainer": ["settings", "device", "device/nccl", "device/cuda", "protocol", "data", "models/layers", "models",
                "models/networks", "plugins/crescendo", "plugins", "optimizers", "group", "step",
                "training", "checkpoint", "profile", "."],
    "launch": ["system", "files", "process", "json", "messages", "energy", "batch", "slots", "yaml",
               "sweep_file/keys", "sweep_file/sections", "sweep_file/search", "sweep_file/command", "sweep_file",
               "sweep_file/check", "agent", "transport", "journal", "directory", "trainers", "steering", "sampling",
               "display", "view", "replay", "compare", "report", "web", "export", "import", "coordinator", "ask_tell",
               "doctor", "commands", "commands/data", "."],
}
# These are pure: no threads, clock, files or environment, and no generator that differs between libraries.
PURE = {"scheduler", "simulator", "analysis"}
IMPURE = {"atomic", "chrono", "condition_variable", "cstdio", "ctime", "filesystem", "fstream", "future", "iostream",
          "mutex", "random", "thread", "unordered_map", "unordered_set"}
# What only one place may know: the pattern, the files that may contain it, and what to do elsewhere.
SECRETS = [
    (re.compile(r"#\s*(el)?if.*\bCRESCENDO_MPI\b"), re.compile(r"(?!)"),
     "no source asks whether MPI is there: CMake compiles mpi_session.cpp or mpi_off.cpp in launch/transport/"),
    (re.compile(r"#\s*include <mpi\.h>|\bMPI_[A-Z][a-z]"), re.compile(r"launch/transport/mpi_session\.cpp"),
     "only launch/transport/mpi_session.cpp knows MPI: use MpiSession"),
    (re.compile(r"\bSLURM_"), re.compile(r"launch/batch/slurm\w*\.[ch]pp"),
     "only Slurm's own files in launch/batch/ know Slurm's variables: ask batch_system()"),
    (re.compile(r"\b(squeue|sacct|scontrol|scancel|sinfo)\b"), re.compile(r"launch/batch/slurm\w*\.[ch]pp"),
     "only Slurm's own files in launch/batch/ know Slurm's commands: ask batch_system()"),
    (re.compile(r'#\s*include "launch/batch/slurm'), re.compile(r"launch/batch/(slurm\w*\.[ch]pp|batch_system\.cpp)"),
     "only the table in launch/batch/batch_system.cpp knows which batch systems there are: ask batch_system()"),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = {".hpp", ".cpp", ".h", ".cu", ".cuh"}


def broken_rule(layer, bracket, header):
    """The rule that this include in `layer` breaks; None if it breaks none."""
    folder = layer.split("/")[0]
    if bracket == '"':
        if header.split("/")[0] not in OWN[folder]:
            return f'{folder}/ includes with "" only from {", ".join(sorted(OWN[folder]))}, by the path from the root'
        if folder in PURE and header.startswith("core/files/"):
            return f"{folder}/ has no files"
        return None
    if not ALLOWED[layer] and not re.fullmatch(r"\w+", header) and header not in POSIX.get(layer, ()):
        return f"{layer}/ uses the C++ standard library only"
    if layer in PURE and header in IMPURE:
        return f"{layer}/ has no threads, clock, files, environment or order that differs between machines"
    for library, beginnings in THIRD_PARTY.items():
        if header.startswith(beginnings) and library not in ALLOWED[layer]:
            return f"{layer}/ uses {', '.join(sorted(ALLOWED[layer]))}, not {library}"
    return None


def broken_order(name, header):
    """Why this include of a header of ours breaks the order; None if it does not."""
    folder = name.split("/")[0]
    if folder not in ROOMS or not header.startswith(folder + "/"):
        return None
    order = ROOMS[folder]
    here, there = (path.split("/", 1)[1].rpartition("/")[0] or "." for path in (name, header))
    for room in (here, there):
        if room not in order:
            return f"{folder}/{room}/ is not in the order of rooms in tests/layers.py: put it there"
    if order.index(there) > order.index(here):
        return f"{folder}/{here}/ comes before {folder}/{there}/ and may not include it"
    return None


def told_secret(name, line):
    """What to do if this line contains what it should not know; None if it does not."""
    return next((rule for pattern, files, rule in SECRETS if pattern.search(line) and not files.fullmatch(name)), None)


def violations(root):
    for folder in OWN:
        for path in sorted(p for p in (root / folder).rglob("*") if p.suffix in SOURCES):
            name = path.relative_to(root).as_posix()
            layer = max((each for each in ALLOWED if name.startswith(each + "/")), key=len)
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                include = INCLUDE.match(line)
                rule = (include and (broken_rule(layer, *include.groups()) or broken_order(name, include.group(2)))
                        or told_secret(name, line))
                if rule:
                    yield f"{name}:{number}: {line.strip()}: {rule}"


if __name__ == "__main__":
    found = list(violations(Path(sys.argv[1])))
    print("\n".join(found) or "all includes keep to the layers")
    sys.exit(1 if found else 0)
