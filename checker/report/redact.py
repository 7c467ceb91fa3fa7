"""A report without what is private: a `Report` enters, the same with pseudonyms leaves.

Equal things get equal pseudonyms, `host-1` or `user-2`, that do not depend on the order of files.
"""

import re
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Set, Tuple

from checker.catalogue import Catalogue
from checker.judgement import Report
from checker.packed import PackedRecords, Picked, packed_records
from checker.report.pace_text import told_paces
from checker.report.phrases import counted
from checker.report.private import Names, private_names, private_spans

_NOUNS = (
    ("host", "host name", "host names"),
    ("user", "user name", "user names"),
    ("address", "address", "addresses"),
    ("mail", "mail address", "mail addresses"),
    ("secret", "secret", "secrets"),
)
Mask = Callable[[str], str]


def redacted(report: Report, catalogue: Catalogue) -> Report:
    """Replace what is private in all texts of a report but those of the entries."""
    # They served the diagnosis, are many, and no form of a report shows more of them than paces.
    every, paces = report.observations.hosts, packed_records(told_paces(report))
    seen = report.observations._replace(hits=(), samples=(), left_out=(), hosts=())
    report = report._replace(observations=seen, paces=paces)
    texts, hosts = shown_texts(report)
    mask, masked = masking(texts, [*hosts, *every], catalogue)
    made: Report = _with_texts(report, mask, {})
    return made._replace(masked=masked)


def shown_texts(report: Report) -> Tuple[List[str], List[str]]:
    """List all texts of a report but those of the entries, and those of them that are hosts."""
    texts: Dict[str, None] = {}
    hosts: List[str] = []
    _collect(report, "", texts, hosts, set())
    return list(texts), hosts


def masking(
    texts: Iterable[str], hosts: Iterable[str], catalogue: Catalogue
) -> Tuple[Mask, Tuple[Tuple[str, int], ...]]:
    """Make the function that masks these texts, and count what it masks, by kind."""
    texts = list(texts)
    names = private_names(texts, hosts, words_of_entries(catalogue))
    found = _private_keys(texts, names)
    pseudonyms = {
        (kind, key): "{}-{}".format("ip" if kind == "address" else kind, number)
        for kind, keys in found.items()
        for number, key in enumerate(keys, 1)
    }
    known: Dict[str, str] = {}

    def _mask(text: str) -> str:
        if text not in known:
            known[text] = _masked_text(text, names, pseudonyms)
        return known[text]

    return _mask, tuple((kind, len(keys)) for kind, keys in found.items())


def count_private(texts: Iterable[str], names: Names) -> Tuple[Tuple[str, int], ...]:
    """Count what is private in texts, by kind."""
    return tuple((kind, len(keys)) for kind, keys in _private_keys(texts, names).items())


def _private_keys(texts: Iterable[str], names: Names) -> Dict[str, List[str]]:
    found = {span[2:] for text in texts for span in private_spans(text, names)}
    return {
        kind: sorted((key for known, key in found if known == kind), key=_by_number)
        for kind, _, _ in _NOUNS
    }


def masked_sentence(report: Report) -> str:
    """Say what was masked; nothing where that was not asked for."""
    return "" if report.masked is None else counts_sentence(report.masked)


def counts_sentence(counts: Iterable[Tuple[str, int]]) -> str:
    """Say how much of what kind was masked."""
    found = dict(counts)
    said = [counted(found[kind], one, many) for kind, one, many in _NOUNS if found.get(kind)]
    return "Masked: {}.".format(", ".join(said) or "nothing")


def json_masked(report: Report) -> Any:
    """Count what was masked, by kind."""
    return None if report.masked is None else dict(report.masked)


def _masked_text(text: str, names: Names, pseudonyms: Dict[Tuple[str, str], str]) -> str:
    pieces, end = [], 0
    for start, stop, kind, key in private_spans(text, names):
        pieces += [text[end:start], pseudonyms.get((kind, key), kind)]
        end = stop
    return "".join([*pieces, text[end:]])


def _by_number(key: str) -> str:
    return re.sub(r"\d{1,18}", lambda found: found.group().zfill(18), key)


def words_of_entries(catalogue: Catalogue) -> FrozenSet[str]:
    """A host may be called like a word by which failures are known; that word is kept."""
    keys = " ".join(key for entry in catalogue.entries for key in entry.keys)
    return frozenset(re.findall(r"[a-z0-9_]{2,60}", keys.lower()))


def _collect(
    value: Any, name: str, texts: Dict[str, None], hosts: List[str], met: Set[int]
) -> None:
    """Note all texts; a record that many others hold is looked into once."""
    if isinstance(value, str):
        texts[value] = None
        if name in ("host", "keeper"):
            hosts.append(value)
    elif isinstance(value, dict):
        for key in value:
            _collect(value[key], "", texts, hosts, met)
    elif isinstance(value, (tuple, list, frozenset)) and id(value) not in met:
        met.add(id(value))
        fields = getattr(value, "_fields", None) or [""] * len(value)
        for field, item in zip(fields, value):
            if field not in _OURS:
                _collect(item, field, texts, hosts, met)
    elif isinstance(value, (PackedRecords, Picked)):
        for item in value:
            # It lives no longer than this, and its identity tells nothing afterwards.
            _collect(item, "", texts, hosts, set())


# What holds texts of ours only: entries, and what of each line is compared inside.
_OURS = ("rule", "keys", "shape", "wording")


def _with_texts(value: Any, mask: Mask, made: Dict[int, Any]) -> Any:
    """Mask all texts; a record that many others hold is made once, and found by its identity."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _with_texts(item, mask, made) for key, item in value.items()}
    if isinstance(value, (PackedRecords, Picked)):
        return packed_records(_with_texts(item, mask, {}) for item in value)
    if not isinstance(value, (tuple, list, frozenset)):
        return value
    if id(value) not in made:
        made[id(value)] = _with_texts_inside(value, mask, made)
    return made[id(value)]


def _with_texts_inside(value: Any, mask: Mask, made: Dict[int, Any]) -> Any:
    fields = getattr(value, "_fields", None)
    if fields is None:
        return type(value)([_with_texts(item, mask, made) for item in value])
    items = zip(fields, value)
    return type(value)(*[x if name in _OURS else _with_texts(x, mask, made) for name, x in items])
