"""Checks of what an entry rests on: references, dates and proof."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from generator.errors import suggestion
from generator.lint.registry import Finding, entry_check
from generator.load import Loaded

_ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = re.compile(r"tests/repro/[A-Za-z0-9_./-]+\.(?:py|sh)")


@entry_check
def unsupported_claim(loaded: Loaded) -> Iterator[Finding]:
    """The cause and the fix of an entry each rest on a reference."""
    supported = {claim for item in loaded.entry.references for claim in item.supports}
    for claim in ("cause", "fix"):
        if claim not in supported:
            yield Finding(
                loaded,
                ("references",),
                f"no reference supports the {claim}",
                f"add a reference with 'supports: [{claim}]', or the word to the one that does",
            )


@entry_check
def repeated_support(loaded: Loaded) -> Iterator[Finding]:
    """A reference names each thing that it supports once."""
    for index, item in enumerate(loaded.entry.references):
        for at, claim in enumerate(item.supports):
            if claim in item.supports[:at]:
                yield Finding(
                    loaded,
                    ("references", index, "supports", at),
                    f"'{claim}' is said twice",
                    "keep one of the two",
                )


@entry_check
def repeated_reference(loaded: Loaded) -> Iterator[Finding]:
    """A page is referred to once."""
    seen: set[str] = set()
    for index, item in enumerate(loaded.entry.references):
        if item.url in seen:
            yield Finding(
                loaded,
                ("references", index, "url"),
                "another reference has the same address",
                "join the two: 'supports' is a list",
            )
        seen.add(item.url)


@entry_check
def bad_url(loaded: Loaded) -> Iterator[Finding]:
    """An address can be taken apart, and carries nobody's name and password."""
    for index, item in enumerate(loaded.entry.references):
        try:
            parts = urlsplit(item.url)
            sound = bool(parts.hostname) and "@" not in parts.netloc and parts.port != 0
        except ValueError:
            sound = False
        if not sound:
            yield Finding(
                loaded,
                ("references", index, "url"),
                "this is not the address of a public page",
                "copy it from the browser, without a user's name and password",
            )


@entry_check
def updated_before_created(loaded: Loaded) -> Iterator[Finding]:
    """An entry is not updated before it was created."""
    entry = loaded.entry
    if entry.updated < entry.created:
        yield Finding(
            loaded,
            ("updated",),
            f"{entry.updated} is before the entry was created, {entry.created}",
            "correct the one that is wrong",
        )


@entry_check
def verified_after_update(loaded: Loaded) -> Iterator[Finding]:
    """To hold an entry against upstream again is to update it."""
    entry = loaded.entry
    if entry.proof.verified > entry.updated:
        yield Finding(
            loaded,
            ("proof", "verified"),
            f"{entry.proof.verified} is after the last update, {entry.updated}",
            f"write 'updated: {entry.proof.verified}' as well",
        )


@entry_check
def unknown_program(loaded: Loaded) -> Iterator[Finding]:
    """What is called reproduced was reproduced by a program that lies in tests/repro."""
    proof = loaded.entry.proof
    if proof.level != "reproduced":
        return
    named = _PROGRAM.findall(proof.by)
    known = sorted(
        f"tests/repro/{file.name}" for file in (_ROOT / "tests/repro").glob("*.[ps][yh]")
    )
    if not named:
        message = "no program is named"
        advice = "name the program that makes it happen, as tests/repro/rank_killed.py"
        yield Finding(loaded, ("proof", "by"), message, advice)
    for program in named:
        if not (_ROOT / program).is_file():
            advice = suggestion(program, known, "put the program there, or write another level")
            yield Finding(loaded, ("proof", "by"), f"there is no '{program}'", advice)
