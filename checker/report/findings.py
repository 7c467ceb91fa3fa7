"""What other programs list of a report: a `Report` enters, findings leave.

A finding stands at the line of a log that tells it best, has a level, and a sentence without
anything that a log printed but the names of hosts.
"""

from typing import Any, Dict, Iterator, List, Sequence

from checker.judgement import Report
from checker.model import Diagnosis, Line
from checker.report.accounts import one_a_line, sentence, verdict_label
from checker.report.phrases import place_phrase, spread_phrase
from checker.report.story import recognized, without_lone_attempt
from checker.report.terminal import visible


def findings_of(report: Report) -> List[Dict[str, Any]]:
    """List the diagnoses, the leading one first.

    `level` is `error` for what is certain, `warning` for what is likely, else `note`; what only
    followed from another diagnosis, or does no harm, is a note too, so that it hides nothing.
    """
    report = without_lone_attempt(report)
    surer = recognized(report.diagnoses)
    found: List[Dict[str, Any]] = []
    for item in report.diagnoses:
        line = next(evidence_lines(item), None)
        path, number = line.place if line else (_first_log(report), 1)
        found.append(
            {
                "item": item,
                "level": _level(item),
                "text": _finding_sentence(item, surer),
                "path": path,
                "number": number,
            }
        )
    return found


def evidence_lines(item: Diagnosis) -> Iterator[Line]:
    """Give the lines on which a diagnosis rests, the most telling first."""
    return (seen.line for seen in one_a_line(item.evidence) if seen.line is not None)


def followers_of(item: Diagnosis, diagnoses: Sequence[Diagnosis]) -> List[Diagnosis]:
    """List what directly followed from a diagnosis, in its attempt and run."""
    return [
        other
        for other in diagnoses
        if other.consequence_of == item.rule["id"]
        and other.run == item.run
        and other.attempt == item.attempt
    ]


def _level(item: Diagnosis) -> str:
    if item.consequence_of is not None or item.rule["kind"] == "benign":
        return "note"
    return {3: "error", 2: "warning"}.get(item.confidence, "note")


def _finding_sentence(item: Diagnosis, surer: bool) -> str:
    where = place_phrase(item)
    if item.consequence_of is not None:
        where = spread_phrase(item) or "rank not known"
    said = "{}, {}".format(verdict_label(item, surer), where)
    if item.attempt is not None:
        said += ", attempt {}".format(item.attempt)
    return visible("{}: {}".format(said, sentence(item.rule["title"])))


def _first_log(report: Report) -> str:
    """Name the log at whose top is put what no line tells."""
    inputs = report.observations.inputs
    read = [given.path for given in inputs if given.status == "read"]
    return (read or [given.path for given in inputs] or ["-"])[0]
