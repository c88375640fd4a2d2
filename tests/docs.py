#!/usr/bin/env python3
"""Checks what people copy from the pages: links, commands with their options, pieces of sweep files, and Python. Also
checks that tables are complete.

usage: docs.py ROOT CRESCENDO
"""
import re
import shlex
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)

# The keys that a piece of a sweep file may leave out.
REST = {
    "metric": "metric: {name: val_loss}",
    "parameters": "parameters: {lr: {values: [0.01, 0.1]}, width: {values: [32, 64]}}",
    "scheduler": "scheduler: {type: rasda, max: 27}",
    "trainer": "trainer: {data: {train: a.h5:/train}}",
}


def pages(root):
    yield from (root / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md"))
    for folder in ("docs", "examples"):
        yield from sorted((root / folder).rglob("*.md"))


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


@cache
def anchors(page):
    """The names that GitHub gives to the headings of a page."""
    names = set()
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        names.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return names


def wrong_links(page, text):
    prose = re.sub(r"`[^`\n]*`", "", FENCE.sub(lambda block: "\n" * block.group().count("\n"), text))
    for link in re.finditer(r"\]\(([^)\s]+)\)", prose):
        path, _, anchor = link.group(1).partition("#")
        if re.match(r"https?:", path):
            continue
        target = page.parent / path if path else page
        if not target.exists():
            yield line_of(prose, link), f"there is no {path}"
        elif anchor and anchor not in anchors(target.resolve()):
            yield line_of(prose, link), f"{target.name} has no heading #{anchor}"


def torn_tables(text):
    """Table rows after an empty line, which a page shows as text."""
    prose = FENCE.sub(lambda block: "\n" * block.group().count("\n"), text)
    for row in re.finditer(r"(?<=\n\n)\|.*\n(?!\|[-:| ]+\|\n)", prose):
        yield line_of(prose, row), "a table begins without a line of dashes under its first row"


@cache
def options_of(crescendo, *words):
    """The options of a command; None if there is no such command."""
    asked = subprocess.run([crescendo, *words, "--help"], capture_output=True, text=True)
    return None if asked.returncode else set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", asked.stdout))


def wrong_commands(crescendo, block):
    for command in re.sub(r"\$\(.*\)", "0", block.replace("\\\n", " ")).splitlines():
        try:
            words = shlex.split(command.removeprefix("$ "), comments=True)
        except ValueError:  # a line that is not for a shell
            continue
        if "crescendo" not in words or not command.isascii():
            continue
        words = words[words.index("crescendo") + 1:]
        verb = words[:2] if words[:1] == ["data"] else words[:1]
        if not verb or not re.fullmatch(r"[a-z-]+", verb[-1]) or verb[0].startswith("-"):
            continue
        known = options_of(crescendo, *verb)
        if known is None:
            yield f"crescendo has no command {' '.join(verb)}"
            continue
        for word in words:
            option = word.partition("=")[0]
            if re.fullmatch(r"--?[a-z][\w-]*", option) and option not in known:
                yield f"crescendo {' '.join(verb)} has no option {option}"


def alternatives(block):
    """The block, once for each way that it shows by having a key twice."""
    items = re.split(r"^(?=\w+:)", block, flags=re.MULTILINE)
    keys = [item.partition(":")[0] for item in items]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is None:
        return [block]
    others = "".join(item for item, key in zip(items, keys) if key != twice)
    return [way for item, key in zip(items, keys) if key == twice for way in alternatives(others + item)]


def wrong_sweep(crescendo, sweep_keys, block, folder):
    """What is wrong with a piece of a sweep file, according to `ask-tell`, which looks for no program and no data."""
    keys = re.findall(r"^(\w+):", block, re.MULTILINE)
    elsewhere = {"plugins", "stop_rule", "warm_start"}.intersection(keys) or "sampler: {command" in block
    if not keys or not sweep_keys.issuperset(keys) or elsewhere or "…" in block or "..." in block:
        return
    trains = {"command", "program", "trainer"}.intersection(keys)
    rest = [text for key, text in REST.items() if key not in keys and not (key == "trainer" and trains)]
    file = folder / "sweep.yaml"
    file.write_text("\n".join([block, *rest, ""]), encoding="utf-8")
    read = subprocess.run([crescendo, "ask-tell", file], input="", capture_output=True, text=True)
    if read.returncode:
        yield read.stderr.replace(str(file), "sweep.yaml").strip()


def wrong_python(block):
    try:
        compile(block.replace("…", "..."), "block", "exec")
    except SyntaxError as error:
        yield f"Python: {error.msg} in line {error.lineno} of the block"


# Tables of things with many kinds: each row begins with the word for its kind.
TABLES = ("scheduler/samplers/any_sampler.cpp", "trainer/models/networks/models.cpp",
          "trainer/optimizers/optimizers.cpp", "launch/export/export_formats.cpp")


def unexplained_words(root, sweep_keys):
    """Keys of sweep files, site profiles and the trainer's settings, and words of tables, that the code reads but no
    page has."""
    read = set(sweep_keys)
    for folder in ("launch/sweep_file", "trainer"):
        for source in (root / folder).rglob("*.cpp"):
            text = source.read_text(encoding="utf-8")
            for names in re.findall(r"\.allow\(\{([^}]*)\}", text):
                read.update(re.findall(r'"(\w+)"', names))
            if folder == "trainer":
                read.update(re.findall(r'section\.\w+(?:<[^>]*>)?\("(\w+)"', text))
    words = [re.findall(r'\{"(\w+)", ', (root / table).read_text(encoding="utf-8")) for table in TABLES]
    text = "\n".join(page.read_text(encoding="utf-8") for page in (root / "docs").glob("*.md"))
    explained = {key for key in read if re.search(rf"(?:^|[`.{{ ]){key}[`:,}}]", text, re.MULTILINE)}
    yield from (f"no page has the key {key}" for key in sorted(read - explained))
    yield from (f"no page has the word {word} of {table}" for table, found in zip(TABLES, words) for word in found
                if f"`{word}`" not in text)


def complaints(root, crescendo, folder):
    keys = (root / "launch/sweep_file/keys/sweep_keys.cpp").read_text(encoding="utf-8")
    sweep_keys = set(re.findall(r'^    \{"(\w+)"', keys, re.MULTILINE))
    yield from unexplained_words(root, sweep_keys)
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        found = [*wrong_links(page, text), *torn_tables(text)]
        for match in FENCE.finditer(text):
            indent, language, block = match.groups()
            block = re.sub(f"^{indent}", "", block, flags=re.MULTILINE)
            if language in ("", "console", "bash"):
                said = wrong_commands(crescendo, block)
            elif language == "yaml":
                said = (each for way in alternatives(block) for each in wrong_sweep(crescendo, sweep_keys, way, folder))
            elif language == "python":
                said = wrong_python(block)
            else:
                continue
            found += [(line_of(text, match), each) for each in said]
        for line, problem in found:
            yield f"{page.relative_to(root)}:{line}: {problem}"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        complaints_found = list(complaints(Path(sys.argv[1]).resolve(), sys.argv[2], Path(temporary)))
    print("\n".join(complaints_found) or "what the pages show is there")
    sys.exit(1 if complaints_found else 0)
