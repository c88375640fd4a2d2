"""The journal of a sweep, read and checked apart from crescendo's own code."""

import json
import zlib
from pathlib import Path


class Damaged(Exception):
    """A line of the journal that is not what crescendo wrote there."""


def seal(body):
    """From the checksum's comma to the end of a line, for the bytes before it."""
    return b',"crc":"%08x"}' % zlib.crc32(body)


def record_of(line, number, name):
    """The record of a whole line without its newline. Throws Damaged, naming file and line."""
    body, comma, _ = line.rpartition(b',"crc":"')
    if not comma or line != body + seal(body):
        raise Damaged(f"{name}:{number + 1}: the checksum does not match the line")
    record = json.loads(line)
    if record["n"] != number:
        raise Damaged(f"{name}:{number + 1}: the line has the number {record['n']}")
    return record


def whole_lines(content):
    """Lines that end with a newline, without it; a writer may be at work on the last."""
    return content.split(b"\n")[:-1]


def read(path):
    """Every record up to a torn line at the end; of a journal that does not exist yet, none."""
    path = Path(path)
    if not path.exists():
        return []
    lines = whole_lines(path.read_bytes())
    records = []
    for number, line in enumerate(lines):
        try:
            records.append(record_of(line, number, path))
        except (Damaged, ValueError):
            if number + 1 < len(lines):
                raise
    return records


def reports(records):
    return [record for record in records if record.get("event") == "trial_reported"]
