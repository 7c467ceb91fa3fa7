"""Answers by which a reader recognizes the failure."""

import re

from checker.wordings import PLACEHOLDERS
from generator import detection as d
from generator.model import Confirmation, Entry, Example
from generator.pages.fine_print import fine_print
from generator.pages.labels import KINDS, ORIGINS, listing
from generator.pages.markup import (
    box,
    bullets,
    definitions,
    folded,
    marked,
    numbered,
    paragraphs,
    wrapped,
)
from generator.pages.messages import ANY_TEXT, Message, messages, search_command
from generator.pages.shown import View
from generator.pages.signs import describe_condition, describe_sign
from generator.pages.text import code, fenced, prose

_SIGN_OF_VALUE = re.compile(r"\b([a-z][a-z0-9_]*)\.[a-z]")
_CONFIDENCE = {"decisive": "certain", "strong": "likely", "weak": "possible"}
_INTRODUCTION = (
    "Each item is a [signature](../detection.md#signatures), its name in italics. All that it "
    "asks for must be found of one process or on one host, in one attempt. By itself it makes the "
    "diagnosis certain (its strength is called `decisive`), likely (`strong`) or possible (`weak`)"
    "; [how these add up](../detection.md#confidence) is the same for all entries."
)
_THERE = "if it is about the same process or host"
_UNKNOWN = (
    "Where what stands under *and not* [cannot be told](../detection.md#truth), the item makes it "
    "one step less sure."
)


def in_a_log(view: View) -> str:
    """Say how to look for the failure in a log: by the checker, and by its messages."""
    command = fenced(f"python3 trainwreck.py --only {view.id} LOG", "bash")
    found = messages(view.entry.detect, logs_of(view.entry))
    return paragraphs(
        "[Paste the log](../paste.md), or ask the [checker](../checker.md), which needs only "
        "Python:",
        command,
        "Or search the logs yourself; `LOG` is a file or a folder." if any(found) else "",
        *(
            _searched(
                f"One of these is enough{place}.",
                [one for one in found.deciding if one.place == place],
            )
            for place in dict.fromkeys(one.place for one in found.deciding)
        ),
        _searched(
            "Not enough alone, the most telling first: more must stand beside it, or a rarer "
            "failure prints it too.",
            found.telling,
        ),
        _searched("Only a hint, which makes it possible: several failures print it.", found.hints),
        _placeholders("".join(one.text for group in found for one in group)),
    )


def logs_of(entry: Entry) -> list[str]:
    """List the logs in which an entry is recognized."""
    return [log for example in entry.examples.diagnosed for log in _logs(example).values()]


def _searched(lead: str, found: list[Message]) -> str:
    """Write messages as they are printed, and the command that finds them."""
    if not found:
        return ""
    texts = dict.fromkeys(message.text for message in found if message.text)
    # In one block, long messages that wrap on a phone would run together.
    printed = [fenced(text) for text in texts]
    return paragraphs(f"**{lead}**", *printed, fenced(search_command(found), "bash"))


def _placeholders(messages: str) -> str:
    meanings = [f"{code(ANY_TEXT)} is any text"] if f": {ANY_TEXT} " in messages else []
    meanings += [
        f"{code(f'<{name}>')} is {meaning}"
        for name, (_, meaning) in PLACEHOLDERS.items()
        if f"<{name}>" in messages
    ]
    return f"In these messages, {listing(meanings)}." if meanings else ""


def in_production(view: View) -> str:
    """Tell what is seen, and why the mechanism makes it so."""
    pairs = [(prose(one.sees), prose(one.because)) for one in view.entry.symptoms]
    return paragraphs(
        view.section("What it looks like in production"),
        "What you see, and why:",
        definitions(pairs),
    )


def confirmed(view: View) -> str:
    """List the checks, the cheapest first."""
    checks = [_check(one) for one in view.entry.confirm]
    if len(checks) == 1:
        return checks[0]
    return paragraphs("The cheapest check first:", numbered(checks))


def _check(check: Confirmation) -> str:
    return paragraphs(
        prose(check.check),
        fenced(check.run, "bash") if check.run else "",
        definitions(
            [
                (marked("Yes", "yes"), prose(check.yes)),
                (marked("No", "possible"), prose(check.no)),
            ]
        ),
    )


