#!/usr/bin/env python3
"""Checks that a source a/b.cpp has a test tests/a/b.cpp, except for those that tests/without_test.txt lists.

The list may only shrink: a source that is not on it needs a test, and one that has a test or is gone must leave it.
A test that no CMakeLists.txt names is never run.

usage: mirror.py ROOT
"""
import re
import sys
from pathlib import Path

FOLDERS = ("core", "scheduler", "simulator", "analysis", "datasets", "trainer", "plugin", "launch")


def complaints(root):
    listed = set((root / "tests/without_test.txt").read_text(encoding="utf-8").split())
    sources = {path.relative_to(root).as_posix() for folder in FOLDERS for path in (root / folder).rglob("*.cpp")}
    tested = {source for source in sources if (root / "tests" / source).exists()}
    for source in sorted(sources - tested - listed):
        yield f"{source}: has no test; write tests/{source}"
    for source in sorted(listed & tested):
        yield f"{source}: has a test now; take it off tests/without_test.txt"
    for source in sorted(listed - sources):
        yield f"{source}: is not there any more; take it off tests/without_test.txt"
    built = {lists.parent / source for lists in (root / "tests").rglob("CMakeLists.txt")
             for source in re.findall(r"[\w/-]+\.cpp", lists.read_text(encoding="utf-8"))}
    for test in sorted(set((root / "tests").rglob("*.cpp")) - built):
        if "\nTEST_CASE" in test.read_text(encoding="utf-8"):
            yield f"{test.relative_to(root)}: no CMakeLists.txt names it, so it never runs; add it to that of its folder"


if __name__ == "__main__":
    found = list(complaints(Path(sys.argv[1])))
    print("\n".join(found) or "every source has a test, or is listed")
    sys.exit(1 if found else 0)
