"""The page of an entry: its questions, and nothing that the entry does not answer."""

import re

import pytest

from generator.detection import Compare, Detect
from generator.pages import render
from generator.pages.entry import QUESTIONS, entry_page
from generator.pages.shown import View, choose
from tests.generator.pages.hostile import HOSTILE, assert_harmless, hostile_collection
from tests.generator.pages.rendering import parse_html, sample_collection, to_html


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """Render the samples."""
    return render(sample_collection())


INTRODUCTION = (
    "Each item is a signature, its name in italics. All that it asks for must be found of one "
    "process or on one host, in one attempt. By itself it makes the diagnosis certain (its "
    "strength is called decisive), likely (strong) or possible (weak); how these add up is the "
    "same for all entries."
)


def _answer(page: str, anchor: str) -> str:
    """Cut out what stands under a question."""
    found = re.search(rf"^## .* {{ #{anchor} [^\n]*}}\n\n(.*?)(?=\n\n## |\Z)", page, re.S | re.M)
    assert found, f"the page does not ask #{anchor}"
    return found.group(1)


def _anchors(page: str) -> list[str]:
    return re.findall(r"^## .* \{ #([a-z-]+) .*\}$", page, re.MULTILINE)


def test_an_entry_with_every_field_answers_every_question(pages: dict[str, str]) -> None:
    """The questions stand in their order; only the withdrawn general entry has no cause here."""
    expected = [question.anchor for question in QUESTIONS if question.anchor != "causes"]
    assert _anchors(pages["entries/sample-writer-stalls.md"]) == expected


def test_a_question_without_an_answer_is_not_asked(pages: dict[str, str]) -> None:
    """An entry with the required fields alone has a short page."""
    assert _anchors(pages["entries/sample-peer-waits.md"]) == [
        *("log", "production", "confirm", "why", "fix", "resume", "look-alikes", "chain"),
        *("causes", "checker", "references"),
    ]


def test_the_quick_answer_stands_first(pages: dict[str, str]) -> None:
    """Symptom, cause, fix, versions and proof are read before anything else."""
    head, page = pages["entries/sample-writer-stalls.md"].split("\n---\n", 1)
    assert head.startswith(
        "---\n"
        'title: "Sample trainer: a save to a shared folder never returns from write()"\n'
        'description: "The progress bar stands still at a save; the process lives, uses no CPU, '
        'and kill -9 does not end it."\n'
        'hide: ["navigation"]\n'
        'structured: "{\\"@context\\":\\"https://schema.org\\",'
    )
    assert page.startswith(
        "\n"
        "# Sample trainer: a save to a shared folder never returns from `write()` { #entry }\n"
        "\n"
        "[Hang](../categories/hang.md) · [PyTorch](../frameworks/pytorch.md) · "
        "[Sample trainer](../frameworks/sample-trainer.md) · the run hangs, when saving or at "
        "shutdown · the cause lies in the storage\n"
        "{ .facts }\n"
        "\n"
        '!!! quick-answer "Quick answer"\n'
        "\n"
        "    Symptom\n"
        "    :   The progress bar stands still at a save; the process lives, uses no CPU, and "
        "`kill -9` does not end it.\n"
        "\n"
        "    Cause\n"
        "    :   The thread that writes the checkpoint waits in the kernel for an answer of the "
        "file server, and that wait has no time limit.\n"
        "\n"
        "    Fix\n"
        "    :   Restart the file server, then save to a local disk and copy finished checkpoints "
        "from there. [All steps](#fix)\n"
        "\n"
        "    Versions\n"
        "    :   **sample-trainer** <code>&#62;&#61;2.1,&#60;2.4</code>; **sample-server** "
        "all versions\n"
        "\n"
        "    Proof\n"
        "    :   [Reproduced, last checked on 2025-03-01](../diagnosis.md#proof)\n"
        "\n"
        "[In my log](#log) · [Confirm](#confirm) · [Stop the run](#stop) · [Fix](#fix) · "
        "[Resume](#resume) · [Look-alikes](#look-alikes)\n"
        "{ .jumps }\n"
        "\n"
        '## What does it mean for me? { #readers data-toc-label="For you" }\n'
    )


