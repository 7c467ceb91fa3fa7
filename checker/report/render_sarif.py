"""The report as SARIF 2.1.0, for code scanning and editors: a `Report` enters, ASCII text leaves.

What GitHub demands of a result is there: a rule with all its texts, a relative address, a region
with lines and columns, and a fingerprint that stays the same from run to run.
"""

import itertools
import json
import os
import re
from typing import Any, Dict, List, Optional, Sequence

from checker.catalogue import Catalogue
from checker.identity import NAME, VERSION
from checker.judgement import Report
from checker.model import CONFIDENCE, Diagnosis, Line, Rule
from checker.report.clock_text import moment_text
from checker.report.findings import evidence_lines, findings_of, followers_of
from checker.report.phrases import ranks_phrase
from checker.report.redact import json_masked
from checker.report.surroundings import not_looked_texts
from checker.report.terminal import visible

# GitHub shows no more of either.
_MOST_RELATED = 100
_MOST_TEXT = 1024
_SNIPPET = 400
_RUN_FOLDER, _WHOLE_SYSTEM = "%SRCROOT%", "SYSTEM"


def render_sarif(report: Report, catalogue: Catalogue, folder: str) -> str:
    """Render the whole report; *folder* is where the checker runs, and is not told."""
    found = findings_of(report)
    rules: Dict[str, Rule] = {}
    for finding in found:
        rules.setdefault(finding["item"].rule["id"], finding["item"].rule)
    results = [_sarif_result(finding, list(rules), report, folder) for finding in found]
    _tell_apart(results)
    driver = {
        "name": NAME,
        "version": VERSION,
        "semanticVersion": VERSION,
        "properties": {"catalogue": {"sha256": catalogue.sha256, "date": catalogue.date}},
        "rules": [_rule_object(rule) for rule in rules.values()],
    }
    run: Dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _RUN_FOLDER: {"description": {"text": "The folder in which the checker was run."}},
            _WHOLE_SYSTEM: {"uri": "file:///"},
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": _notifications(report, folder),
            }
        ],
        "results": results,
        "properties": {"masked": json_masked(report)},
    }
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(document, ensure_ascii=True, allow_nan=False, indent=2) + "\n"


def _rule_object(rule: Rule) -> Dict[str, Any]:
    summary = rule["summary"]
    steps = list(rule["fix"]["now"])
    plain = ["Why: " + summary["cause"], "What to do: " + summary["fix"]]
    marked = ["**Why.** " + summary["cause"], "**What to do.** " + summary["fix"]]
    listed = ["{}. {}".format(number, step) for number, step in enumerate(steps, 1)]
    made = {
        "id": rule["id"],
        "shortDescription": {"text": _full_stop(rule["title"])},
        "fullDescription": {"text": (summary["symptom"] + " " + summary["cause"])[:_MOST_TEXT]},
        "help": {
            "text": "\n".join(plain + listed),
            "markdown": "\n\n".join([*marked, "\n".join(listed)]),
        },
        "defaultConfiguration": {"level": "note" if rule["kind"] == "benign" else "error"},
        "properties": {"tags": sorted({rule["category"], rule["kind"], *rule["frameworks"]})[:10]},
    }
    if rule["page"]:
        made["helpUri"] = rule["page"]
    return made


def _full_stop(text: str) -> str:
    return text.rstrip(".") + "."


