#!/usr/bin/env python3
"""Checks that every command has an example in its help, and a man page that has all its options and that man reads
without a warning.

usage: man_pages.py ROOT CRESCENDO
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def commands_of(crescendo, words=()):
    """Each command and its help."""
    text = subprocess.run([crescendo, *words, "--help"], check=True, capture_output=True, text=True).stdout
    yield " ".join(["crescendo", *words]), text
    if "Subcommands:\n" in text:
        for name in re.findall(r"^  (\S+) ", text.split("Subcommands:\n")[1].split("\n\n")[0], re.MULTILINE):
            yield from commands_of(crescendo, (*words, name))


def complaints(folder, crescendo):
    commands = {command.replace(" ", "-"): (command, text) for command, text in commands_of(crescendo)}
    pages = {page.stem: page for page in folder.iterdir()}
    if set(pages) != set(commands):
        yield f"there are pages for {sorted(pages)}, and commands {sorted(commands)}"
    for name, page in pages.items():
        text = page.read_text(encoding="utf-8").replace("\\-", "-")
        command, help_text = commands.get(name, ("", ""))
        if not re.search(rf"^  .*{command} ", help_text, re.MULTILINE):
            yield f"`{command} --help` has no example"
        for option in re.findall(r"^  (?:-\w,)?(--[\w-]+)", help_text, re.MULTILINE):
            if f".B {option}" not in text and f",{option}" not in text:
                yield f"{name}(1) lacks {option}"
        if shutil.which("groff"):
            groff = ["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z", page]
            said = subprocess.run(groff, capture_output=True, text=True).stderr
            if said:
                yield f"{name}(1): {said}"
    if not shutil.which("groff"):
        print("not tried: whether groff reads the pages, which is not on this machine")


if __name__ == "__main__":
    root, crescendo = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(root, "scripts/man_pages.py"), crescendo, folder], check=True)
        found = list(complaints(Path(folder), crescendo))
    print("\n".join(found) or "every command has a man page")
    sys.exit(1 if found else 0)
