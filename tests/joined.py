"""Checks that sources can be compiled together (cmake/JoinedSources.cmake) without changing what they mean.

    python tests/joined.py REPOSITORY

A function in the anonymous namespace of one file hides, in the anonymous namespaces of its folder, a function of the
same name that a header declares. Where arguments convert, the wrong one is called in silence. So no file may have a
function of its own with the name of a declared one that a neighbour calls.
"""
import collections
import os
import re
import subprocess
import sys

FUNCTION = re.compile(r"^(?:template.*> *)?[A-Za-z_][\w:<>,&*\s\[\]]*?[\s&*](\w+)\(", re.M)
NO_NAMES = {"if", "for", "while", "switch", "return", "sizeof", "catch", "decltype", "operator"}


def code_of(path):
    """Without comments and texts. The end of an anonymous namespace becomes @."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^\}  // namespace$", "@", file.read(), flags=re.M)
    for pattern in (r'R"(\w*)\((?:.|\n)*?\)\1"', r"//[^\n]*", r'"(?:[^"\\\n]|\\.)*"'):
        text = re.sub(pattern, '""' if pattern != r"//[^\n]*" else "", text)
    return text


def functions_in(code):
    return {name for name in FUNCTION.findall(code)} - NO_NAMES


def main():
    os.chdir(sys.argv[1])
    paths = subprocess.check_output(["git", "ls-files", "*.cpp", "*.hpp"], text=True).split()
    code = {path: code_of(path) for path in paths if not path.startswith("examples/")}
    declared = set().union(*(functions_in(text) for path, text in code.items() if path.endswith(".hpp")))
    folders = collections.defaultdict(dict)
    for path, text in code.items():
        if path.endswith(".cpp"):
            folders[os.path.dirname(path)][path] = text
    problems = []
    for sources in folders.values():
        for path, text in sources.items():
            own = "\n".join(re.findall(r"^namespace \{\n(.*?)^@", text, re.M | re.S))
            for name in sorted(functions_in(own) & declared):
                call = re.compile(rf"(?<![\w.:>~]){name}\(")
                problems += [f"{path}: its {name}() hides the one that {other} calls; give it another name"
                             for other, neighbour in sources.items()
                             if other != path and call.search(neighbour) and name not in functions_in(neighbour)]
    print("\n".join(problems) or "no function hides one that a neighbour calls")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