def test_messages_are_shown_as_printed(pages: dict[str, str]) -> None:
    """A message can be copied; a placeholder shows its type, without the name of its capture."""
    answer = parse_html(to_html(_answer(pages["entries/sample-writer-stalls.md"], "log"))).text
    assert "Saving model checkpoint to <path>\n" in answer
    assert (
        "Watchdog caught collective operation timeout: <word>(SeqNum=<n>) ran for <ms> milliseconds"
        in answer
    )
    assert "<path> is a path without blanks." in answer


def test_what_must_not_be_seen_is_no_message_to_search_for(pages: dict[str, str]) -> None:
    """Signs that refute the failure are not offered as its messages."""
    answer = _answer(pages["entries/sample-writer-stalls.md"], "log")
    assert "Checkpoint saved in" not in answer
    assert "cannot open" not in answer


def test_checks_say_what_yes_and_no_look_like(pages: dict[str, str]) -> None:
    """A single check needs no number; its command is left out where there is none."""
    assert _answer(pages["entries/sample-peer-waits.md"], "confirm") == (
        "See which rank printed no timeout.\n"
        "\n"
        "**Yes**{ .yes }\n"
        ":   One rank is missing.\n"
        "\n"
        "**No**{ .possible }\n"
        ":   All ranks printed it."
    )


def test_the_signs_are_told_in_words(pages: dict[str, str]) -> None:
    """The answer says for each confidence what must be seen, and what speaks against it."""
    answer = _answer(pages["entries/sample-writer-stalls.md"], "checker")
    words = " ".join(parse_html(to_html(answer)).text.split())
    assert words == (
        f"{INTRODUCTION} "
        "Where what stands under and not cannot be told, the item makes it one step less sure. "
        "certain: the writer waits for the file server, if all of this is seen: "
        "a stack dump shows sample_client_rpc or sample_flush, the thread being in state D, "
        "in at least one process "
        "the fact mount.fstype is 9p "
        "all of this has the same host "
        "likely if all of this is seen: "
        "within 600 s after this: a line of a rank holds Saving model checkpoint to <path:folder> "
        "(printed since 2.1) or Save <n> begins in <path> (printed until 2.0.9); "
        "there is no sign of this: "
        "a line holds Checkpoint saved in <dur:took>; and something proves that the time passed "
        "at least 2 times per rank: a line holds Watchdog caught collective operation timeout: "
        "<word>(SeqNum=<n>) ran for <ms:ran> milliseconds "
        "and at least one of these: "
        "the fact mount.fstype is 9p "
        "the version of sample-trainer is >=2.1,<2.4 "
        "and not: "
        "the exception SampleIOError is printed and its message holds cannot open <path>: <word> "
        "possible if within 600 s after this: a line of a rank holds "
        "Saving model checkpoint to <path:folder> "
        "(printed since 2.1) or Save <n> begins in <path> (printed until 2.0.9); "
        "there is no sign of this: "
        "a line holds Checkpoint saved in <dur:took>; and something proves that the time passed "
        "Each of these, if it is about the same process or host, lowers the confidence by one "
        "step: "
        "a process ends by signal 9 (SIGKILL), and the kernel ended it "
        "Ruled out by any of these, if it is about the same process or host: "
        "a line holds Checkpoint saved in <dur:took> "
        "It counts as recovered if the same process counts two more steps afterwards, or ends "
        "well. A printed version outside the affected ones rules it out. "
        "When it happened, and values beside a message "
        "Printed late, it happened at some time before: "
        "a process ends by signal 9 (SIGKILL), and the kernel ended it"
    )


