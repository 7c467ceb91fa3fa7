"""One diagnosis in words: a `Diagnosis` enters, rows of text for the terminal leave."""

import itertools
import re
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence

from checker.model import Diagnosis, Line, Rule, Sighting
from checker.report.clock_text import spoken_moment
from checker.report.phrases import (
    confidence_phrase,
    counted,
    doubts_of,
    place_phrase,
    place_text,
    ranks_phrase,
    times_phrase,
)
from checker.report.terminal import (
    FOLD_COLUMNS,
    TERMINAL_WIDTH,
    Excerpt,
    TextRow,
    clip,
    fold,
    visible,
    wrap_text,
)

_LABELS = {
    "failure": "FAILED FIRST",
    "stop": "STOPPED FROM OUTSIDE",
    "symptom": "SYMPTOM, ITS CAUSE NOT SEEN",
    "benign": "HARMLESS, THOUGH IT LOOKS BAD",
}
_RESUME = {
    "yes": "The last checkpoint is safe to resume from",
    "check": "Check the last checkpoint before you resume from it",
    "no": "Do not resume from the last checkpoint",
}


def headline_rows(diagnosis: Diagnosis, surer: bool = False) -> List[TextRow]:
    """Say what happened, how sure that is, and where; *surer* tells that more is known for sure."""
    text = "{}, {}: {}".format(
        verdict_label(diagnosis, surer), place_phrase(diagnosis), sentence(diagnosis.rule["title"])
    )
    style = "alarm" if diagnosis.confidence > 1 else "caution"
    rows = styled(style, wrap_text(text, "", "  "))
    return rows + plain(wrap_text(identity_words(diagnosis), "  ", "  "))


def verdict_label(diagnosis: Diagnosis, surer: bool) -> str:
    """Say what a diagnosis is, and how sure; *surer* tells that more is known for sure."""
    if diagnosis.consequence_of is not None:
        return "FOLLOWED FROM {} ({})".format(
            diagnosis.consequence_of, confidence_phrase(diagnosis)
        )
    label = _LABELS[diagnosis.rule["kind"]]
    if diagnosis.preceded_by is not None and diagnosis.rule["kind"] == "failure":
        label = "FIRST FAILURE SEEN"
    if diagnosis.rule["kind"] != "benign":
        if diagnosis.role == "independent":
            label = "COMPETING" if diagnosis.rivals else "INDEPENDENT"
        if diagnosis.confidence == 1:
            return "PERHAPS " + label if surer else "POSSIBLE"
    return "{} ({})".format(label, confidence_phrase(diagnosis))


def evidence_rows(
    rule: Rule, sightings: Sequence[Sighting], most: int, quote_lines: int, indent: str
) -> List[TextRow]:
    """Quote the first lines that were seen, each with its file and number."""
    rows: List[TextRow] = []
    distinct = one_a_line(sightings)
    for sighting in itertools.islice(distinct, most):
        rows += _sighting_rows(rule, sighting, quote_lines, indent)
    left = sum(1 for _ in distinct)
    if left > 0:
        rows.append(("plain", "{}and {} more (--format json has all)".format(indent, left)))
    return rows


def one_a_line(sightings: Iterable[Sighting]) -> Iterator[Sighting]:
    """Give the first sighting of each line: several signs may ask for the same one.

    One by one, since the sightings of thousands of ranks are unpacked as they are asked for.
    """
    places = set()
    for sighting in sightings:
        line = sighting.line
        place = (line.path, line.number) if line else ("", sighting.text)
        if place not in places:
            places.add(place)
            yield sighting


def _sighting_rows(rule: Rule, sighting: Sighting, quote_lines: int, indent: str) -> List[TextRow]:
    line = sighting.line
    if line is None:
        return styled("quote", wrap_text(sighting.text, indent, indent + "  "))
    notes = [times_phrase(sighting)]
    if sighting.rank is not None:
        notes.insert(0, ranks_phrase([sighting.rank]))
    elif line.writer.source not in ("rank", "unknown"):
        notes.insert(0, line.writer.source)
    notes += doubts_of(sighting)
    excerpt = sighting_excerpt(rule, sighting, line)
    rows = quote_rows(line, excerpt, [note for note in notes if note], quote_lines, indent)
    values = dict(sighting.values)
    if "frame" in values:
        place = Excerpt("raised at {}".format(values["frame"]), 0, 0)
        code = Excerpt(str(values.get("code") or ""), 0, 0)
        margin = indent + "  | "
        room = TERMINAL_WIDTH - len(margin)
        rows += styled("quote", [margin + clip(text, room) for text in (place, code) if text.text])
    return rows


