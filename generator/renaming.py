"""Give an entry another id in all texts that name it."""

import re
from collections.abc import Mapping
from pathlib import Path


def renamed_texts(texts: Mapping[Path, str], file: Path, old: str, new: str) -> dict[Path, str]:
    """Return the texts that change, by path; *file* is the entry itself, which keeps an alias."""
    # Within a longer id, a path or an address it is another name; a link to its page is meant.
    word = rf"{re.escape(old)}(?![\w-]|\.(?!md\b)\w)"
    named = re.compile(rf"(?<![\w/.-]){word}|(?<=entries/){word}")
    changed = {}
    for path, text in texts.items():
        made = named.sub(new, text)
        if path == file:
            made = _with_alias(text, old)
        if made != text:
            changed[path] = made
    return changed


def _with_alias(text: str, old: str) -> str:
    found = re.search(r"^aliases: \[(.*)\]$", text, re.MULTILINE)
    if found:
        return text.replace(found[0], f"aliases: [{found[1]}, {old}]", 1)
    return re.sub(r"^(updated: .*)$", rf"\1\naliases: [{old}]", text, count=1, flags=re.MULTILINE)
