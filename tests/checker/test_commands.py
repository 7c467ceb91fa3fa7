"""The commands that need no log."""

import pytest

from checker.arguments import Request, UsageError
from checker.commands import COMMANDS, catalogue_age
from checker.outcome import Outcome
from tests.checker.report_records import KILL, KILL_CATALOGUE, catalogue


def run(command: str, *words: str) -> Outcome:
    """Run a command on the hand-made catalogue."""
    found = next(item for item in COMMANDS if item.name == command)
    return found.run(Request(command, True, words, {}, False), KILL_CATALOGUE)


def test_list_names_every_entry() -> None:
    """An id begins each line that is not indented, so that they can be searched."""
    assert run("list").text == (
        "host-oom-kill: The kernel killed a training process because the host ran out of\n"
        "    memory\n"
        "peer-connection-lost: The connection to a peer was lost\n"
        "shm-limit: Shared memory was full\n"
    )


def test_explain_finds_an_entry_by_a_former_id() -> None:
    """Old ids live on."""
    known = catalogue({**KILL, "aliases": ["oom-killer"]})
    found = next(item for item in COMMANDS if item.name == "explain")
    text = found.run(Request("explain", True, ("oom-killer",), {}, False), known).text
    assert text.split("\n")[1] == (
        "  host-oom-kill; failure; formerly oom-killer; the mechanism was read in the"
    )


@pytest.mark.parametrize(
    ("argv", "problem", "remedy"),
    [
        (["explain"], "'explain' needs one id", "the command 'list' shows all ids"),
        (["explain", "host-oom"], "there is no entry 'host-oom'", "did you mean host-oom-kill?"),
        (["explain", "zzz"], "there is no entry 'zzz'", "the command 'list' shows all entries"),
        (["list", "a.log"], "'list' takes no 'a.log'", "write list alone"),
    ],
)
def test_words_that_make_no_sense_are_refused(argv: list[str], problem: str, remedy: str) -> None:
    """The remedy names what would make sense."""
    with pytest.raises(UsageError) as refused:
        run(*argv)
    assert (str(refused.value), refused.value.remedy) == (problem, remedy)


def test_version_tells_the_catalogue_and_its_age() -> None:
    """The age is that of the day on which it is asked."""
    lines = run("version").text.split("\n")
    assert lines[0] == "trainwreck 0.1.0"
    assert lines[1].startswith("catalogue 2026-08-01 of 3 entries, ")
    assert lines[2:] == ["sha256    " + "f" * 64, ""]


@pytest.mark.parametrize(
    ("today", "age"), [(20666, "0 days old"), (20667, "1 day old"), (20665, None)]
)
def test_the_age_counts_days(today: int, age: str | None) -> None:
    """A clock that runs behind does not make a negative age."""
    assert catalogue_age("2026-08-01", today) == (age or "newer than this machine's clock")


def test_a_self_test_without_examples_fails() -> None:
    """Nothing was proven."""
    outcome = run("self-test")
    assert outcome == Outcome(70, "self-test: 0 examples of 3 entries, 0 failures\n")
