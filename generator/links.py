"""Ask whether the pages that entries refer to are still there."""

import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from typing import NamedTuple

from generator.catalogue import Published

_TIMEOUT_S = 20
_PAUSE_S = 5
_ATTEMPTS = 2
_GONE = (404, 410)
_AGENT = "trainwreck-link-check"


class Answer(NamedTuple):
    """What a server said of a page."""

    gone: bool
    """The server says that there is no such page."""
    said: str
    """What it said, if that was no page; empty if all is well."""


def referenced(entries: Iterable[Published]) -> dict[str, list[str]]:
    """Collect the addresses of references and version ranges, each with the entries naming it."""
    named: dict[str, list[str]] = {}
    for item in entries:
        urls = [reference.url for reference in item.entry.references]
        urls += [affected.source for affected in item.entry.affects if affected.source]
        for url in sorted({url.partition("#")[0] for url in urls}):
            named.setdefault(url, []).append(item.id)
    return dict(sorted(named.items()))


def ask(url: str, pause: float = _PAUSE_S) -> Answer:
    """Ask a server for a page; a server that is busy or silent is asked once more."""
    answer = Answer(False, "")
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(pause)
        answer = _ask_once(url)
        if answer.gone or not answer.said:
            return answer
    return answer


def _ask_once(url: str) -> Answer:
    request = urllib.request.Request(url, headers={"User-Agent": _AGENT})
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S):
            return Answer(False, "")
    except urllib.error.HTTPError as error:
        return Answer(error.code in _GONE, f"status {error.code}")
    except (OSError, ValueError) as error:
        return Answer(False, f"no answer: {error}")