def sighting_excerpt(rule: Rule, sighting: Sighting, line: Line) -> Excerpt:
    """Find the part of the line that the sign asks for, else what the sighting says."""
    payload = max(0, line.shown.rfind(line.text))
    sign = rule["signs"].get(sighting.sign, {})
    for wording in sign.get("log", ()):
        found = re.compile(wording["regex"]).search(line.shown, payload)
        if found:
            return Excerpt(line.shown, found.start(), found.end(), payload)
    told = sighting.text.split("\n", 1)[0]
    start = line.shown.find(told, payload)
    if start < 0:
        return Excerpt(told, 0, len(told))
    return Excerpt(line.shown, start, start + len(told), payload)


def quote_rows(
    line: Line, excerpt: Excerpt, notes: Sequence[str], quote_lines: int, indent: str
) -> List[TextRow]:
    """Quote a part of a line under the place where it stands."""
    place = indent + place_text(line)
    if notes:
        place += "  ({})".format(", ".join(notes))
    margin = indent + "  | "
    room = TERMINAL_WIDTH - len(margin)
    most = room + (quote_lines - 1) * (room - FOLD_COLUMNS)
    pieces = fold(clip(excerpt, most), room)
    return [("plain", place), *styled("quote", [(margin + piece).rstrip() for piece in pieces])]


def reason_rows(rule: Dict[str, Any]) -> List[TextRow]:
    """Say why the failure happens."""
    return plain(wrap_text(rule["summary"]["cause"], "  ", "  "))


def step_rows(steps: Sequence[str]) -> List[TextRow]:
    """Number the steps."""
    rows: List[TextRow] = []
    for number, step in enumerate(steps, 1):
        first = "  {}. ".format(number)
        rows += plain(wrap_text(step, first, " " * len(first)))
    return rows


def bullet_rows(texts: Sequence[str], indent: str = "  ") -> List[TextRow]:
    """List texts that have no order."""
    rows: List[TextRow] = []
    for text in texts:
        rows += plain(wrap_text(text, indent + "- ", indent + "  "))
    return rows


def resume_rows(rule: Dict[str, Any]) -> List[TextRow]:
    """Say whether the last checkpoint may be used, and why."""
    text = resume_sentence(rule)
    return plain(wrap_text(text, "  ", "  ")) if text else []


def resume_sentence(rule: Dict[str, Any]) -> str:
    """Say whether the last checkpoint may be used, or nothing where that is not known."""
    resume: Optional[Dict[str, str]] = rule["resume"]
    return "" if resume is None else "{}: {}".format(_RESUME[resume["safe"]], resume["why"])


def summary_rows(rule: Rule) -> List[TextRow]:
    """Say what to do in a sentence or two, for the one who has no time for more."""
    rows = plain(wrap_text(rule["summary"]["fix"], "  ", "  "))
    if rule["on_call"]:
        rows += plain(wrap_text("On call: " + rule["on_call"], "  ", "  "))
    return rows


def confirm_rows(checks: Sequence[Dict[str, Any]], most: int) -> List[TextRow]:
    """Show each check: what to look at, the command, what a yes and what a no looks like."""
    rows: List[TextRow] = []
    for number, check in enumerate(checks[:most], 1):
        first = "  {}. ".format(number)
        indent = " " * len(first)
        rows += plain(wrap_text(check["check"], first, indent))
        rows += command_rows(check.get("run"), indent)
        rows += plain(wrap_text(check["yes"], indent + "yes: ", indent + "     "))
        rows += plain(wrap_text(check["no"], indent + "no:  ", indent + "     "))
    if len(checks) > most:
        left = counted(len(checks) - most, "more check")
        rows += plain(["  {} with the command 'explain'".format(left)])
    return rows


def command_rows(command: Optional[str], indent: str) -> List[TextRow]:
    """Show a command unbroken, so that it can be copied."""
    if not command:
        return []
    lines = visible_lines(command)
    return [("quote", indent + "$ " + lines[0])] + [
        ("quote", indent + "  " + line) for line in lines[1:]
    ]


def visible_lines(text: str) -> List[str]:
    """Split a text into lines that are safe to show."""
    return [visible(line) for line in text.rstrip("\n").split("\n")]


def sentence(text: str) -> str:
    """Begin a text with a capital letter and leave its end open."""
    text = text.rstrip(".")
    return text[:1].upper() + text[1:]


def plain(lines: Sequence[str]) -> List[TextRow]:
    """Rows without a style."""
    return styled("plain", lines)


def styled(style: str, lines: Sequence[str]) -> List[TextRow]:
    """Rows of one style."""
    return [(style, line) for line in lines]


def identity_words(diagnosis: Diagnosis) -> str:
    """Name the entry, when it began and where else it was seen."""
    parts = [diagnosis.rule["id"]]
    when = spoken_moment(diagnosis.onset)
    if when:
        parts.append("began " + when)
    if len(diagnosis.ranks) > 1 and diagnosis.rule["kind"] != "symptom":
        parts.append("seen on " + ranks_phrase(diagnosis.ranks))
    if diagnosis.attempt is not None:
        parts.append("attempt {}".format(diagnosis.attempt))
    if diagnosis.general:
        parts.append("more exact than {id} ({confidence})".format(**diagnosis.general))
    return ", ".join(parts)
