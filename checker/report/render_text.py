"""The report as text for an 80-column terminal: a `Report` enters, its text leaves.

The first line is the verdict, then comes what the person on call needs next. Colors, where they
are wanted, repeat what the words say.
"""

from typing import List, Sequence, Tuple

from checker.catalogue import Catalogue
from checker.identity import NAME, VERSION
from checker.judgement import Report
from checker.model import Diagnosis
from checker.report.accounts import (
    command_rows,
    confirm_rows,
    evidence_rows,
    headline_rows,
    plain,
    reason_rows,
    resume_rows,
    sentence,
    step_rows,
    summary_rows,
)
from checker.report.clock_text import clock_rows
from checker.report.compared_text import compared_sections
from checker.report.lag_text import lag_rows
from checker.report.machine_text import machine_rows
from checker.report.pace_text import pace_rows
from checker.report.phrases import (
    anything_read,
    confidence_phrase,
    counted,
    spread_phrase,
)
from checker.report.process_text import process_rows
from checker.report.redact import masked_sentence
from checker.report.story import (
    Story,
    followed_from,
    leading_of,
    recognized,
    run_story,
    shows_trouble,
    without_lone_attempt,
)
from checker.report.strip_text import strip_rows
from checker.report.surroundings import (
    last_states,
    logs_rows,
    nearest_rows,
    not_looked_rows,
    rank_rows,
    unexplained_rows,
    wanted_rows,
)
from checker.report.terminal import TextRow, paint, wrap_text
from checker.report.tracks import tracks_of
from checker.report.verdict_notes import unrecognized_text, verdict_notes

_MOST_EVIDENCE = 4
_MOST_SHORT = 2
_MOST_CHECKS = 2
_MOST_CONSEQUENCES = 8


def render_text(report: Report, catalogue: Catalogue, color: bool) -> str:
    """Render the whole report."""
    report = without_lone_attempt(report)
    story = run_story(report)
    rows = _verdict_rows(report, story.current)
    for heading, content in _sections(report, story):
        if content:
            rows += [("plain", ""), ("heading", heading), *content]
    rows.append(("plain", ""))
    return paint(rows + footer_rows(report, catalogue), color)


def _verdict_rows(report: Report, current: Sequence[Diagnosis]) -> List[TextRow]:
    if current:
        rows = []
        top = current[0]
        if not recognized(current):
            harmless = top.rule["kind"] == "benign"
            what = "no harm found" if harmless else "possible, but not proven"
            rows = plain(["No known failure recognized; {}:".format(what)])
        rows += headline_rows(top, recognized(current))
        return rows + _note_rows(report, current)
    if not anything_read(report.observations):
        return [("caution", "Nothing was readable, so nothing is known about this run.")]
    rows = [("caution", line) for line in wrap_text(unrecognized_text(report))]
    return rows + _note_rows(report, current)


def _note_rows(report: Report, current: Sequence[Diagnosis]) -> List[TextRow]:
    return [
        (style, line)
        for style, text in verdict_notes(report, current)
        for line in wrap_text(text, "  ", "  ")
    ]


def _sections(report: Report, story: Story) -> List[Tuple[str, List[TextRow]]]:
    """List the parts: the story first, so that it fits a screen, then what goes deeper."""
    current = story.current
    decide = [("What would decide", _next_rows(report, current))]
    return [
        ("Where the ranks were", lag_rows(report)),
        *(part for item in current[:1] for part in _account(item)),
        *(("What followed from it", _consequence_rows(current, item)) for item in current[:1]),
        ("It, or this: both rest on the same lines", _short_accounts(story.rivals, current)),
        (
            "Independent of it" if recognized(story.others) else "Also possible",
            _short_accounts(story.others, current),
        ),
        ("Symptoms whose cause was not seen", _folded_rows(story.symptoms)),
        *(decide if current else ()),
        (
            "Ranks over time",
            strip_rows(tracks_of(report, last_states(report), current)),
        ),
        ("Ranks", rank_rows(report)),
        ("Pace of the steps", pace_rows(report)),
        ("Clocks, for the order of events", clock_rows(report.observations.clocks)),
        ("Processes", process_rows(report.observations.facts)),
        ("Machine", machine_rows(report.observations.facts)),
        *compared_sections(report),
        ("Earlier attempts", line_rows(story.earlier)),
        ("Seen, but the run recovered from it", line_rows(report.recovered)),
        (
            "Errors that no entry explains",
            unexplained_rows(report.unexplained, 3 if recognized(current) else 5),
        ),
        *(part for item in current[:1] for part in _depth(item, report)),
        ("Nearest entries, and what is missing", nearest_rows(story.nearest)),
        ("Not looked at", not_looked_rows(report)),
        *(() if current else decide),
    ]


def _account(top: Diagnosis) -> List[Tuple[str, List[TextRow]]]:
    """Tell what a person needs at once: what to do, what was seen, and why it happens."""
    rule = top.rule
    seen: List[Tuple[str, List[TextRow]]] = [
        ("Evidence", evidence_rows(rule, top.evidence, _MOST_EVIDENCE, 2, "  ")),
        ("Against it", evidence_rows(rule, top.against, _MOST_EVIDENCE, 2, "  ")),
        ("Why", reason_rows(rule)),
    ]
    if top.confidence == 1:
        return seen
    return [("What to do now", summary_rows(rule)), *seen]


