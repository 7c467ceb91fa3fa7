"""Several runs in one text: a `Report` of more than one run enters, its text leaves."""

from typing import List, Optional, Sequence, Tuple

from checker.catalogue import Catalogue
from checker.judgement import Report
from checker.model import Diagnosis
from checker.report.accounts import bullet_rows, plain
from checker.report.compared_text import compared_sections
from checker.report.machine_text import machine_rows
from checker.report.phrases import counted
from checker.report.process_text import process_rows
from checker.report.render_text import footer_rows, line_rows, short_account
from checker.report.story import current_of, leading_of, recognized, without_lone_attempt
from checker.report.surroundings import not_looked_rows, unexplained_rows
from checker.report.terminal import TextRow, paint, visible, wrap_text

_MOST_RUNS_SHOWN = 12
_MOST_ERRORS_SHOWN = 5


def render_runs(report: Report, catalogue: Catalogue, color: bool) -> str:
    """Render what each of several runs came to."""
    rows = _number_rows(report)
    for number, run in enumerate(report.runs[:_MOST_RUNS_SHOWN], 1):
        heading = "Run {} of {}: {}".format(number, len(report.runs), visible(run))
        rows += [("plain", ""), ("heading", heading), *_run_rows(report_of_run(report, run))]
    for heading, content in _sections_of_all(report):
        if content:
            rows += [("plain", ""), ("heading", heading), *content]
    rows.append(("plain", ""))
    return paint(rows + footer_rows(report, catalogue), color)


def _number_rows(report: Report) -> List[TextRow]:
    failed = {d.run for d in report.diagnoses if d.run is not None and recognized([d])}
    text = "These look like {} different runs; a known failure was recognized in {}.".format(
        len(report.runs), len(failed) or "none of them"
    )
    style = "alarm" if failed else "caution"
    rows = [(style, line) for line in wrap_text(text, "", "  ")]
    more = "Each is told alone. Point at one folder or file for its whole story."
    return rows + plain(wrap_text(more, "  ", "  "))


def report_of_run(report: Report, run: Optional[str]) -> Report:
    """Leave only what is about one run."""
    seen = report.observations
    part = report._replace(
        observations=seen._replace(ranks=tuple(s for s in seen.ranks if s.run == run), attempts=()),
        diagnoses=tuple(d for d in report.diagnoses if d.run == run),
        recovered=tuple(d for d in report.recovered if d.run == run),
    )
    return without_lone_attempt(part)


def _run_rows(report: Report) -> List[TextRow]:
    current = current_of(report)
    earlier = [d for d in report.diagnoses if d not in current]
    rows = _account_rows(current)
    for title, items in (("Earlier attempts:", earlier), ("Recovered from:", report.recovered)):
        if items:
            rows += plain(["  " + title]) + line_rows(items)
    return rows or plain(["  No known failure recognized."])


def _account_rows(current: Sequence[Diagnosis]) -> List[TextRow]:
    leading = leading_of(current)
    if not leading:
        return []
    rows = short_account(leading[0], current)
    return rows + (plain(["  Also:"]) + line_rows(leading[1:]) if leading[1:] else [])


def _sections_of_all(report: Report) -> List[Tuple[str, List[TextRow]]]:
    more = [visible(run) for run in report.runs[_MOST_RUNS_SHOWN:]]
    shared = report_of_run(report, None)
    return [
        ("{} (--format json has all)".format(counted(len(more), "more run")), bullet_rows(more)),
        ("In logs that no run could be joined with", line_rows(shared.diagnoses)),
        ("Errors that no entry explains", unexplained_rows(report.unexplained, _MOST_ERRORS_SHOWN)),
        ("Processes", process_rows(report.observations.facts)),
        ("Machine", machine_rows(report.observations.facts)),
        *compared_sections(report),
        ("Not looked at", not_looked_rows(report)),
    ]
