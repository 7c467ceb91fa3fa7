"""The report as text for an 80-column terminal: a `Report` enters, its text leaves.

The first line is the verdict, then comes what the person on call needs next. Colors, where they
are wanted, repeat what the words say.
"""

from typing import Any, Dict, List, Optional, Sequence, Tuple

from checker.catalogue import Catalogue
from checker.identity import NAME, VERSION
from checker.judgement import Report
from checker.match.scene import line_place
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
from checker.report.lag_text import lag_rows
from checker.report.phrases import (
    anything_read,
    confidence_phrase,
    counted,
    ranks_phrase,
    silent_ranks,
    spread_phrase,
)
from checker.report.stacks_text import stacks_sentence
from checker.report.surroundings import (
    failed_ranks,
    logs_rows,
    nearest_rows,
    not_looked_rows,
    rank_rows,
    unexplained_rows,
    wanted_rows,
)
from checker.report.terminal import TextRow, paint, visible, wrap_text
from checker.report.verdict_text import launcher_rows
from checker.scan.readers import COMPLETED

_MOST_EVIDENCE = 4
_MOST_SHORT = 2
_MOST_CHECKS = 2
_MOST_CONSEQUENCES = 8


def render_text(report: Report, catalogue: Catalogue, color: bool) -> str:
    """Render the whole report."""
    report = without_lone_attempt(report)
    current = current_of(report)
    earlier = [item for item in report.diagnoses if item not in current]
    rows = _verdict_rows(report, current)
    for heading, content in _sections(report, current, earlier):
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
        rows += _silent_rows(top, report) + _stack_rows(report, top)
        rows += _preceded_rows(top)
        rows += _order_rows(top, leading_of(current)[1:])
        return rows + launcher_rows(report.verdict, True)
    if not anything_read(report.observations):
        return [("caution", "Nothing was readable, so nothing is known about this run.")]
    rows = [("caution", line) for line in wrap_text(_unrecognized_text(report))]
    return rows + _stack_rows(report, None)


def _silent_rows(top: Diagnosis, report: Report) -> List[TextRow]:
    """Point at the ranks that do not show what most ranks wait for or complain about."""
    silent = silent_ranks(top, report.observations)
    if top.rule["kind"] != "symptom" or not silent:
        return []
    text = "Not seen on {}: look there first.".format(ranks_phrase(silent))
    return [("caution", line) for line in wrap_text(text, "  ", "  ")]


def _stack_rows(report: Report, top: Optional[Diagnosis]) -> List[TextRow]:
    """Say which rank stands elsewhere, if a stack decided, or nothing else tells who is late."""
    decided = top is not None and any(item.kind == "stack" for item in top.evidence)
    if top is not None and recognized([top]) and top.rule["kind"] != "symptom" and not decided:
        return []
    text = stacks_sentence(report.observations)
    return [("caution", line) for line in wrap_text(text + ".", "  ", "  ")] if text else []


def _preceded_rows(top: Diagnosis) -> List[TextRow]:
    """Admit that something unseen came before the first failure that was seen."""
    if top.preceded_by is None:
        return []
    text = "Before it began {}, whose cause was not seen: look for an earlier failure.".format(
        top.preceded_by
    )
    return [("caution", line) for line in wrap_text(text, "  ", "  ")]


def _order_rows(top: Diagnosis, others: Sequence[Diagnosis]) -> List[TextRow]:
    """Admit that nothing tells which of two failures was first."""
    if not others or others[0].order != "unknown" or others[0].rule["kind"] == "benign":
        return []
    surer = top.confidence > others[0].confidence
    text = "Nothing tells whether it was before {}; {}.".format(
        others[0].rule["id"], "this one is surer" if surer else "both are equally sure"
    )
    return plain(wrap_text(text, "  ", "  "))


def _unrecognized_text(report: Report) -> str:
    text = "No known failure recognized"
    if report.diagnoses:
        text += " in the last attempt"
    failed = failed_ranks(report)
    if failed:
        text += ", although {} failed".format(ranks_phrase(failed))
    if report.unexplained:
        return text + ". The log reports errors that no entry explains (below)."
    loud = [t for t in report.observations.tracebacks if not t.handled and not t.ignored]
    if loud or _shows_trouble(report):
        return text + "."
    if report.observations.tracebacks:
        text += "; the exceptions that were printed were handled, and no other line"
    else:
        text += "; no line"
    return text + " is one that this version knows as an error. " + _end_text(report)


def _end_text(report: Report) -> str:
    """Say whether the run ended well, which no silence tells."""
    ranks = report.observations.ranks
    if ranks and all(state.exit is not None and state.exit.code == 0 for state in ranks):
        return "All ranks ended normally."
    ends = [f.line for f in report.observations.facts if f.name == COMPLETED and f.line is not None]
    if ends:
        first = min(ends, key=line_place)
        return "Training ran to its end ({}:{}).".format(visible(first.path), first.number)
    return "Whether the run ended well is not known."