def _depth(top: Diagnosis, report: Report) -> List[Tuple[str, List[TextRow]]]:
    """Tell every step; of a mere possibility, how to confirm it before them."""
    rule = top.rule
    states = report.observations.ranks
    all_ended = bool(states) and all(state.exit is not None for state in states)
    confirm = ("How to confirm", _confirm_rows(top, report))
    steps = step_rows(rule["fix"]["now"])
    if top.confidence == 1:
        return [confirm, ("What to do if it is confirmed", steps)]
    return [
        ("Before you stop the run", [] if all_ended else step_rows(rule["stop_safely"])),
        ("Steps", steps),
        ("Checkpoints", resume_rows(rule)),
        confirm,
    ]


def _confirm_rows(top: Diagnosis, report: Report) -> List[TextRow]:
    """Show the first checks, without the one that the report asks for anyway."""
    asked = top.next["command"] if top.next else None
    checks = [check for check in top.rule["confirm"] if not asked or check["run"] != asked]
    shown = [check["run"] or "" for check in checks[:_MOST_CHECKS]]
    return confirm_rows(checks, _MOST_CHECKS) + logs_rows(shown, report.observations, "  ")


def _short_accounts(items: Sequence[Diagnosis], current: Sequence[Diagnosis]) -> List[TextRow]:
    rows: List[TextRow] = []
    for item in items:
        rows += ([("plain", "")] if rows else []) + short_account(item, current)
    return rows


def short_account(item: Diagnosis, current: Sequence[Diagnosis]) -> List[TextRow]:
    """Tell one diagnosis in a few rows: what, where, the first evidence, what to do."""
    rows = headline_rows(item)
    rows += evidence_rows(item.rule, item.evidence, _MOST_SHORT, 2, "  ")
    contrary = evidence_rows(item.rule, item.against, _MOST_SHORT, 2, "  ")
    rows += [("plain", "  Against it:"), *contrary] if contrary else []
    rows += plain(wrap_text("Do: " + item.rule["summary"]["fix"], "  ", "      "))
    followed = _consequence_rows(current, item)
    return rows + ([("plain", "  What followed from it:"), *followed] if followed else [])


def _consequence_rows(current: Sequence[Diagnosis], origin: Diagnosis) -> List[TextRow]:
    """Fold what followed from *origin*, directly or not: one line and one quote for each."""
    return _folded_rows(followed_from(origin, current))


def _folded_rows(items: Sequence[Diagnosis]) -> List[TextRow]:
    rows: List[TextRow] = []
    for item in items[:_MOST_CONSEQUENCES]:
        rows += _one_line(item)
        rows += evidence_rows(item.rule, item.evidence[:1], 1, 1, "    ")
    left = items[_MOST_CONSEQUENCES:]
    if left:
        names = ", ".join(sorted({item.rule["id"] for item in left}))
        rows += plain(wrap_text("and {} more: {}".format(len(left), names), "  ", "  "))
    return rows


def line_rows(diagnoses: Sequence[Diagnosis]) -> List[TextRow]:
    """Tell each diagnosis in one line."""
    rows: List[TextRow] = []
    for item in diagnoses:
        rows += _one_line(item)
    return rows


def _one_line(item: Diagnosis) -> List[TextRow]:
    where = spread_phrase(item)
    attempt = "attempt {}".format(item.attempt) if item.attempt is not None else ""
    place = ", ".join(part for part in (where, attempt) if part)
    text = "{} ({}){}: {}".format(
        item.rule["id"],
        confidence_phrase(item),
        ", " + place if place else "",
        sentence(item.rule["title"]),
    )
    return plain(wrap_text(text, "  ", "    "))


def _next_rows(report: Report, current: Sequence[Diagnosis]) -> List[TextRow]:
    rows: List[TextRow] = []
    shown = set()
    for item in leading_of(current):
        if item.next and item.next["command"] not in shown:
            shown.add(item.next["command"])
            rows += command_rows(item.next["command"], "  ")
            rows += plain(wrap_text(item.next["decides"], "    ", "    "))
    rows += logs_rows(sorted(shown), report.observations, "  ")
    causeless = bool(current) and (
        current[0].rule["kind"] == "symptom" or current[0].confidence == 1
    )
    if causeless or (shows_trouble(report) and not recognized(current)):
        rows += wanted_rows(report.observations)
    return rows


def footer_rows(report: Report, catalogue: Catalogue) -> List[TextRow]:
    """Say what was read and looked for, and where there is more."""
    rows = plain(wrap_text(footer_sentence(report, catalogue)))
    if report.unexplained and not recognized(report.diagnoses):
        draft = "To begin the entry that is missing, add: --draft -o entries/ID.md"
        rows += plain([draft])
    if report.diagnoses:
        rule = report.diagnoses[0].rule
        more = "More about it: python3 trainwreck.py explain " + rule["id"]
        rows += plain([more] + ([rule["page"]] if rule["page"] else []))
    return rows


def footer_sentence(report: Report, catalogue: Catalogue) -> str:
    """Say what was read, and what was looked for in it."""
    read = [given for given in report.observations.inputs if given.status == "read"]
    text = "Read {}, {}; looked for {} of {}; {} {}, catalogue of {}.".format(
        counted(len(read), "file"),
        counted(sum(given.lines or 0 for given in read), "line"),
        "{:,}".format(report.looked_for),
        counted(len(catalogue.entries), "entry", "entries"),
        NAME,
        VERSION,
        catalogue.date,
    )
    return " ".join(part for part in (text, masked_sentence(report)) if part)
