"""What is wrong with an entry: where, what, and how to mend it."""

import difflib
from collections.abc import Iterable
from typing import NamedTuple

_LONGEST_LINE = 600


class Problem(NamedTuple):
    """One thing that is wrong, at one place."""

    path: str
    line: int
    column: int
    code: str
    """Stable, in kebab-case, named after the problem; a key of `LOAD_CODES` or a lint check."""
    field: str
    """Where in the entry, as `detect.signs.kill.log`; empty where the whole file is meant."""
    message: str
    help: str
    """What to do: never empty."""

    def render(self) -> str:
        """Write the problem as the person sees it, on two lines."""
        where = f"{self.path}:{self.line}:{self.column}: {self.code}: "
        field = f"{self.field}: " if self.field else ""
        lines = (f"{where}{field}{self.message}", f"  help: {self.help}")
        return "\n".join(printable(line) for line in lines)


def printable(line: str) -> str:
    """Write a line so that it neither commands a terminal nor fills it."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)
    return shown if len(shown) <= _LONGEST_LINE else shown[: _LONGEST_LINE - 3] + "..."


LOAD_CODES: dict[str, str] = {
    "no-entries": "The folder holds no entry at all, or there is no such folder.",
    "bad-file-name": "Every file of the folder is an entry, and is named `<id>.md`; the id is in "
    "lower case, with hyphens between its words.",
    "wrong-prefix": "Entries of your own lie in a folder whose ids all begin with its prefix, "
    "so that they are never those of another folder.",
    "unreadable": "The file cannot be read.",
    "empty-file": "The file holds nothing.",
    "not-utf-8": "Entries are written in UTF-8.",
    "control-character": "Control characters and unusual line breaks are invisible in an editor; "
    "they are written as escapes inside double quotes.",
    "no-front-matter": "An entry begins with a line `---`.",
    "unclosed-front-matter": "The front matter ends with a line `---`.",
    "yaml-syntax": "The front matter cannot be read as YAML.",
    "yaml-tab": "Tabs are no indentation in YAML.",
    "yaml-trap": "YAML reads an unquoted word as something that its writer did not mean.",
    "yaml-anchor": "Anchors, aliases, tags and merge keys are not used in entries: every value is "
    "written where it is read.",
    "duplicate-key": "A key stands once in its mapping; YAML would drop one of the two values.",
    "empty-value": "A key is followed by its value.",
    "unknown-key": "Only the keys of the entry's model are allowed.",
    "missing-key": "A key that every entry, or every part of this kind, has is absent.",
    "wrong-type": "A value is of another type than its key asks for.",
    "unknown-value": "A value is not one of the words that its key allows.",
    "empty-text": "A text is empty.",
    "empty-list": "A list that needs at least one item has none.",
    "too-long": "A text is longer than the place where it is shown.",
    "out-of-range": "A number is smaller or larger than allowed.",
    "bad-id": "An id is lower-case words of letters and digits, with single hyphens between them.",
    "bad-url": "A source is a complete https address.",
    "bad-version": "A version begins with its number.",
    "bad-sign-name": "A sign's name is a lower-case word, with underscores.",
    "bad-onset": "The onset of a sign has one of its forms.",
    "bad-span": "A span is a number with its unit.",
    "unknown-sign-kind": "A sign is of one of the kinds that detection knows.",
    "two-sign-kinds": "A sign is of one kind; a signature joins several signs.",
    "unknown-condition": "A condition is of one of the kinds that detection knows.",
    "text-or-regex": "A wording has a text or a regular expression, not both.",
    "signal-or-code": "An exit has a signal or a code, not both.",
    "same-or-differ": "The condition names the keys that are equal or that differ.",
    "empty-signature": "A signature asks for at least one thing that is seen.",
    "example-without-input": "An example has a log, files or facts to look at.",
    "log-or-files": "An example has one log or several files, not both.",
}
"""What each code of the loader means; the codes of lint are documented by their checks."""


def shortened(text: str) -> str:
    """Quote no more of a text than a person needs to find it, and nothing invisible."""
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return line if len(line) <= 80 else line[:77] + "..."


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Find the known word that is most like *word*, if one is like it at all."""
    found = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    return found[0] if found else None


def suggestion(word: str, known: Iterable[str], otherwise: str) -> str:
    """Ask whether the nearest known word was meant, or say *otherwise*."""
    near = nearest(word, known)
    return f"did you mean '{near}'?" if near else otherwise


def enumerated(words: Iterable[str], last: str = "or") -> str:
    """Write words as `a, b or c`."""
    known = list(words)
    if len(known) < 2:
        return "".join(known)
    return f"{', '.join(known[:-1])} {last} {known[-1]}"
