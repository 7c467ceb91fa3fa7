"""Compile the entries into the catalogue that the checker carries.

Entries enter, with their ids and the sections of their bodies; rows of text leave, the same bytes
for the same entries. `checker.catalogue` describes the form.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from checker.model import OUTLIVED
from checker.scan.metric_asks import asked_key
from checker.wordings import CompiledWording, PatternError, compile_text, full_wording
from generator.body import HEADINGS
from generator.detection import LogSign, SignPart, TracebackSign, Under, Wording
from generator.model import Entry, Example
from generator.patterns import compile_regex

Rule = dict[str, Any]
Sections = Sequence[tuple[str, str]]


class Published(NamedTuple):
    """One entry as the catalogue needs it."""

    id: str
    entry: Entry
    sections: tuple[tuple[str, str], ...] = ()
    """Heading and Markdown text of every section of the body."""


class CompiledCatalogue(NamedTuple):
    """The catalogue as text, with what identifies it."""

    rows: str
    sha256: str
    date: str


def compile_catalogue(
    entries: Iterable[Published], pages: Mapping[str, str] | None = None
) -> CompiledCatalogue:
    """Compile all published entries; *pages* maps an id to its address where there is a site."""
    published = _published(entries)
    rows = catalogue_rows(published, pages)
    date = max((item.entry.updated.isoformat() for item in published), default="")
    return CompiledCatalogue(rows, hashlib.sha256(rows.encode("ascii")).hexdigest(), date)


def catalogue_rows(entries: Iterable[Published], pages: Mapping[str, str] | None = None) -> str:
    """Write one row for every published entry, in the order of their ids."""
    published = _published(entries)
    refined_by = _refined_by(published)
    rows = []
    for item in published:
        rule = compile_rule(
            item.id,
            item.entry,
            item.sections,
            refined_by=refined_by.get(item.id, []),
            page=(pages or {}).get(item.id),
        )
        rows.append("\t".join((item.id, _as_json(compile_keys(rule)), _as_json(shortened(rule)))))
    return "".join(row + "\n" for row in rows)


def shortened(rule: Rule) -> Rule:
    """Leave out what the checker makes again when it decodes a rule, and what only weighs.

    Of a wording, that is all but its text. Of the examples, the shortest of either kind remain:
    they prove that a copied checker works where it is, and every start pays for their bytes.
    """
    signs = {}
    for name, sign in rule["signs"].items():
        signs[name] = {
            field: [_short_wording(wording) for wording in value]
            if field in ("log", "message", "capture")
            else value
            for field, value in sign.items()
        }
    return {**rule, "signs": signs, "examples": _carried(rule["examples"])}


def _carried(examples: list[Rule]) -> list[Rule]:
    kinds = ([e for e in examples if e["diagnosed"]], [e for e in examples if not e["diagnosed"]])
    return [min(kind, key=lambda example: len(_as_json(example))) for kind in kinds if kind]


def _short_wording(wording: Rule) -> Rule | str:
    span = {key: wording[key] for key in ("since", "until") if wording[key] is not None}
    short = {"text": wording["text"], **span} if span else str(wording["text"])
    try:
        return short if full_wording(short) == wording else wording
    except PatternError:
        return wording


def _published(entries: Iterable[Published]) -> list[Published]:
    chosen = [item for item in entries if item.entry.status == "published"]
    return sorted(chosen, key=lambda item: item.id)


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def _refined_by(published: Sequence[Published]) -> dict[str, list[str]]:
    exact: dict[str, list[str]] = {}
    for item in published:
        for general in item.entry.relations.refines:
            exact.setdefault(general, []).append(item.id)
    return exact


def compile_rule(
    entry_id: str,
    entry: Entry,
    sections: Sections = (),
    *,
    refined_by: Sequence[str] = (),
    page: str | None = None,
) -> Rule:
    """Compile one entry into its rule, as the checker has it once a row is decoded."""
    offline = {heading.title for heading in HEADINGS if heading.offline}
    texts = entry.model_dump(
        mode="json",
        by_alias=True,
        include={
            "title",
            "category",
            "layer",
            "frameworks",
            "aliases",
            "kind",
            "effect",
            "summary",
            "affects",
            "confirm",
            "stop_safely",
            "fix",
            "verify",
            "resume",
            "dead_ends",
        },
    )
    return {
        **texts,
        "id": entry_id,
        "page": page,
        "on_call": entry.perspectives.on_call if entry.perspectives else None,
        "sections": [
            {"heading": heading, "text": text} for heading, text in sections if heading in offline
        ],
        "references": [{"url": source.url, "title": source.title} for source in entry.references],
        "updated": entry.updated.isoformat(),
        "proof": entry.proof.level,
        "recovers": recovery(entry),
        "signs": {name: _sign(sign) for name, sign in entry.detect.signs.items()},
        "signatures": [
            signature.model_dump(mode="json", by_alias=True)
            for signature in entry.detect.signatures
        ],
        "against": entry.detect.against,
        "rules_out": entry.detect.rules_out,
        "preflight": entry.detect.preflight,
        "refined_by": sorted(refined_by),
        **entry.relations.model_dump(mode="json"),
        "examples": [
            *(_example(example, True) for example in entry.examples.diagnosed),
            *(_example(example, False) for example in entry.examples.not_diagnosed),
        ],
    }


def recovery(entry: Entry) -> str:
    """Tell what shows that the failure passed, where the entry does not say it itself."""
    if entry.recovers is not None:
        return entry.recovers
    if entry.kind == "stop":
        return OUTLIVED
    if {"dies", "hangs"} & set(entry.effect):
        return "progress"
    if all("metric" in type(sign).model_fields for sign in entry.detect.signs.values()):
        return "series"
    return "never"


def _sign(sign: SignPart) -> Rule:
    """Write a sign in its long form, its wordings compiled."""
    written = sign.model_dump(mode="json", by_alias=True)
    if isinstance(sign, LogSign):
        written["log"] = [compile_wording(wording) for wording in sign.log]
        written["capture"] = [compile_wording(Wording(text=text)) for text in sign.capture]
        written["under"] = _under(sign.under) if sign.under else None
    if isinstance(sign, TracebackSign):
        written["message"] = [compile_wording(wording) for wording in sign.message]
    # The field that only this kind of sign has is the first that its class defines.
    return {**written, "kind": next(name for name in type(sign).model_fields if name != "onset")}


def _under(under: Under) -> Rule:
    return {**compile_wording(Wording(text=under.text)), "within": under.within}


def compile_wording(wording: Wording) -> Rule:
    """Compile a wording into its expression, literal and the types of its captures."""
    compiled: CompiledWording = (
        compile_text(wording.text)
        if wording.text is not None
        else compile_regex(wording.regex or "")
    )
    return {
        "text": wording.text or wording.regex,
        "regex": compiled.regex,
        "literal": compiled.literal,
        "types": compiled.types,
        "since": wording.since,
        "until": wording.until,
    }


def _example(example: Example, diagnosed: bool) -> Rule:
    files = example.files or ({"example.log": example.log} if example.log is not None else {})
    expect = example.expect.model_dump(mode="json", exclude_none=True) if example.expect else {}
    return {
        "name": example.name,
        "diagnosed": diagnosed,
        "files": dict(sorted(files.items())),
        "facts": example.facts,
        "versions": example.versions,
        "expect": expect,
        "also": example.also,
    }


def compile_keys(rule: Rule) -> list[str]:
    """List what must have been seen before the entry can be diagnosed, and what it needs."""
    keys = {key for sign in rule["signs"].values() for key in _sign_keys(sign)}
    keys.update(f"needs {source}" for source in _needed_sources(rule))
    keys.update(f"preflight {_asked_of(rule['signs'][name])}" for name in rule["preflight"])
    keys.update(
        f"package {affected['package']}"
        for affected in rule["affects"]
        if affected["package"] in rule["frameworks"]
    )
    return sorted(keys)


def _asked_of(sign: Rule) -> str:
    """Name the fact that a sign asks for."""
    return sign["fact"] if sign["kind"] == "fact" else f"version {sign['version']}"


def _sign_keys(sign: Rule) -> list[str]:
    kind = sign["kind"]
    if kind == "log":
        return [f"log {wording['literal']}" for wording in sign["log"]]
    if kind == "exit":
        signal, code = sign["exit"]["signal"], sign["exit"]["code"]
        return [f"exit {signal}" if signal is not None else f"exit code {code}"]
    if kind == "stack":
        return [f"stack {fragment}" for fragment in sign["stack"]]
    if kind == "metric":
        return [f"metric {sign['metric']}", asked_key(sign)]
    if kind in ("traceback", "fact", "version"):
        return [f"{kind} {sign[kind]}"]
    # A missing line is noticed after another sign, which has its own keys.
    return [] if kind == "missing" else [kind]


def _needed_sources(rule: Rule) -> set[str]:
    """Name the sources without which no signature of the rule can be met."""
    needs = [
        {_source(rule["signs"][name]) for name in signature["all"] if isinstance(name, str)}
        for signature in rule["signatures"]
    ]
    return set.intersection(*needs) - {""} if needs else set()


def _source(sign: Rule) -> str:
    kind = sign["kind"]
    if kind == "log":
        source = sign["source"] or ""
        return "" if source == "rank" else str(source)
    return kind if kind in ("fact", "stack") else ""
