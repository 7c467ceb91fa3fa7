"""One diagnosis in words."""

from checker.model import Sighting
from checker.report.accounts import command_rows, evidence_rows, headline_rows
from tests.checker.report_records import (
    DISK,
    KERNEL_LINE,
    KILL,
    KILL_DIAGNOSIS,
    PEER_LINE,
    diagnosis,
    line,
    rule,
    sighting,
    writer,
)


def quoted(found: Sighting, indent: str = "  ") -> list[tuple[str, str]]:
    """The rows of one sighting."""
    return evidence_rows(KILL, [found], 1, 2, indent)


def test_a_fact_without_a_line_is_told_without_a_place() -> None:
    """A probe has no file and no number."""
    fact = sighting(PEER_LINE, "memory.oom_kills is 3", "fact", line=None)
    assert quoted(fact) == [("quote", "  memory.oom_kills is 3")]


def test_a_text_of_several_lines_is_quoted_by_its_first() -> None:
    """The message of an exception may go on for pages."""
    seen = line("a.log", 7, "Traceback (most recent call last):", writer(2))
    found = sighting(seen, "KeyError: 'input_ids'\nand more", "traceback")
    assert quoted(found) == [
        ("plain", "  a.log:7  (rank 2)"),
        ("quote", "    | KeyError: 'input_ids'"),
    ]


def test_an_event_after_a_silence_is_marked() -> None:
    """It may be of no run any more."""
    found = sighting(KERNEL_LINE, "Killed process 4242", late=True)
    place, note = quoted(found)[0][1].split("  (")
    assert (place.strip(), note) == (
        f"{KERNEL_LINE.path}:{KERNEL_LINE.number}",
        "kernel, later than the last line of the run)",
    )


def test_a_quote_cannot_command_the_terminal() -> None:
    """Neither its text nor the name of its file."""
    seen = line("\x1b]0;x\x07.log", 1, "oops \x1b[2J\u202e", writer(None, "unknown"))
    assert quoted(sighting(seen, "oops"), "") == [
        ("plain", "\\x1b]0;x\\x07.log:1"),
        ("quote", "  | oops \\x1b[2J\\u202e"),
    ]


def test_a_quote_is_clipped_around_what_the_sign_asks_for() -> None:
    """A message that stands far behind in its line is seen all the same."""
    seen = line("a.log", 1, "x" * 300 + "No space left on device" + "y" * 300, writer(0))
    assert evidence_rows(DISK, [sighting(seen, seen.text, sign="full")], 1, 1, "  ") == [
        ("plain", "  a.log:1  (rank 0)"),
        ("quote", "    | " + "..." + "x" * 23 + "No space left on device" + "y" * 22 + "..."),
    ]


def test_a_quote_may_go_on_in_a_second_line() -> None:
    """The evidence of what failed first is worth the room."""
    seen = line("a.log", 1, "No space left on device" + "y" * 100, writer(0))
    assert evidence_rows(DISK, [sighting(seen, seen.text, sign="full")], 1, 2, "  ")[1:] == [
        ("quote", "    | No space left on device" + "y" * 51),
        ("quote", "    | " + "y" * 49),
    ]


def test_the_frame_of_an_exception_is_told_below_it() -> None:
    """The person sees which line of their code to open."""
    seen = line("a.log", 7, "KeyError: 'input_ids'", writer(2))
    values = (("code", 'record["input_ids"]'), ("frame", "/workspace/data.py:41 in collate"))
    found = sighting(seen, "KeyError: 'input_ids'", "traceback", values=values)
    assert quoted(found)[1:] == [
        ("quote", "    | KeyError: 'input_ids'"),
        ("quote", "    | raised at /workspace/data.py:41 in collate"),
        ("quote", '    | record["input_ids"]'),
    ]


def test_a_line_that_several_signs_ask_for_is_quoted_once() -> None:
    """The same line twice is no more evidence."""
    found = [sighting(PEER_LINE, "closed", sign=sign) for sign in ("one", "two")]
    assert len(evidence_rows(KILL, found, 6, 1, "  ")) == 2


def test_evidence_beyond_the_limit_is_counted() -> None:
    """The rest stands in the JSON report."""
    lines = [KERNEL_LINE._replace(number=number) for number in range(5)]
    found = [sighting(seen, "Killed") for seen in lines]
    assert evidence_rows(KILL, found, 1, 1, "  ")[2:] == [
        ("plain", "  and 4 more (--format json has all)")
    ]


def test_a_command_of_several_lines_keeps_them() -> None:
    """It is copied as a whole."""
    assert command_rows("a |\n  b\n", "  ") == [("quote", "  $ a |"), ("quote", "      b")]
    assert command_rows(None, "  ") == []


def test_the_second_line_identifies_the_diagnosis() -> None:
    """Id, onset, all ranks, attempt, and the general entry that it replaces."""
    found = KILL_DIAGNOSIS._replace(
        rule=rule("short", title="it ended."),
        ranks=(1, 2),
        attempt=3,
        general={"id": "rank-killed", "confidence": "likely"},
    )
    assert headline_rows(found) == [
        ("alarm", "FAILED FIRST (certain), rank 1 on host node-a: It ended"),
        (
            "plain",
            "  short, began 2026-08-14 03:11:52, seen on ranks 1-2, attempt 3, more exact",
        ),
        ("plain", "  than rank-killed (likely)"),
    ]


def test_a_guess_beside_something_sure_is_marked_as_one() -> None:
    """The first line does not promise more than the evidence holds."""
    guess = diagnosis(rule("short", title="It ended"), confidence=1, rank=1)
    assert headline_rows(guess, True)[0][1] == "PERHAPS FAILED FIRST, rank 1: It ended"
    assert headline_rows(guess)[0][1] == "POSSIBLE, rank 1: It ended"


def test_a_place_that_is_not_known_is_said() -> None:
    """The verdict does not leave the question open."""
    rows = headline_rows(diagnosis(rule("short", title="It ended")))
    assert rows[0] == ("alarm", "FAILED FIRST (certain), rank not known: It ended")