def test_signs_are_named_where_their_values_are_compared() -> None:
    """A comparison of two signs' values says which line each value comes from."""
    detect = Detect.model_validate(
        {
            "signs": {"kill": "Killed process <pid>", "writer": "writer <pid>", "end": "end"},
            "signatures": [{"decisive": ["kill", "writer", "end"]}],
        }
    )
    (signature,) = detect.signatures
    compared = Compare(compare="kill.pid == writer.pid")
    signature = signature.model_copy(update={"all": [*signature.all, compared]})
    collection = sample_collection()
    sample = collection.entries["sample-peer-waits"]
    detect = detect.model_copy(update={"signatures": [signature]})
    sample = sample._replace(entry=sample.entry.model_copy(update={"detect": detect}))
    page = render(collection._replace(entries={sample.id: sample}))["entries/sample-peer-waits.md"]
    words = " ".join(parse_html(to_html(_answer(page, "checker"))).text.split())
    assert words.startswith(
        f"{INTRODUCTION} certain if all of this is seen: "
        "kill: a line holds Killed process <pid> "
        "writer: a line holds writer <pid> "
        "a line holds end "
        "the printed values satisfy kill.pid == writer.pid "
    )


def test_chains_are_linked_both_ways(pages: dict[str, str]) -> None:
    """What causes an entry is known from the entries that lead to it."""
    assert _answer(pages["entries/sample-writer-stalls.md"], "consequences") == (
        "-   [A peer waits in a collective until its watchdog ends it](sample-peer-waits.md), "
        "on other ranks, within 30 minutes"
    )
    assert _answer(pages["entries/sample-peer-waits.md"], "causes") == (
        "-   [Sample trainer: a save to a shared folder never returns from `write()`]"
        "(sample-writer-stalls.md), on other ranks, within 30 minutes"
    )


def test_more_exact_entries_are_named(pages: dict[str, str]) -> None:
    """The general entry lists its exact cases, and each of them names the general one."""
    assert _answer(pages["entries/sample-hang.md"], "look-alikes") == (
        "Special cases of this one: [Sample trainer: a save to a shared folder never returns "
        "from `write()`](sample-writer-stalls.md)."
    )
    assert (
        "This is a special case of [A run stands still and says nothing](sample-hang.md)."
        in _answer(pages["entries/sample-writer-stalls.md"], "look-alikes")
    )


def test_a_withdrawn_entry_says_so(pages: dict[str, str]) -> None:
    """A page that turned out to be wrong warns before its quick answer."""
    page = pages["entries/sample-hang.md"]
    assert page.index('!!! warning "Withdrawn"') < page.index("!!! quick-answer")


def test_a_symptom_sends_to_its_cause(pages: dict[str, str]) -> None:
    """A page of a symptom says that something else failed first."""
    assert "something else failed first" in pages["entries/sample-peer-waits.md"]


def test_a_reported_failure_is_never_called_certain(pages: dict[str, str]) -> None:
    """The cap that the proof sets on the confidence stands beside the signs."""
    answer = _answer(pages["entries/sample-peer-waits.md"], "checker")
    assert "Because this failure is only reported so far, it is never called certain." in answer


@pytest.mark.parametrize("text", HOSTILE)
def test_no_field_of_an_entry_can_carry_html(text: str) -> None:
    """An entry that is hostile in every field has a page of harmless elements only."""
    page = render(hostile_collection(text))["entries/sample-writer-stalls.md"]
    head, content = page.split("\n---\n", 1)
    assert_harmless(to_html(content))
    assert "<" not in head


def test_a_page_ends_with_how_to_change_it() -> None:
    """Where the sources are known, it links to its file, its history and a form for mistakes."""
    collection = sample_collection()
    entry = collection.entries["sample-writer-stalls"]
    entry = entry._replace(path="entries/sample-writer-stalls.md")
    shown = choose({**collection.entries, entry.id: entry}.values())
    address = "https://example.org/project"
    page = entry_page(View(entry, shown, address))
    assert page.rpartition("\n\n")[2] == (
        f"[Edit this page]({address}/edit/main/entries/sample-writer-stalls.md) · "
        f"[Report a mistake]({address}/issues/new?template=wrong-page.yml"
        "&entry=sample-writer-stalls) · "
        f"[History]({address}/commits/main/entries/sample-writer-stalls.md) · "
        "[This entry as data](../api/v1/entries/sample-writer-stalls.json)\n{ .entry-links }"
    )
    assert "Edit this page" not in entry_page(View(entry, shown))
