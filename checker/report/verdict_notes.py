"""What has to be said beside the verdict: a `Report` enters, styled sentences leave."""

from typing import List, Optional, Sequence

from checker.judgement import Report
from checker.match.scene import line_place
from checker.model import Diagnosis
from checker.report.phrases import place_text, ranks_phrase, silent_ranks
from checker.report.process_text import living_sentence, nothing_runs
from checker.report.stacks_text import stacks_sentence
from checker.report.story import leading_of, recognized, shows_trouble
from checker.report.surroundings import failed_ranks
from checker.report.terminal import TextRow
from checker.report.verdict_text import launcher_sentence
from checker.scan.readers import COMPLETED


def verdict_notes(report: Report, current: Sequence[Diagnosis]) -> List[TextRow]:
    """List the sentences, those that a person must not miss as cautions."""
    top = current[0] if current else None
    notes = [("caution", _stack_note(report, top))]
    if top is not None:
        notes = [
            ("caution", _silent_note(top, report)),
            *notes,
            ("caution", _preceded_note(top)),
            ("plain", _order_note(top, leading_of(current)[1:])),
            ("plain", launcher_sentence(report.verdict, True)),
        ]
    return [(style, text) for style, text in notes if text]


def _silent_note(top: Diagnosis, report: Report) -> str:
    """Point at the ranks that do not show what most ranks wait for or complain about."""
    silent = silent_ranks(top, report.observations)
    if top.rule["kind"] != "symptom" or not silent:
        return ""
    return "Not seen on {}: look there first.".format(ranks_phrase(silent))


def _stack_note(report: Report, top: Optional[Diagnosis]) -> str:
    """Say which rank stands elsewhere, if a stack decided, or nothing else tells who is late."""
    decided = top is not None and any(item.kind == "stack" for item in top.evidence)
    if top is not None and recognized([top]) and top.rule["kind"] != "symptom" and not decided:
        return ""
    text = stacks_sentence(report.observations)
    return text + "." if text else ""


def _preceded_note(top: Diagnosis) -> str:
    """Admit that something unseen came before the first failure that was seen."""
    if top.preceded_by is None:
        return ""
    return "Before it began {}, whose cause was not seen: look for an earlier failure.".format(
        top.preceded_by
    )


def _order_note(top: Diagnosis, others: Sequence[Diagnosis]) -> str:
    """Admit that nothing tells which of two failures was first."""
    if not others or others[0].order != "unknown" or others[0].rule["kind"] == "benign":
        return ""
    surer = top.confidence > others[0].confidence
    return "Nothing tells whether it was before {}; {}.".format(
        others[0].rule["id"], "this one is surer" if surer else "both are equally sure"
    )


def unrecognized_text(report: Report) -> str:
    """Say that nothing was recognized, and what that means."""
    if nothing_runs(report.observations.facts):
        return living_sentence(report.observations.facts)
    text = "No known failure recognized"
    if report.diagnoses:
        text += " in the last attempt"
    failed = failed_ranks(report)
    if failed:
        text += ", although {} failed".format(ranks_phrase(failed))
    if report.unexplained:
        return text + ". The log reports errors that no entry explains (below)."
    loud = [t for t in report.observations.tracebacks if not t.handled and not t.ignored]
    if loud or shows_trouble(report):
        return text + "."
    if report.observations.tracebacks:
        text += "; the exceptions that were printed were handled, and no other line"
    else:
        text += "; no line"
    return text + " is one that this version knows as an error. " + _end_text(report)


def _end_text(report: Report) -> str:
    """Say whether the run ended well, which no silence tells."""
    living = living_sentence(report.observations.facts)
    if living:
        return living
    ranks = report.observations.ranks
    if ranks and all(state.exit is not None and state.exit.code == 0 for state in ranks):
        return "All ranks ended normally."
    ends = [f.line for f in report.observations.facts if f.name == COMPLETED and f.line is not None]
    if ends:
        first = min(ends, key=line_place)
        return "Training ran to its end ({}).".format(place_text(first))
    return "Whether the run ended well is not known."
