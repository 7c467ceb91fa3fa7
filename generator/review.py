"""What a change of entries does, as a text for its reviewer."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from generator.errors import Problem
from generator.matrix import Found, Outcome
from generator.reporting import as_text, counted


class Healthy(NamedTuple):
    """A log of a run in which nothing failed, and what changed entries make of it."""

    name: str
    found: tuple[Found, ...]


def review_text(
    changed: Sequence[str],
    problems: Sequence[Problem],
    results: Sequence[Outcome],
    healthy: Sequence[Healthy],
) -> str:
    """Write the review in Markdown; the order is that of a reviewer's questions."""
    if not changed:
        return "### Entries\n\nNo entry is changed.\n"
    names = ", ".join(_code(name) for name in changed)
    loud = [one for one in healthy if one.found]
    parts = [
        f"### Entries\n\n{counted(len(changed), 'entry', 'entries')} changed: {names}.",
        _lint(problems),
        _matrix(results),
    ]
    if healthy:
        read = counted(len(healthy), "log")
        said = f"#### Healthy logs\n\nOf {read} of runs in which nothing failed, "
        if loud:
            rows = (f"| {_code(one.name)} | {_listed(one.found)} |" for one in loud)
            said += f"{len(loud)} make a changed entry speak:\n\n"
            said += "\n".join(("| log | found |", "| --- | --- |", *rows))
        else:
            said += "none makes a changed entry speak."
        parts.append(said)
    return "\n\n".join(parts) + "\n"


def _lint(problems: Sequence[Problem]) -> str:
    if not problems:
        return "#### Lint\n\nNo problems."
    return f"#### Lint\n\n{_block(as_text(problems))}"


def _matrix(results: Sequence[Outcome]) -> str:
    if not results:
        return "#### Matrix\n\nNo example was run."
    rows = (
        f"| {_code(one.id)} | {_cell(one.example)} | {'yes' if one.diagnosed else 'near miss'} | "
        f"{_listed(one.found) or 'nothing'} | {_cell('; '.join(one.problems)) or 'as declared'} |"
        for one in results
    )
    head = ("| entry | example | diagnosed | found | outcome |", "| --- | --- | --- | --- | --- |")
    return "\n".join(("#### Matrix", "", *head, *rows))


def _listed(found: Iterable[Found]) -> str:
    return ", ".join(f"{_code(one.id)} ({one.confidence}, {one.role})" for one in found)


def _code(text: str) -> str:
    """Write text of a contributor as code, which nothing in it can end."""
    return f"`{re.sub(r'[`|]', '', ' '.join(text.split()))}`"


def _cell(text: str) -> str:
    """Write text of a contributor so that it is no markup, mention or link."""
    return re.sub(r"[^\w\s.,;:()-]", lambda found: f"&#{ord(found[0])};", " ".join(text.split()))


def _block(text: str) -> str:
    """Fence text; no line of it can end the fence."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}{fence}"
