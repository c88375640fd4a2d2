#!/usr/bin/env python3
"""Checks what docs/architecture.md lists against the code: events, actions, and the verbs of the command line.

usage: design.py ROOT CRESCENDO
"""
import re
import subprocess
import sys
from pathlib import Path


def members(header, variant):
    """The types of a std::variant, in order."""
    declared = re.search(rf"using {variant} =\s*std::variant<([^>]*)>", header)
    return re.split(r"[,\s]+", declared.group(1).strip())


def listed(page, variant):
    """The types that the page lists after `Event  =`."""
    found = re.search(rf"^{variant} *= (\w+(?:\s*\|\s*\w+)*)", page, re.MULTILINE)
    return re.findall(r"\w+", found.group(1)) if found else []


def verbs_of_program(crescendo):
    text = subprocess.run([crescendo, "--help"], check=True, capture_output=True, text=True).stdout
    return re.findall(r"^  (\S+) ", text.split("Subcommands:")[1].split("\n\n")[0], re.MULTILINE)


def verbs_of_page(page):
    return re.findall(r"`(\S+?)(?: …)?`", page.split("## 7. Commands\n\n")[1].split("\n\n")[0])


def complaints(root, crescendo):
    page = (root / "docs/architecture.md").read_text(encoding="utf-8")
    for variant, header in (("Event", "events.hpp"), ("Action", "actions.hpp")):
        there = members((root / "scheduler" / header).read_text(encoding="utf-8"), variant)
        said = listed(page, variant)
        if there != said:
            yield f"scheduler/{header} has {' | '.join(there)}; the page says {' | '.join(said)}"
    there = sorted(verbs_of_program(crescendo))
    said = sorted(verbs_of_page(page))
    if there != said:
        yield f"crescendo --help has {' '.join(there)}; the page says {' '.join(said)}"


if __name__ == "__main__":
    found = list(complaints(Path(sys.argv[1]), sys.argv[2]))
    print("\n".join(found) or "docs/architecture.md lists what there is")
    sys.exit(1 if found else 0)
