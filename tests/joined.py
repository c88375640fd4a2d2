#!/usr/bin/env python3
"""Checks that sources can be compiled together (cmake/JoinedSources.cmake) without changing what they mean.

A function in the anonymous namespace of one file hides, in the anonymous namespaces of its folder, a function of the
same name that a header declares. If the arguments convert, the wrong one is called silently. So no file may have
its own function with the name of a declared function that another file in its folder calls.

usage: joined.py ROOT
"""
import collections
import re
import sys
from pathlib import Path

FOLDERS = ("core", "scheduler", "simulator", "analysis", "datasets", "trainer", "plugin", "launch", "benchmarks",
           "tests")
FUNCTION = re.compile(r"^(?:template.*> *)?[A-Za-z_][\w:<>,&*\s\[\]]*?[\s&*](\w+)\(", re.M)
NO_NAMES = {"if", "for", "while", "switch", "return", "sizeof", "catch", "decltype", "operator"}


def code_of(path):
    """The code without comments and strings. The end of an anonymous namespace becomes @."""
    code = re.sub(r"^\}  // namespace$", "@", path.read_text(encoding="utf-8"), flags=re.M)
    for texts_or_comments in (r'R"(\w*)\((?:.|\n)*?\)\1"', r"//[^\n]*", r'"(?:[^"\\\n]|\\.)*"'):
        code = re.sub(texts_or_comments, "", code)
    return code


def functions_in(code):
    return set(FUNCTION.findall(code)) - NO_NAMES


def complaints(root):
    paths = sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.?pp"))
    code = {path.relative_to(root): code_of(path) for path in paths}
    declared = set().union(*(functions_in(text) for path, text in code.items() if path.suffix == ".hpp"))
    folders = collections.defaultdict(dict)
    for path, text in code.items():
        if path.suffix == ".cpp":
            folders[path.parent][path] = text
    for sources in folders.values():
        for path, text in sources.items():
            own = "\n".join(re.findall(r"^namespace \{\n(.*?)^@", text, re.M | re.S))
            for name in sorted(functions_in(own) & declared):
                call = re.compile(rf"(?<![\w.:>~]){name}\(")
                for other, neighbour in sources.items():
                    if other != path and call.search(neighbour) and name not in functions_in(neighbour):
                        yield f"{path}: its {name}() hides the one that {other} calls; give it another name"


if __name__ == "__main__":
    found = list(complaints(Path(sys.argv[1])))
    print("\n".join(found) or "no function hides one that a neighbour calls")
    sys.exit(1 if found else 0)
