"""Reads and checks the journal of a sweep independently of crescendo's own code."""

import json
import zlib
from pathlib import Path


class Damaged(Exception):
    """A line of the journal that is not what crescendo wrote there."""


def seal(body):
    """The end of a line, from the comma before the checksum on, for the bytes before it."""
    return b',"crc":"%08x"}' % zlib.crc32(body)


def record_of(line, number, name):
    """The record of a complete line without its newline. Raises Damaged with file and line."""
    body, comma, _ = line.rpartition(b',"crc":"')
    if not comma or line != body + seal(body):
        raise Damaged(f"{name}:{number + 1}: the checksum does not match the line")
    record = json.loads(line)
    if record["n"] != number:
        raise Damaged(f"{name}:{number + 1}: the line has the number {record['n']}")
    return record


def whole_lines(content):
    """Lines that end with a newline, without it. The last line may still be being written."""
    return content.split(b"\n")[:-1]


def read(path):
    """Every record up to an incomplete line at the end; none if the journal does not exist yet."""
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
