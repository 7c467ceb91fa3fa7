"""How long lines are read for the sake of an exception whose writer is silent."""

from typing import Any

from checker.model import Line, Writer
from checker.scan.notes import WriterNotes
from checker.scan.observe import observe_texts
from checker.scan.open_blocks import OpenBlocks
from checker.scan.samples import WHOLE

HEADER = "Traceback (most recent call last):"
FRAME = '  File "/opt/train.py", line 9, in step'


def notes_of(rank: int, *texts: str) -> WriterNotes:
    """Feed the lines of a rank."""
    writer = Writer("rank", rank, None, None, None, None)
    notes = WriterNotes(writer, WHOLE)
    for number, text in enumerate(texts, 1):
        rest: tuple[Any, ...] = (text, text, writer, None, None, None, ())
        notes.tracebacks.feed(Line("run.log", number, *rest))
    return notes


def lines_until_closed(notes: WriterNotes) -> int:
    """Count the lines of another rank that are read until nothing is open."""
    opened, other = OpenBlocks(), notes_of(2)
    opened.heard((1,), notes)
    lines = 0
    while opened:
        opened.heard((2,), other)
        lines += 1
    return lines


def test_exception_that_was_told_waits_for_few_lines() -> None:
    """What may follow on an exception comes soon; that of a block without one may come late."""
    assert lines_until_closed(notes_of(1, HEADER, FRAME, "ValueError: it broke")) == 80
    assert lines_until_closed(notes_of(1, HEADER, FRAME)) == 1000


def test_chains_of_many_ranks_that_print_in_turn_are_read_whole() -> None:
    """The cause and what it led to are one block, though 200 ranks write between them."""
    rows = [
        HEADER,
        FRAME,
        "OSError: stale file handle",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        HEADER,
        FRAME,
        "RuntimeError: cannot read the shard",
    ]
    text = "".join(f"[rank{rank}]: {row}\n" for row in rows for rank in range(200))
    seen = observe_texts({"run.log": text}, frozenset(), {}, {})
    told = {tuple(part.type for part in block.parts) for block in seen.tracebacks}
    assert (len(seen.tracebacks), told) == (200, {("OSError", "RuntimeError")})
