"""Checks of the texts that are matched against logs."""

import re
from collections.abc import Iterator

from checker.scan.peel import Peeler
from checker.wordings import PatternError, fixed_letters
from generator.detection import LogSign
from generator.linear import NotLinearError, prove
from generator.lint.registry import Finding, collection_check, entry_check
from generator.load import Collection, Loaded
from generator.wordings import Matched, compiled, matched_texts, sound

_FAST_LETTERS = 15
_FIXED_CHARACTERS = 20
_SLOW_SHARE = 5
_SLOW_AT_LEAST = 20
_JOURNAL_HEAD = "Jan  2 03:04:05 node1 "
_PROGRAM = re.compile(r"[A-Za-z][\w.@-]{0,60}\[\d+\]: ")
_PLACEHOLDER = re.compile(r"(?<!<)<[a-z]+(?::[a-z0-9_]+)?>")
_TOUCHING = re.compile(_PLACEHOLDER.pattern * 2)


@entry_check
def no_literal(loaded: Loaded) -> Iterator[Finding]:
    """Every wording holds fixed text: the scanner looks for it before anything else runs."""
    for text, problem in _refused(loaded):
        if _without_literal(problem):
            yield Finding(loaded, text.steps, "there is no fixed text", problem.help)


@entry_check
def bad_placeholder(loaded: Loaded) -> Iterator[Finding]:
    """What stands in angle brackets is a placeholder: one that is misspelled never matches."""
    for text, problem in _refused(loaded):
        if text.wording.regex is None and not _without_literal(problem):
            advice = f"{problem.help}; a literal '<' is written '<<'"
            yield Finding(loaded, text.steps, str(problem), advice)


@entry_check
def bad_regex(loaded: Loaded) -> Iterator[Finding]:
    """A regular expression can be compiled, and looks at upper and lower case as written."""
    for text, problem in _refused(loaded):
        if text.wording.regex is not None and not _without_literal(problem):
            yield Finding(
                loaded,
                text.steps,
                "this is not a regular expression, or it ignores case",
                "fix its brackets, repeats and backslashes; where fixed words are enough, use"
                " 'text'",
            )


@entry_check
def touching_placeholders(loaded: Loaded) -> Iterator[Finding]:
    """Between two placeholders stands text, or nobody can say where the first one ends."""
    for text in matched_texts(loaded.entry):
        found = _TOUCHING.search(text.wording.text or "")
        if found:
            yield Finding(
                loaded,
                text.steps,
                f"the placeholders '{found.group()}' touch",
                "make them one, or write the text that the program prints between them",
            )


@entry_check
def not_linear(loaded: Loaded) -> Iterator[Finding]:
    """Every search takes time linear in the length of the line, proven before it ever runs."""
    for text in matched_texts(loaded.entry):
        if _TOUCHING.search(text.wording.text or ""):
            continue
        try:
            done = compiled(text.wording)
            prove(done.regex, placeholders=text.wording.regex is None)
        except PatternError:
            continue
        except NotLinearError as error:
            yield Finding(loaded, text.steps, str(error), error.help)


@entry_check
def short_text(loaded: Loaded) -> Iterator[Finding]:
    """A text of fewer than 20 fixed characters says where it stands (at: start or whole).

    Logs hold people's and models' texts too, and few letters occur in them by chance.
    """
    for text in matched_texts(loaded.entry):
        sign = loaded.entry.detect.signs[text.sign]
        if not text.alone or not isinstance(sign, LogSign) or sign.at != "inside":
            continue
        fixed = _fixed_characters(text)
        if fixed < _FIXED_CHARACTERS and sound(text.wording):
            yield Finding(
                loaded,
                text.steps,
                f"{fixed} fixed characters are too few to be found anywhere in a line",
                "add 'at: start' or 'at: whole', or more of what the program prints",
            )


@entry_check
def peeled_text(loaded: Loaded) -> Iterator[Finding]:
    """A wording begins where the program's own words begin.

    What loggers, launchers and the journal put in front, such as a time, a rank or `systemd[1]: `,
    is taken off every line before wordings are looked for, so that none begins with it.
    """
    for text in matched_texts(loaded.entry):
        shown = _PLACEHOLDER.sub("7", text.wording.text or "").rstrip()
        kernel = getattr(loaded.entry.detect.signs[text.sign], "source", "") == "kernel"
        head = _JOURNAL_HEAD if _PROGRAM.match(shown) and not kernel else ""
        left = Peeler(()).peel(head + shown).text
        if text.alone and shown and shown not in left:
            yield Finding(
                loaded,
                text.steps,
                f"'{shown[: len(shown) - len(left)]}' is taken off before wordings are looked for",
                "begin behind it; 'source' says who must have written the line",
            )


@collection_check
def slow_texts(collection: Collection) -> Iterator[Finding]:
    """At most a fifth of all fixed texts that are looked for have fewer than 15 letters.

    The scanner finds the others by their letters at once; each of these costs on every line, so
    that twenty may be there in any case.
    """
    by_literal: dict[str, tuple[int, str, Matched]] = {}
    for loaded in collection.entries.values():
        for text in matched_texts(loaded.entry):
            done = sound(text.wording) if text.alone else None
            if done:
                letters = fixed_letters(done.literal)
                by_literal.setdefault(done.literal, (letters, loaded.id, text))
    found = sorted(by_literal.values(), key=lambda item: item[:2])
    slow = [item for item in found if item[0] < _FAST_LETTERS]
    allowed = max(_SLOW_AT_LEAST, len(found) // _SLOW_SHARE)
    if len(slow) > allowed:
        fewest, entry, text = slow[0]
        yield Finding(
            collection.entries[entry],
            text.steps,
            f"{len(slow)} of {len(found)} fixed texts have fewer than {_FAST_LETTERS} letters, this"
            f" one {fewest}; {allowed} may",
            "write more of what the program prints; digits and the letters a to f do not count",
        )


def _refused(loaded: Loaded) -> Iterator[tuple[Matched, PatternError]]:
    for text in matched_texts(loaded.entry):
        try:
            compiled(text.wording)
        except PatternError as error:
            yield text, error


def _without_literal(problem: PatternError) -> bool:
    return str(problem).endswith("has no fixed text")


def _fixed_characters(text: Matched) -> int:
    if text.wording.text is not None:
        return len(_PLACEHOLDER.sub("", text.wording.text).strip())
    done = sound(text.wording)
    return len(done.literal) if done else 0
