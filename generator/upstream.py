"""Look for the messages of entries in the packages that are installed."""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from generator.catalogue import Published
from generator.detection import LogSign, TracebackSign, Wording

BASELINE = "tests/repro/upstream.json"
_FEWEST = 12
"""Fixed characters in a row below which a piece of a message is found anywhere."""
_PLACEHOLDER = re.compile(r"(?<!<)<[a-z]+(?::[a-z_]+)?>")
# Only what programs print from: neither caches of Python nor tests nor data.
_FILES = ("*.py", "*.so", "*.so.*", "*.pyx", "*.cpp", "*.cuh", "*.h")


def messages_of(entries: Iterable[Published]) -> dict[str, list[str]]:
    """Collect the messages that an entry looks for and that are still printed, by its id."""
    return {item.id: sorted(set(_messages(item))) for item in entries}


def _messages(item: Published) -> Iterator[str]:
    for sign in item.entry.detect.signs.values():
        wordings: Sequence[Wording] = ()
        if isinstance(sign, LogSign):
            wordings = sign.log
        if isinstance(sign, TracebackSign):
            wordings = sign.message
        for wording in wordings:
            if wording.text is not None and wording.until is None and pieces(wording.text):
                yield wording.text


def pieces(message: str) -> list[str]:
    """Give the fixed pieces of a message that are long enough to be looked for."""
    fixed = (part.replace("<<", "<").strip() for part in _PLACEHOLDER.split(message))
    return [part for part in fixed if len(part) >= _FEWEST]


def look_up(messages: Iterable[str], folder: Path) -> set[str]:
    """Return the messages of which every piece stands in a file below the folder."""
    wanted = {message: pieces(message) for message in messages}
    missing = {piece for parts in wanted.values() for piece in parts}
    while missing:
        # A piece that overlaps another at its place is found when that one is no longer asked for.
        found = _found(missing, folder)
        if not found:
            break
        missing -= found
    return {message for message, parts in wanted.items() if not missing & set(parts)}


def _found(wanted: Iterable[str], folder: Path) -> set[str]:
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as patterns:
        patterns.write("".join(f"{piece}\n" for piece in sorted(wanted)))
        patterns.flush()
        included = [f"--include={name}" for name in _FILES]
        done = subprocess.run(
            ["grep", "-r", "-a", "-o", "-h", "-F", "-f", patterns.name, *included, str(folder)],
            capture_output=True,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    return set(done.stdout.decode("utf-8", "replace").split("\n")) & set(wanted)


def baseline_text(messages: Mapping[str, Iterable[str]], found: set[str]) -> str:
    """Write the messages that were found, by entry."""
    kept = {entry: [text for text in texts if text in found] for entry, texts in messages.items()}
    listed = {entry: texts for entry, texts in sorted(kept.items()) if texts}
    return json.dumps(listed, indent=2, ensure_ascii=False) + "\n"


def read_baseline(text: str) -> set[tuple[str, str]]:
    """Read pairs of an entry and a message that was found for it."""
    return {(entry, message) for entry, texts in json.loads(text).items() for message in texts}
