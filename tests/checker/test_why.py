"""The command that tells how one entry was judged."""

import json
from pathlib import Path
from typing import Any

import pytest

from checker.arguments import Request, UsageError
from checker.catalogue import Catalogue
from checker.outcome import Outcome
from checker.why import run_why
from tests.checker.failures import catalogue_of

KILLED = (
    "E1130 10:00:05.000000 1 torch/distributed/elastic/multiprocessing/api.py:984] "
    "failed (exitcode: -9) local_rank: 1 (pid: 4615) of binary: /usr/bin/python3\n"
)
KERNEL = "[  562.849352] Out of memory: Killed process 4615 (python3) total-vm:1kB\n"
LOST = "[rank0]: RuntimeError: [pair.cc:553] Connection closed by peer\n"


def why(folder: Path, name: str, known: Catalogue, form: str = "text", **files: str) -> Outcome:
    """Write the files and ask."""
    for stem, text in files.items():
        (folder / f"{stem}.log").write_text(text, encoding="utf-8")
    paths = sorted(f"{stem}.log" for stem in files)
    return run_why(Request("why", True, (name, *paths), {"--format": form}, False), known)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and the one that paths begin at."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cases(outcome: Outcome) -> list[dict[str, Any]]:
    """The cases of the only run."""
    (run,) = json.loads(outcome.text)["runs"]
    found: list[dict[str, Any]] = run["cases"]
    return found


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"kind": "stop"},
            "Not that anything shows. That would take a counter that went on for longer\n"
            "  than a stop allows.",
        ),
        ({"effect": "damages"}, "No; it does not pass of itself."),
    ],
)
def test_what_passes_by_no_usual_progress(folder: Path, fields: dict[str, str], words: str) -> None:
    """A stop passes only by much, and some entries never do."""
    detect = {"signs": {"lost": "Connection closed by peer"}, "signatures": [{"strong": ["lost"]}]}
    outcome = why(folder, "lost", catalogue_of("host-oom-killer", lost=(detect, fields)), a=LOST)
    assert "Whether it passed\n  " + words in outcome.text


def test_a_log_that_is_missing_is_named_as_what_decides(folder: Path) -> None:
    """The trace tells what is met, what is unknown and why, and which log would tell."""
    outcome = why(folder, "host-oom-killer", catalogue_of(), console=KILLED)
    assert outcome.text == (
        "host-oom-killer: A failure made up for a test\n"
        "  DIAGNOSED: possible, initiating, rank 1.\n"
        "\n"
        "What would decide\n"
        "  - kill: the kernel log of the host (dmesg -T, as root)\n"
        "\n"
        "Signatures\n"
        "   2. met (weak): no name\n"
        "      true     nine\n"
        "   1. unknown (decisive): no name\n"
        "      unknown  kill: no kernel log among the inputs\n"
        "      true     nine\n"
        "      -        then also asked: the same pid and the same host\n"
        "\n"
        "How sure\n"
        "  - possible: signature 2 is met\n"
        "\n"
        "Whether it passed\n"
        "  Not that anything shows. That would take two further steps, a regular end, or\n"
        "  many more ordinary lines.\n"
        "\n"
        "Its role\n"
        "  Initiating: nothing that could cause it, or began before it, is as sure.\n"
        "\n"
        "Signs\n"
        "  nine: true\n"
        "      a process ended by SIGKILL\n"
        "      console.log:1  (rank 1)\n"
        "        | ...failed (exitcode: -9) local_rank: 1 (pid: 4615) of binary:\n"
        "        | /usr/bin/python3\n"
        "  kill: unknown, no kernel log among the inputs\n"
        '      a line with "Out of memory: Killed process <pid>" or "out of memory:\n'
        '      Killed process <pid>" in the kernel log\n'
    )
    assert outcome.status == 0