def _shows_trouble(report: Report) -> bool:
    """Tell whether anything hints at a failure, known or not."""
    seen = report.observations
    return bool(report.diagnoses or report.unexplained or seen.errors or failed_ranks(report))


def recognized(diagnoses: Sequence[Diagnosis]) -> bool:
    """Tell whether a failure, a symptom or a stop is certain or likely."""
    return any(item.confidence > 1 and item.rule["kind"] != "benign" for item in diagnoses)


def _sections(
    report: Report, current: Sequence[Diagnosis], earlier: Sequence[Diagnosis]
) -> List[Tuple[str, List[TextRow]]]:
    """List the parts: the story first, so that it fits a screen, then what goes deeper."""
    leading = leading_of(current)
    others = [item for item in leading[1:] if item.rule["kind"] != "symptom"]
    rivals = [item for item in others if leading[0].rule["id"] in item.rivals]
    others = [item for item in others if item not in rivals]
    symptoms = [item for item in leading[1:] if item.rule["kind"] == "symptom"]
    explained = bool(leading) and leading[0].confidence == 3 and leading[0].role == "initiating"
    nearest = () if explained else report.nearest
    decide = [("What would decide", _next_rows(report, current))]
    return [
        ("Where the ranks were", lag_rows(report)),
        *(_account(leading[0]) if leading else ()),
        ("What followed from it", _consequence_rows(current, leading[0]) if leading else []),
        ("It, or this: both rest on the same lines", _short_accounts(rivals, current)),
        (
            "Independent of it" if recognized(others) else "Also possible",
            _short_accounts(others, current),
        ),
        ("Symptoms whose cause was not seen", _folded_rows(symptoms)),
        *(decide if leading else ()),
        ("Ranks", rank_rows(report)),
        ("Clocks, for the order of events", clock_rows(report.observations.clocks)),
        ("Earlier attempts", line_rows(earlier)),
        ("Seen, but the run recovered from it", line_rows(report.recovered)),
        (
            "Errors that no entry explains",
            unexplained_rows(report.unexplained, 3 if recognized(current) else 5),
        ),
        *(_depth(leading[0], report) if leading else ()),
        ("Nearest entries, and what is missing", nearest_rows(nearest)),
        ("Not looked at", not_looked_rows(report)),
        *(() if leading else decide),
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
    causes = {item.rule["id"]: item.consequence_of for item in current}
    followed = [
        item
        for item in current
        if item is not origin and origin.rule["id"] in _causes_of(item, causes)
    ]
    return _folded_rows(followed)


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


def _causes_of(item: Diagnosis, causes: Dict[str, Any]) -> List[str]:
    """List the ids that *item* follows from, the direct one first."""
    chain: List[str] = []
    cause = item.consequence_of
    while cause is not None and cause not in chain:
        chain.append(cause)
        cause = causes.get(cause)
    return chain


def leading_of(current: Sequence[Diagnosis]) -> List[Diagnosis]:
    """Leave out what followed from another diagnosis."""
    return [item for item in current if item.consequence_of is None]


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
    if causeless or (_shows_trouble(report) and not recognized(current)):
        rows += wanted_rows(report.observations)
    return rows


def footer_rows(report: Report, catalogue: Catalogue) -> List[TextRow]:
    """Say what was read and looked for, and where there is more."""
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
    rows = plain(wrap_text(text))
    if report.unexplained and not recognized(report.diagnoses):
        draft = "To begin the entry that is missing, add: --draft -o entries/ID.md"
        rows += plain([draft])
    if report.diagnoses:
        rule = report.diagnoses[0].rule
        more = "More about it: python3 trainwreck.py explain " + rule["id"]
        rows += plain([more] + ([rule["page"]] if rule["page"] else []))
    return rows


def without_lone_attempt(report: Report) -> Report:
    """Leave the attempt away where there was only one, the first."""
    if latest_attempt(report) != 0:
        return report
    return report._replace(
        diagnoses=tuple(item._replace(attempt=None) for item in report.diagnoses),
        recovered=tuple(item._replace(attempt=None) for item in report.recovered),
    )


def current_of(report: Report) -> List[Diagnosis]:
    """Choose what is told of the last attempt, and of what it ran into; the rest is history."""
    latest = latest_attempt(report)
    own = [item for item in report.diagnoses if item.attempt in (latest, None)]
    lifted = {item.consequence_of for item in own} - {item.rule["id"] for item in own}
    return [item for item in report.diagnoses if item in own or item.rule["id"] in lifted]


def latest_attempt(report: Report) -> Any:
    """Return the number of the last attempt that was seen."""
    seen = [state.attempt for state in report.observations.ranks]
    seen += [item.attempt for item in report.diagnoses]
    seen += [number for _, _, number in report.observations.attempts]
    return max((attempt for attempt in seen if attempt is not None), default=None)
