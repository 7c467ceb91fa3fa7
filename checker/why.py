"""The command that tells how one entry was judged: its id and paths enter, its trace leaves.

The trace is what the diagnosis itself noted; nothing is judged a second time for it.
"""

from typing import Callable, Dict, List

from checker.arguments import Request, UsageError
from checker.catalogue import Catalogue
from checker.check import (
    HOW_TO_MEND,
    chosen_format,
    find_entry_id,
    read_paths,
    report_status,
    shown_report,
    trouble_lines,
)
from checker.judgement import Report
from checker.model import Rule
from checker.outcome import Outcome
from checker.pipeline import diagnose_paths
from checker.report.phrases import anything_read
from checker.report.redact import masked_sentence
from checker.report.terminal import TextRow, paint, visible
from checker.report.trace_json import render_trace_json
from checker.report.trace_text import trace_rows

TraceFormat = Callable[[Report, Rule, Catalogue, bool], str]


def _text_trace(report: Report, rule: Rule, catalogue: Catalogue, color: bool) -> str:
    rows: List[TextRow] = []
    if not anything_read(report.observations):
        rows.append(("caution", "Nothing was readable, so nothing is known about this run."))
    for number, trace in enumerate(report.traces, 1):
        rows += [("plain", "")] if rows else []
        if len(report.traces) > 1:
            rows.append(("heading", _run_heading(trace.run, number, report)))
        rows += trace_rows(trace)
    if report.masked is not None:
        rows += [("plain", ""), ("plain", masked_sentence(report))]
    return paint(rows, color)


def _run_heading(run: object, number: int, report: Report) -> str:
    if run is None:
        return "Logs that no run could be joined with"
    return "Run {} of {}: {}".format(number, len(report.runs), visible(str(run)))


def _json_trace_format(report: Report, rule: Rule, catalogue: Catalogue, color: bool) -> str:
    return render_trace_json(report, rule, catalogue)


TRACE_FORMATS: Dict[str, TraceFormat] = {"text": _text_trace, "json": _json_trace_format}


def run_why(request: Request, catalogue: Catalogue) -> Outcome:
    """Tell how an entry was judged on the named logs."""
    render = chosen_format(request.options.get("--format", "text"), TRACE_FORMATS)
    if not request.words:
        raise UsageError("'why' needs an id and a log", "the command 'list' shows all ids")
    name, paths = find_entry_id(request.words[0], catalogue), request.words[1:]
    if not paths:
        raise UsageError("no log was named after '{}'".format(name), HOW_TO_MEND)
    report = diagnose_paths(catalogue, paths, name, name, progress=request.progress)
    status = report_status(report)
    return Outcome(
        status,
        render(
            shown_report(report, catalogue, request),
            catalogue.by_id()[name].rule(),
            catalogue,
            request.color,
        ),
        tuple(trouble_lines(report, paths, status)),
        read_paths(report),
    )
