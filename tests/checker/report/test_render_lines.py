"""The report as one line a diagnosis."""

from checker.report.render_lines import render_lines
from tests.checker.report_records import (
    EXIT_LINE,
    KILL_CATALOGUE,
    KILL_DIAGNOSIS,
    KILL_REPORT,
    diagnosis,
    line,
    observations,
    read_input,
    report,
    rule,
    writer,
)

FOOTER = (
    "Read 1 file, 10 lines; looked for 3 of 3 entries; trainwreck 0.1.0, catalogue of 2026-08-01.\n"
)


def shown(*items: object, **fields: object) -> str:
    """The lines of a report on one log."""
    seen = observations(read_input("a.log"))
    return render_lines(report(seen, *items, **fields), KILL_CATALOGUE)  # type: ignore[arg-type]


def test_each_diagnosis_is_one_line_at_its_evidence() -> None:
    """What followed from another is a note, and says of which."""
    assert render_lines(KILL_REPORT, KILL_CATALOGUE) == (
        "logs/dmesg.log:482:1: error: FAILED FIRST (certain), rank 1 on host node-a: The kernel "
        "killed a training process because the host ran out of memory [host-oom-kill]\n"
        "logs/console.log:71:1: note: FOLLOWED FROM host-oom-kill (likely), ranks 0, 2-3: The "
        "connection to a peer was lost [peer-connection-lost]\n"
        "Read 2 files, 1,682 lines; looked for 3 of 3 entries; trainwreck 0.1.0, catalogue of "
        "2026-08-01.\n"
    )


def test_the_level_tells_how_sure_it_is() -> None:
    """Likely is a warning, possible a note; what does no harm is a note however sure it is."""
    items = [KILL_DIAGNOSIS._replace(confidence=confidence) for confidence in (2, 1)]
    items.append(diagnosis(rule("advice", kind="benign")))
    levels = [text.split(":")[3].strip() for text in shown(*items).splitlines()[:-1]]
    assert levels == ["warning", "note", "note"]


def test_what_no_line_tells_stands_at_the_top_of_the_first_log() -> None:
    """A fact of the machine has no line."""
    assert (
        shown(diagnosis(rule("shm-limit"), rank=3))
        == ("a.log:1:1: error: FAILED FIRST (certain), rank 3: Title of shm-limit [shm-limit]\n")
        + FOOTER
    )


def test_errors_that_no_entry_explains_are_notes() -> None:
    """They are quoted, and what a terminal would obey is shown as text."""
    odd = line("a.log", 3, "[rank1]: RuntimeError: boom \x1b[2J", writer(1))
    assert (
        shown(unexplained=(odd,))
        == "a.log:3:1: note: no entry explains: RuntimeError: boom \\x1b[2J\n" + FOOTER
    )


def test_a_path_cannot_begin_a_line() -> None:
    """A line feed in a name is shown as what it is."""
    odd = EXIT_LINE._replace(path="a\nb")
    evidence = (KILL_DIAGNOSIS.evidence[1]._replace(line=odd),)
    item = KILL_DIAGNOSIS._replace(evidence=evidence)
    assert shown(item).startswith("a\\x0ab:91:1: error: ")


def test_nothing_diagnosed_still_says_what_was_read() -> None:
    """Silence is not health."""
    assert shown() == FOOTER
