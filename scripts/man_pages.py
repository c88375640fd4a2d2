#!/usr/bin/env python3
"""Writes man pages for crescendo and each of its commands, from their `--help`.

usage: man_pages.py CRESCENDO FOLDER
"""
import re
import subprocess
import sys
from pathlib import Path


def help_of(crescendo, words):
    return subprocess.run([crescendo, *words, "--help"], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def parse(text):
    """Returns description, usage, sections of (name, text) pairs, and the text at the end."""
    description, rest = text.split("\nUsage: ", 1)
    usage, *blocks = rest.strip().split("\n\n")
    sections, ending = {}, []
    for block in blocks:
        title, *lines = block.split("\n")
        if title in ("Positionals:", "Options:", "Subcommands:"):
            sections[title[:-1]] = entries(lines)
        else:
            ending.append(block)
    return description, "crescendo " + usage.split(" ", 1)[1], sections, ending


def entries(lines):
    """Returns pairs of name and text. A long name has its text in the next line."""
    result = []
    for line in lines:
        name, _, text = line[2:].partition("  ")
        if line.startswith("   "):
            result[-1] = (result[-1][0], (result[-1][1] + " " + line.strip()).strip())
        else:
            result.append((name.strip(), text.strip()))
    return result


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)


def page(words, text, version, others):
    description, usage, sections, ending = parse(text)
    name = "-".join(words)
    lines = [f'.TH "{name.upper()}" 1 "" "{version}" "Crescendo"', ".SH NAME",
             f"{escaped(name)} \\- {escaped(description.splitlines()[0])}", ".SH SYNOPSIS", f".B {escaped(usage)}"]
    if len(description.splitlines()) > 1:
        lines += [".SH DESCRIPTION", escaped("\n".join(description.splitlines()[1:]))]
    titles = {"Positionals": "ARGUMENTS", "Options": "OPTIONS", "Subcommands": "COMMANDS"}
    for title, rows in sections.items():
        lines.append(f".SH {titles[title]}")
        for row, explanation in rows:
            lines += [".TP", f".B {escaped(row)}", escaped(explanation)]
    for block in ending:
        title, *rest = block.split("\n")
        if title.startswith("Example") and rest:
            lines += [".SH EXAMPLES", ".nf", *(escaped(line.strip()) for line in rest), ".fi"]
        else:
            lines += [".SH NOTES" if ".SH NOTES" not in lines else ".PP", escaped(block)]
    if others:
        lines += [".SH SEE ALSO", *(f".BR {escaped(other)} (1)" for other in others)]
    return "\n".join(lines) + "\n"


def write_pages(crescendo, folder, words=()):
    text = help_of(crescendo, words)
    version = subprocess.run([crescendo, "--version"], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout.strip()
    commands = [name for name, _ in parse(text)[2].get("Subcommands", [])]
    full_words = ["crescendo", *words]
    others = ["-".join([*full_words, each]) for each in commands] or ["-".join(full_words[:-1])]
    name = "-".join(full_words)
    (folder / f"{name}.1").write_text(page(full_words, text, version, others), encoding="utf-8")
    for command in commands:
        write_pages(crescendo, folder, (*words, command))


if __name__ == "__main__":
    Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
    write_pages(sys.argv[1], Path(sys.argv[2]))