def test_a_condition_that_does_not_hold_shows_what_it_compared(folder: Path) -> None:
    """The process that the kernel killed is another one: both ids are told."""
    kernel = KERNEL.replace("4615", "77")
    outcome = why(folder, "host-oom-killer", catalogue_of(), "json", console=KILLED, dmesg=kernel)
    signature = cases(outcome)[0]["signatures"][0]
    (place,) = signature["places"]
    assert [(a["sign"], a["value"], a["reason"]) for a in place["answers"]] == [
        ("kill", True, None),
        ("nine", True, None),
        (None, None, "not known: the host of 'kill', the host of 'nine'"),
    ]


def test_a_sign_of_another_process_is_false_here(folder: Path) -> None:
    """Each rank shows one of two signs: the trace tells of either what it lacks, and why."""
    two = {
        "signs": {"a": "first words", "b": "other words"},
        "signatures": [{"strong": ["a", "b"]}],
    }
    log = "[rank0]: first words\n[rank1]: other words\n"
    (case,) = cases(why(folder, "two", catalogue_of("disk-full", two=(two, {})), "json", a=log))
    places = [
        (place["rank"], [(a["sign"], a["value"], a["reason"]) for a in place["answers"]])
        for place in case["signatures"][0]["places"]
    ]
    elsewhere = "seen, but of another process or host"
    assert places == [
        (0, [("a", True, None), ("b", False, elsewhere)]),
        (1, [("a", False, elsewhere), ("b", True, None)]),
    ]


def test_the_status_is_that_of_the_entry_alone(folder: Path) -> None:
    """Another entry that is likely does not count."""
    known = catalogue_of()
    assert why(folder, "peer-connection-lost", known, a=LOST).status == 1
    assert why(folder, "disk-full", known, a=LOST).status == 0
    (folder / "a.log").unlink()
    assert run_why(Request("why", True, ("disk-full", "a.log"), {}, False), known).status == 3


def test_an_entry_of_which_nothing_was_seen_has_a_trace_too(folder: Path) -> None:
    """Its signs say what is not there."""
    outcome = why(folder, "disk-full", catalogue_of(), a=LOST)
    assert outcome.text == (
        "disk-full: A failure made up for a test\n"
        "  NOT DIAGNOSED: nothing that could begin it was seen.\n"
        "\n"
        "Signatures\n"
        "   1. not met (decisive): no name\n"
        "      false    full: no such exception\n"
        "\n"
        "Signs\n"
        "  full: false, no such exception\n"
        '      an OSError that says "No space left on device"\n'
    )


def test_a_title_begins_as_its_entry_has_it(folder: Path) -> None:
    """The name of a program is not spelled anew."""
    detect = {"signs": {"lost": "Connection closed by peer"}, "signatures": [{"strong": ["lost"]}]}
    known = catalogue_of(lost=(detect, {"title": "torchrun lost a peer"}))
    assert why(folder, "lost", known, a=LOST).text.startswith("lost: torchrun lost a peer\n")


def test_an_exception_that_was_handled_is_told_from_none(folder: Path) -> None:
    """Who sees it in the log learns why it does not count."""
    log = (
        "2026-01-02 03:04:05 WARNING later\nTraceback (most recent call last):\n"
        '  File "t.py", line 1, in save\n    write()\nOSError: No space left on device\n'
        "step 2\nstep 3\n"
    )
    outcome = why(folder, "disk-full", catalogue_of(), a=log)
    reason = "only one that was logged below ERROR, or ignored, by a process that went on"
    assert "Signs full: false, " + reason in " ".join(outcome.text.split())


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ("", "2026-01-02T03:05:05+0000", "not known: the time of 'a'"),
        (
            "2026-01-02 03:04:05 ",
            "2026-01-02T03:05:05+0000",
            "nothing ties their clocks; times that are printed with their zone can be compared",
        ),
        ("2026-01-02T03:04:05+00:00 ", "2026-01-02T03:04:05+0000", "the times do not tell"),
    ],
    ids=["one has no time", "one zone is not known", "the same second"],
)
def test_an_order_that_is_not_known_says_why(
    first: str, second: str, reason: str, folder: Path
) -> None:
    """What can be given besides is another log, or times that can be compared."""
    two = {
        "signs": {"a": "the first words of it", "b": "the other words of it"},
        "signatures": [{"strong": ["a", "b", {"order": ["a", "b"]}]}],
    }
    journal = second + " node1 systemd[1]: the other words of it\n"
    files = {"x": first + "the first words of it\n", "y": journal}
    outcome = why(folder, "two", catalogue_of("disk-full", two=(two, {})), **files)
    assert "in this order: a, b: " + reason in " ".join(outcome.text.split())