def _sarif_result(
    finding: Dict[str, Any], ids: Sequence[str], report: Report, folder: str
) -> Dict[str, Any]:
    item: Diagnosis = finding["item"]
    name = item.rule["id"]
    lines = list(evidence_lines(item))
    followed = followers_of(item, report.diagnoses)
    related = _related(item, lines, followed, folder)
    place = _physical(finding["path"], finding["number"], lines[0] if lines else None, folder)
    result: Dict[str, Any] = {
        "ruleId": name,
        "ruleIndex": ids.index(name),
        "level": finding["level"],
        "message": {"text": _message(finding["text"], item, related, len(lines), followed)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"primaryLocationLineHash": _fingerprint(name, lines)},
        "properties": _properties(item),
    }
    if related:
        result["relatedLocations"] = related
    flow = _flow(item, lines, followed, folder)
    if flow:
        result["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
    return result


def _message(
    text: str,
    item: Diagnosis,
    related: Sequence[Dict[str, Any]],
    lines: int,
    followed: Sequence[Diagnosis],
) -> str:
    """Say what the finding is; links lead to the related locations, of which each has a number."""
    said = [text + ".", _full_stop(item.rule["summary"]["fix"])]
    links = ["[{0}]({0})".format(place["id"]) for place in related[:20]]
    if links:
        said.append("See also the lines {}.".format(", ".join(links)))
    if followed:
        names = sorted({other.rule["id"] for other in followed})
        said.append("From it followed {}.".format(", ".join(names)))
    return " ".join(said)


def _related(
    item: Diagnosis, lines: Sequence[Line], followed: Sequence[Diagnosis], folder: str
) -> List[Dict[str, Any]]:
    told = [(line, "It is seen here too") for line in lines[1:]]
    told += [(seen.line, "This speaks against it") for seen in item.against if seen.line]
    for other in followed:
        told += [
            (line, _followed_text(other)) for line in itertools.islice(evidence_lines(other), 1)
        ]
    return [
        {**_location(line, text, folder), "id": number}
        for number, (line, text) in enumerate(told[:_MOST_RELATED], 1)
    ]


def _flow(
    item: Diagnosis, lines: Sequence[Line], followed: Sequence[Diagnosis], folder: str
) -> List[Dict[str, Any]]:
    """Lead from where it began to what followed from it; nothing where nothing did."""
    told = [(line, "It began here") for line in lines[:1]]
    for other in followed:
        told += [
            (line, _followed_text(other)) for line in itertools.islice(evidence_lines(other), 1)
        ]
    if not lines or len(told) < 2:
        return []
    return [{"location": _location(*one, folder)} for one in told[:_MOST_RELATED]]


def _followed_text(item: Diagnosis) -> str:
    where = " on " + ranks_phrase(item.ranks) if item.ranks else ""
    return "{} followed from it{}".format(item.rule["id"], where)


def _location(line: Line, text: str, folder: str) -> Dict[str, Any]:
    place = _physical(*line.place, line, folder)
    return {"physicalLocation": place, "message": {"text": text + "."}}


def _physical(path: str, number: int, line: Optional[Line], folder: str) -> Dict[str, Any]:
    """Point at a whole line; its columns are those of what is shown of it."""
    region: Dict[str, Any] = {"startLine": number, "startColumn": 1, "endLine": number}
    region["endColumn"] = 1 + (len(line.shown) if line else 0)
    if line is not None and line.shown:
        region["snippet"] = {"text": visible(line.shown[:_SNIPPET])}
    return {"artifactLocation": artifact_location(path, folder), "region": region}


def artifact_location(path: str, folder: str) -> Dict[str, str]:
    """Write a path relative to *folder*, or to the root of the system if it lies elsewhere."""
    whole, base = os.path.normpath(path), _RUN_FOLDER
    inside = folder.rstrip("/") + "/"
    if whole.startswith(inside):
        whole = whole[len(inside) :]
    elif whole.startswith("/"):
        whole, base = whole.lstrip("/"), _WHOLE_SYSTEM
    return {"uri": "".join(_quoted(character) for character in whole), "uriBaseId": base}


def _quoted(character: str) -> str:
    if character.isascii() and (character.isalnum() or character in "/._-~"):
        return character
    code = ord(character)
    # A byte of a name that is not UTF-8.
    kept = bytes([code - 0xDC00]) if 0xDC80 <= code <= 0xDCFF else b""
    data = kept or character.encode("utf-8", "surrogatepass")
    return "".join("%{:02X}".format(byte) for byte in data)


def _fingerprint(name: str, lines: Sequence[Line]) -> str:
    """Be the same for the same failure in another run: without numbers and times."""
    import hashlib  # noqa: PLC0415 - costs start-up, and memory in all other forms

    text = re.sub(r"[0-9]+", "0", lines[0].text.strip()[:_SNIPPET]) if lines else ""
    data = "{}\n{}".format(name, text).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:16]


def _tell_apart(results: Sequence[Dict[str, Any]]) -> None:
    """Number results of one fingerprint, as GitHub does with its own."""
    seen: Dict[str, int] = {}
    for result in results:
        prints = result["partialFingerprints"]
        mark = prints["primaryLocationLineHash"]
        seen[mark] = seen.get(mark, 0) + 1
        prints["primaryLocationLineHash"] = "{}:{}".format(mark, seen[mark])


def _properties(item: Diagnosis) -> Dict[str, Any]:
    return {
        "confidence": CONFIDENCE[item.confidence],
        "role": item.role,
        "consequence_of": item.consequence_of,
        "rank": item.rank,
        "ranks": sorted(item.ranks),
        "host": item.host,
        "attempt": item.attempt,
        "run": item.run,
        "time": moment_text(item.onset),
    }


def _notifications(report: Report, folder: str) -> List[Dict[str, Any]]:
    """Tell what no entry explains, and what was not looked at, so that silence is not health."""
    said = "An error line that no entry explains."
    lines = report.unexplained[:_MOST_RELATED]
    return [
        *[_notification("note", said, line, folder) for line in lines],
        *[
            _notification("warning", "Not looked at: {}.".format(visible(text)), None, folder)
            for text in not_looked_texts(report)
        ],
    ]


def _notification(level: str, text: str, line: Optional[Line], folder: str) -> Dict[str, Any]:
    made: Dict[str, Any] = {"level": level, "message": {"text": text}}
    if line is not None:
        place = _physical(*line.place, line, folder)
        made["locations"] = [{"physicalLocation": place}]
    return made
