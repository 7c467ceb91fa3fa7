"""Checks of what people read."""

import re
from collections.abc import Iterator

from generator.lint.registry import Finding, collection_check, entry_check
from generator.load import Collection, Loaded
from generator.prose import Prose, prose_of, sentences

_MARKS = re.compile(r"\b(TODO|TBD|FIXME|XXX|lorem ipsum)\b")
_EMPTY = re.compile(r"(?i)(?:n/?a|none|nothing|unknown|not applicable|same as above|[-.?…]+)\.?")
_ANSWERS = frozenset(
    {"because", "cause", "check", "earlier_runs", "engineer", "evaluation", "fix", "lead", "no"}
    | {"on_call", "recurs", "says", "sees", "serving", "symptom", "tell", "training", "try", "why"}
    | {"checkpoints", "yes"}
)
_FEWEST_WORDS = 3
_LONG_SENTENCE = 40


@entry_check
def title_period(loaded: Loaded) -> Iterator[Finding]:
    """A title is no sentence: it ends without a period."""
    title = loaded.entry.title
    if title.rstrip().endswith((".", "!", ":", ";")):
        yield Finding(
            loaded,
            ("title",),
            f"the title ends in '{title.rstrip()[-1]}'",
            f"write '{title.rstrip(' .!:;')}'",
        )


@entry_check
def placeholder_text(loaded: Loaded) -> Iterator[Finding]:
    """A text says something: marks of what is still to be written are no answer."""
    for prose in prose_of(loaded):
        found = _MARKS.search(prose.text) or _EMPTY.fullmatch(prose.text.strip())
        if found and prose.text.strip():
            line = prose.line + prose.text.count("\n", 0, found.start())
            yield _finding(
                loaded,
                prose,
                line,
                f"'{found.group()}' is no answer",
                "write the answer; what is not required may be left out",
            )


@entry_check
def no_answer(loaded: Loaded) -> Iterator[Finding]:
    """A question of the front matter is answered in words: one or two of them explain nothing."""
    for prose in prose_of(loaded):
        key = prose.steps[-1] if prose.steps else ""
        if _MARKS.search(prose.text) or _EMPTY.fullmatch(prose.text.strip()):
            continue
        if key in _ANSWERS and len(prose.text.split()) < _FEWEST_WORDS:
            yield _finding(
                loaded,
                prose,
                prose.line,
                f"'{prose.text.strip()}' is too short to answer '{key}'",
                "write a sentence that a reader can act on",
            )


@collection_check
def repeated_sentence(collection: Collection) -> Iterator[Finding]:
    """No sentence stands word for word in two entries: it would say nothing about either.

    Entries of somebody's own folder may say what public ones say.
    """
    owners: dict[tuple[str, str], tuple[Loaded, int]] = {}
    for loaded in collection.entries.values():
        for prose in prose_of(loaded):
            for sentence, line in sentences(prose):
                if len(sentence) <= _LONG_SENTENCE:
                    continue
                key = (loaded.path.rpartition("/")[0], sentence)
                first, at = owners.setdefault(key, (loaded, line))
                if first.id != loaded.id:
                    yield _finding(
                        loaded,
                        prose,
                        line,
                        f"the sentence '{_short(sentence)}' also stands in {first.path}:{at}",
                        "say what is special to this failure, or leave it to the other entry",
                    )


def _finding(loaded: Loaded, prose: Prose, line: int, message: str, advice: str) -> Finding:
    if prose.steps:
        return Finding(loaded, prose.steps, message, advice)
    return Finding(loaded, (), message, advice, line, prose.heading or "body")


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= 60 else sentence[:57].rstrip() + "..."