def by_the_checker(view: View) -> str:
    """Say in words by which signs the checker knows the failure."""
    detect = view.entry.detect
    return paragraphs(
        _INTRODUCTION,
        _UNKNOWN if any(signature.none for signature in detect.signatures) else "",
        bullets(_signature(signature, detect.signs) for signature in detect.signatures),
        _listed(
            f"Each of these, {_THERE}, lowers the confidence by one step:",
            detect.against,
            detect.signs,
        ),
        _listed(f"Ruled out by any of these, {_THERE}:", detect.rules_out, detect.signs),
        _listed(
            "Before a run, the command `preflight` warns of it for any of these:",
            detect.preflight,
            detect.signs,
        ),
        fine_print(view.entry),
    )


def _signature(signature: d.Signature, signs: dict[str, d.AnySign]) -> str:
    confidence = marked(_CONFIDENCE[signature.strength], _CONFIDENCE[signature.strength])
    name = f": *{prose(signature.name)}*," if signature.name else ""
    every, some, never = (
        [_called(one, _compared(signature)) + describe_condition(one, signs) for one in conditions]
        for conditions in (signature.all, signature.any, signature.none)
    )
    if len(every) == 1 and not some and not never:
        return f"{confidence}{name} if {every[0]}"
    parts = [
        _conditions("if this is seen:" if len(every) == 1 else "if all of this is seen:", every),
        _conditions("and at least one of these:" if every else "if any of this is seen:", some),
        _conditions("and not:", never),
    ]
    first, *rest = [part for part in parts if part]
    return paragraphs(f"{confidence}{name} {first}", *rest)


def _compared(signature: d.Signature) -> set[str]:
    """Name the signs whose values a comparison tells apart by the signs' names."""
    comparisons = [
        one.compare
        for one in [*signature.all, *signature.any, *signature.none]
        if isinstance(one, d.Compare)
    ]
    return set(_SIGN_OF_VALUE.findall(" ".join(comparisons)))


def _called(condition: d.Condition, compared: set[str]) -> str:
    return f"{code(condition)}: " if isinstance(condition, str) and condition in compared else ""


def _conditions(lead: str, clauses: list[str]) -> str:
    return paragraphs(lead, bullets(clauses)) if clauses else ""


def _listed(lead: str, names: list[str], signs: dict[str, d.AnySign]) -> str:
    return _conditions(lead, [describe_sign(name, signs) for name in names])


def examples(view: View) -> str:
    """Show the logs that must be diagnosed, and the near misses that must not."""
    logs = view.entry.examples
    diagnosed = [_example("diagnosed", "Diagnosed", one) for one in logs.diagnosed]
    near = [_example("near-miss", "Not this", one) for one in logs.not_diagnosed]
    return paragraphs(
        "Every build of the checker is tested on these." if diagnosed or near else "",
        *diagnosed,
        wrapped("near-misses", paragraphs(*near)) if near else "",
    )


def _example(kind: str, verdict: str, example: Example) -> str:
    files = _logs(example)
    facts = [f"{code(name)}: {code(_value(value))}" for name, value in example.facts.items()]
    facts += [f"{code(name)}: version {code(v)}" for name, v in example.versions.items()]
    content = paragraphs(
        f"The log is {ORIGINS[example.origin]}." if files else "",
        *(fenced(log, title=name) for name, log in files.items()),
        _conditions("Also known:" if files else "What is known:", facts),
        _expected(example),
    )
    return folded(kind, f"{verdict}: {prose(example.name, links=False)}", content)


def _logs(example: Example) -> dict[str, str]:
    return dict(example.files) if example.log is None else {"": example.log}


def _value(value: bool | int | float | str | list[str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)


def _expected(example: Example) -> str:
    expect = example.expect
    if expect is None:
        return ""
    said = [marked(expect.confidence, expect.confidence)] if expect.confidence else []
    said += [expect.role] if expect.role else []
    said += [f"rank {expect.rank}"] if expect.rank is not None else []
    return f"The checker must say: {', '.join(said)}." if said else ""


def kind_of_entry(view: View) -> str:
    """Warn where the entry is no failure itself, or no longer valid."""
    boxes = []
    if view.entry.status == "withdrawn":
        text = "This page turned out to be wrong. It stays for people who follow an old link."
        boxes.append(box("warning", "Withdrawn", text))
    if KINDS[view.entry.kind]:
        boxes.append(box("note", "What kind of entry this is", KINDS[view.entry.kind]))
    return paragraphs(*boxes)
