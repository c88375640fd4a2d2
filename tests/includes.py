#!/usr/bin/env python3
"""Checks that a source includes the types that it uses, so that it also compiles alone.

The files that it includes, directly or indirectly, must lead to the header of each type of ours that it names, or
declare the type. Names that several headers have are left out.

usage: includes.py ROOT
"""
import collections
import re
import sys
from pathlib import Path

from joined import FOLDERS, code_of

INCLUDE = re.compile(r'^#include ["<]([^">]+)', re.M)
KIND = "(?:struct|class|union|enum class|enum)"
DEFINITION = re.compile(rf"^(?:template <.*> )?{KIND} (\w+)[^;{{()]*\{{|^using (\w+) =", re.M)
DECLARATION = re.compile(rf"(?:\b(?:{KIND}|typename|concept|using)(?:\.\.\.)? |TEST_CASE_TEMPLATE\(,\s*)(\w+)")
USE = re.compile(r"(?<![.>:\w])(?:[a-z]\w*::)*[A-Z]\w*[a-z]\w*")
NAMESPACE = re.compile(r"^namespace (crescendo[\w:]*)", re.M)
PREPROCESSOR = re.compile(r"^#(?:.*\\\n)*.*", re.M)


def files_of(name, path):
    """The files that this include may mean."""
    folders = ["", name.rpartition("/")[0] + "/", "plugin/", "trainer/plugins/"]
    return {folder + each for each in INCLUDE.findall(path.read_text(encoding="utf-8")) for folder in folders}


def complaints(root):
    paths = {path.relative_to(root).as_posix(): path for folder in FOLDERS for path in (root / folder).rglob("*.?pp")}
    included = {name: files_of(name, path) & paths.keys() for name, path in paths.items()}
    code = {name: PREPROCESSOR.sub("", code_of(path)) for name, path in paths.items()}
    declared = {name: set(DECLARATION.findall(text)) for name, text in code.items()}
    namespaces = set("::".join(sum(map(NAMESPACE.findall, code.values()), [])).split("::"))
    headers = collections.defaultdict(set)
    for name, text in code.items():
        if name.endswith(".hpp"):
            for words in DEFINITION.findall(text):
                headers["".join(words)].add(name)
    for name, text in sorted(code.items()):
        reached, next_ones = set(), {name}
        while next_ones:
            reached |= next_ones
            next_ones = set().union(*(included[each] for each in next_ones)) - reached
        known = set().union(*(declared[each] for each in reached))
        for *spaces, used in (use.split("::") for use in sorted(set(USE.findall(text)))):
            if used not in known and namespaces.issuperset(spaces) and len(headers[used]) == 1:
                yield f'{name}: uses {used} without #include "{min(headers[used])}"'


if __name__ == "__main__":
    found = list(complaints(Path(sys.argv[1])))
    print("\n".join(found) or "every source includes the types that it uses")
    sys.exit(1 if found else 0)
