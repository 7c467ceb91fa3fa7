"""What the search knows: of every entry its title, its messages and what is seen; no bodies.

The browser loads it as a script when a person begins to search, which also works from a file
system, where a page may not read other files.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any

from checker.wordings import PLACEHOLDERS
from generator import detection as d
from generator.load import Loaded
from generator.pages.labels import CATEGORIES, LAYERS, effects, framework, phases
from generator.pages.messages import messages
from generator.pages.recognize import logs_of
from generator.pages.shown import Shown
from generator.pages.text import plain, visible

PATH = "search/data.js"
LARGEST = 2048
"""Bytes of one entry's record; words of symptoms give way where its messages take the room."""
_SAYS = 180
_WORTH = (3, 2, 1)
_WORD = re.compile(r"[^\W_]{3,}")
_HEADING = re.compile(r"^(#{1,3}) (.+?)(?: \{ #([a-z0-9-]+) \})?$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NO_SENTENCE = ("|", "<", "-", "    ", "!!!", "1.", "{")
_FENCED = re.compile(r"^( *)(```+|~~~+).*?^\1\2$", re.MULTILINE | re.DOTALL)


def search_data(shown: Shown, written: Mapping[str, str]) -> dict[str, str]:
    """Write the data: the records of entries, and of the sections of the *written* pages."""
    records = [*map(_entry, shown.listed), *_sections(written)]
    lines = ",\n".join(_line(record) for record in records)
    kinds = json.dumps(sorted(PLACEHOLDERS))
    return {PATH: f'globalThis.trainwreckSearch = {{"kinds": {kinds}, "pages": [\n{lines}\n]}};\n'}


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _entry(item: Loaded) -> dict[str, Any]:
    """Say of an entry what finds it; a message stands with what it is worth alone, 3 at most."""
    entry = item.entry
    found = messages(entry.detect, logs_of(entry))
    worth = {
        visible(message.text): worth
        for worth, group in zip(reversed(_WORTH), reversed(found), strict=True)
        for message in group
        if message.text
    }
    record: dict[str, Any] = {
        "at": f"entries/{item.id}/",
        "title": plain(entry.title),
        "says": _shortened(plain(entry.summary.symptom)),
        "messages": sorted(worth.items(), key=lambda pair: -pair[1]),
        "words": "",
    }
    if any(map(_is_any_exception, entry.detect.signs.values())):
        record["exceptions"] = True
    where = [
        CATEGORIES[entry.category].name,
        LAYERS[entry.layer],
        *map(framework, entry.frameworks),
    ]
    named = [*entry.aliases, *entry.tags, effects(entry.effect), phases(entry.phase)]
    seen = [entry.summary.symptom, entry.summary.cause, *(one.sees for one in entry.symptoms)]
    words = _further_words([*named, *where, *map(plain, seen)], record)
    while words and len(_line({**record, "words": " ".join(words)}).encode("utf-8")) > LARGEST:
        words.pop()
    return {**record, "words": " ".join(words)}


def _is_any_exception(sign: d.SignPart) -> bool:
    """Tell whether a sign is met by an exception of any class."""
    return isinstance(sign, d.TracebackSign) and sign.traceback == "*" and not sign.message


def _further_words(texts: Iterable[str], record: Mapping[str, Any]) -> list[str]:
    """List the words that the record does not hold yet."""
    known = set(_words(_line(record)))
    return [word for word in dict.fromkeys(_words(" ".join(texts))) if word not in known]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _shortened(text: str) -> str:
    return text if len(text) <= _SAYS else text[:_SAYS].rsplit(" ", 1)[0] + " …"


def _sections(written: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Give the sections of pages that are written by hand; the first is the page itself."""
    for path, text in sorted(written.items()):
        title = ""
        at = path.removesuffix(".md").removesuffix("index").rstrip("/") + "/"
        body = _FENCED.sub("", text.partition("\n---\n")[2])
        headings = list(_HEADING.finditer(body))
        for heading, following in zip_longest(headings, headings[1:]):
            words = plain(heading[2])
            title = title or words
            said = body[heading.end() : following.start() if following else None]
            anchor = f"#{heading[3]}" if heading[3] else ""
            if words != title and not anchor:
                continue
            yield {
                "at": f"{at}{anchor if words != title else ''}",
                "title": words if words == title else f"{title}: {words}",
                "says": _shortened(_first_sentence(said)),
                "messages": [],
                "words": "",
            }


def _first_sentence(text: str) -> str:
    """Return the first paragraph of a section, without its markup."""
    blocks = (block for block in text.strip("\n").split("\n\n"))
    found = next((one for one in blocks if one and not one.startswith(_NO_SENTENCE)), "")
    return plain(_LINK.sub(r"\1", found).replace("**", ""))