def test_a_consequence_names_its_cause_and_the_edge(folder: Path) -> None:
    """The kill explains the lost connection, since a failure that dies shows as symptoms."""
    files = {"console": KILLED + LOST, "dmesg": KERNEL}
    (case,) = cases(why(folder, "peer-connection-lost", catalogue_of(), "json", **files))
    told = {key: case[key] for key in ("verdict", "role", "consequence_of", "edge", "order")}
    assert told == {
        "verdict": "diagnosed",
        "role": "consequence",
        "consequence_of": "host-oom-killer",
        "edge": "symptom",
        "order": None,
    }


def test_a_hidden_entry_names_the_one_that_hides_it(folder: Path) -> None:
    """An exact entry tells the same better."""
    known = catalogue_of(
        lost_with_address=(
            {
                "signs": {"at": {"log": "pair.cc:553] Connection closed by peer"}},
                "signatures": [{"decisive": ["at"]}],
            },
            {"kind": "symptom", "relations": {"refines": ["peer-connection-lost"]}},
        )
    )
    outcome = why(folder, "peer-connection-lost", known, a=LOST)
    assert outcome.text.split("\n")[1] == (
        "  HIDDEN (likely): lost-with-address says it more exactly, rank 0."
    )


def test_every_step_of_the_confidence_has_its_reason(folder: Path) -> None:
    """What speaks against it lowers it, a rival on the same line caps it."""
    weaker = {
        "signs": {"closed": {"log": "Connection closed by peer"}, "calm": {"log": "all is calm"}},
        "signatures": [{"decisive": ["closed"]}],
        "against": ["calm"],
    }
    known = catalogue_of("host-oom-killer", net_down=(weaker, {}), cable_out=(weaker, {}))
    (case,) = cases(why(folder, "net-down", known, "json", a=LOST + "[rank0]: all is calm\n"))
    assert [(step["rule"], step["confidence"], step["reason"]) for step in case["steps"]] == [
        ("signature", "certain", "signature 1 is met"),
        ("against", "likely", 'against it speaks a line with "all is calm"'),
    ]
    (case,) = cases(why(folder, "net-down", known, "json", a=LOST))
    assert case["steps"][1:] == [
        {
            "rule": "rival",
            "confidence": "likely",
            "reason": "it rests on the same line as cable-out, and nothing relates them",
        }
    ]


def test_what_is_not_shown_says_why(folder: Path) -> None:
    """A possible entry is left out where a surer one explains the same rank."""
    known = catalogue_of(
        "disk-full",
        perhaps=({"signs": {"s": {"log": "saving model"}}, "signatures": [{"weak": ["s"]}]}, {}),
    )
    text = (
        "saving model\nTraceback (most recent call last):\n"
        '  File "t.py", line 1, in <module>\n    save()\nOSError: No space left on device\n'
    )
    outcome = why(folder, "perhaps", known, a=text)
    assert outcome.text.split("\n")[1:3] == [
        "  NOT SHOWN (possible): it is merely possible, and disk-full explains the same",
        "    ranks.",
    ]


@pytest.mark.parametrize(
    ("words", "problem", "remedy"),
    [
        ((), "'why' needs an id and a log", "the command 'list' shows all ids"),
        (
            ("disk-full",),
            "no log was named after 'disk-full'",
            "give the path of a log, a folder of logs, or - for standard input",
        ),
        (("disk-ful", "a"), "there is no entry 'disk-ful'", "did you mean disk-full?"),
    ],
)
def test_words_that_are_missing_are_asked_for(
    words: tuple[str, ...], problem: str, remedy: str
) -> None:
    """An id and a path are both needed."""
    with pytest.raises(UsageError) as refused:
        run_why(Request("why", True, words, {}, False), catalogue_of())
    assert (str(refused.value), refused.value.remedy) == (problem, remedy)
