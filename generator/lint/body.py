"""Checks of the body: its headings, and that each has an answer."""

from collections.abc import Iterator
from itertools import pairwise

from generator.body import HEADINGS, Section
from generator.errors import nearest, suggestion
from generator.lint.registry import Finding, entry_check
from generator.load import Loaded
from generator.prose import Prose, prose_of

_TITLES = [heading.title for heading in HEADINGS]
_FEWEST_WORDS = 8


@entry_check
def text_before_heading(loaded: Loaded) -> Iterator[Finding]:
    """All text of the body stands under a heading; the summary opens the page already."""
    for section in loaded.body:
        if not section.level:
            yield _at(
                loaded,
                section.text_line,
                "body",
                "there is text before the first heading",
                f"put it under '## {_TITLES[0]}', or remove it",
            )


@entry_check
def bad_heading(loaded: Loaded) -> Iterator[Finding]:
    """The body has only the fixed headings, all of the second level."""
    for section in _headed(loaded):
        if section.heading not in _TITLES:
            listed = "the headings are " + ", ".join(f"'## {title}'" for title in _TITLES)
            message = f"'{section.heading}' is none of the headings"
            advice = suggestion(section.heading, _TITLES, listed)
        elif section.level != 2:
            message = f"the heading is of level {section.level}"
            advice = f"write it as '## {section.heading}'"
        else:
            continue
        yield _at(loaded, section.line, "body", message, advice)


@entry_check
def heading_order(loaded: Loaded) -> Iterator[Finding]:
    """The headings stand in the same order in every entry."""
    known = {s.heading: s for s in reversed(_headed(loaded)) if s.heading in _TITLES}
    for before, section in pairwise(sorted(known.values(), key=lambda s: s.line)):
        if _TITLES.index(section.heading) < _TITLES.index(before.heading):
            yield _at(
                loaded,
                section.line,
                section.heading,
                f"the section stands after '{before.heading}'",
                f"move it up, before '## {before.heading}'",
            )


@entry_check
def duplicate_heading(loaded: Loaded) -> Iterator[Finding]:
    """A heading stands once."""
    seen: dict[str, int] = {}
    for section in _headed(loaded):
        if section.heading in _TITLES and section.heading in seen:
            yield _at(
                loaded,
                section.line,
                section.heading,
                f"the heading is already in line {seen[section.heading]}",
                "join the two sections",
            )
        seen.setdefault(section.heading, section.line)


@entry_check
def missing_heading(loaded: Loaded) -> Iterator[Finding]:
    """The sections that every entry has are there."""
    present = {section.heading for section in _headed(loaded)}
    meant = {nearest(heading, _TITLES) for heading in present - set(_TITLES)}
    last = max((section.line for section in loaded.body), default=_front_matter_end(loaded))
    for heading in HEADINGS:
        if heading.required and heading.title not in present | meant:
            yield _at(
                loaded,
                last,
                "body",
                f"the section '{heading.title}' is missing",
                f"add '## {heading.title}' and tell {heading.answers}",
            )


@entry_check
def empty_section(loaded: Loaded) -> Iterator[Finding]:
    """A heading has an answer below it; where there is none to give, there is no heading."""
    for prose in prose_of(loaded):
        words = len(prose.text.split())
        if not prose.heading or prose.heading not in _TITLES or words >= _FEWEST_WORDS:
            continue
        meant = next(heading for heading in HEADINGS if heading.title == prose.heading)
        instead = "" if meant.required else "; or remove the heading"
        counted = f"only {words} words" if words > 1 else "one word" if words else "nothing"
        yield _at(
            loaded,
            _line(loaded, prose),
            prose.heading,
            f"there is {counted} below the heading",
            f"tell {meant.answers}{instead}",
        )


def _headed(loaded: Loaded) -> list[Section]:
    return [section for section in loaded.body if section.level]


def _line(loaded: Loaded, prose: Prose) -> int:
    return next(s.line for s in loaded.body if s.text_line == prose.line and s.level)


def _front_matter_end(loaded: Loaded) -> int:
    return max(line for line, _ in loaded.root.keys.values())


def _at(loaded: Loaded, line: int, field: str, message: str, advice: str) -> Finding:
    return Finding(loaded, (), message, advice, line, field)
