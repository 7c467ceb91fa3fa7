"""The command that diagnoses: the paths that a person named enter, the report leaves."""

import os
import time
from typing import Callable, Dict, List, Mapping, Optional, Tuple, TypeVar, Union

from checker.arguments import AGAIN, Request, UsageError, nearest_name
from checker.asked_line import LINE_FORMATS, line_outcome
from checker.catalogue import Catalogue
from checker.diagnose.first_failure import explaining, first_failure
from checker.facts import gave_no_answer
from checker.judgement import Report
from checker.model import CONFIDENCE
from checker.outcome import (
    DIAGNOSED,
    INTERRUPTED,
    NO_ANSWER,
    NOTHING_READABLE,
    NOTHING_RECOGNIZED,
    Outcome,
    Pieces,
)
from checker.packed import FEW
from checker.pipeline import diagnose_paths
from checker.probe.children import Children
from checker.probe.live import Wish, look_at_training
from checker.probe.looking import NO_VIEW, MachineView, absolute_paths, look_around
from checker.probe.machine import Machine
from checker.report.clock_text import civil_date
from checker.report.draft import draft_entry
from checker.report.phrases import anything_read
from checker.report.redact import redacted
from checker.report.render_html import render_html
from checker.report.render_json import json_pieces, render_json
from checker.report.render_lines import render_lines
from checker.report.render_runs import render_runs
from checker.report.render_sarif import render_sarif
from checker.report.render_text import render_text
from checker.report.story import recognized
from checker.report.terminal import visible
from checker.scan.chaining import INTERRUPTED_HERE
from checker.snapshot.comparing import compared_with

HOW_TO_MEND = "give the path of a log, a folder of logs, or - for standard input"


def _text_report(report: Report, catalogue: Catalogue, request: Request) -> str:
    render = render_runs if report.runs else render_text
    return render(report, catalogue, request.color)


def _json_report(report: Report, catalogue: Catalogue, request: Request) -> Union[str, Pieces]:
    if len(report.observations.inputs) <= FEW:
        return render_json(report, catalogue)
    return Pieces(lambda: json_pieces(report, catalogue))


def _html_report(report: Report, catalogue: Catalogue, request: Request) -> str:
    return render_html(report, catalogue)


def _sarif_report(report: Report, catalogue: Catalogue, request: Request) -> str:
    try:
        folder = os.getcwd()
    except OSError:
        folder = "/"
    return render_sarif(report, catalogue, folder)


def _lines_report(report: Report, catalogue: Catalogue, request: Request) -> str:
    return render_lines(report, catalogue)


FORMATS: Dict[str, Callable[[Report, Catalogue, Request], Union[str, Pieces]]] = {
    "text": _text_report,
    "json": _json_report,
    "html": _html_report,
    "sarif": _sarif_report,
    "lines": _lines_report,
}
Form = TypeVar("Form")
_MOST_SECONDS = 86400
_USUAL_SECONDS = {"--budget": 30, "--interval": 5, "--silence": 900}
_MOST_DIGITS = 9


def run_check(request: Request, catalogue: Catalogue) -> Outcome:
    """Diagnose the named logs."""
    if "--explain-line" in request.options:
        return _line_outcome(request, catalogue)
    render = chosen_format(request.options.get("--format", "text"), FORMATS)
    only = _chosen_entry(request.options.get("--only"), catalogue)
    view = view_of_machine(request)
    paths = view.paths if view is not NO_VIEW else request.words
    report = diagnose_paths(catalogue, paths, only, view=view, progress=request.progress)
    if "--draft" in request.options:
        return _draft_outcome(report, request)
    report = compared_report(report, request)
    status = report_status(report)
    return Outcome(
        status,
        render(shown_report(report, catalogue, request), catalogue, request),
        tuple(trouble_lines(report, request.words, status)),
        read_paths(report),
    )


def compared_report(report: Report, request: Request) -> Report:
    """Compare the facts with those of an older snapshot, if the person wants it."""
    older = request.options.get("--compare")
    if older is None:
        return report
    return report._replace(compared=compared_with(older, report.observations.facts))


def shown_report(report: Report, catalogue: Catalogue, request: Request) -> Report:
    """Mask what is private, if the person wants it."""
    return redacted(report, catalogue) if "--redact" in request.options else report


def _line_outcome(request: Request, catalogue: Catalogue) -> Outcome:
    form = chosen_format(request.options.get("--format", "text"), LINE_FORMATS)
    if "--only" in request.options or "--draft" in request.options:
        raise UsageError("--explain-line asks all entries", "leave --only and --draft out")
    if not request.words:
        raise UsageError("no log was named beside --explain-line", HOW_TO_MEND)
    return line_outcome(request, catalogue, form, shown_report, report_status)


def view_of_machine(request: Request) -> MachineView:
    """Look at the machine, if the person wants it."""
    budget, interval = (asked_seconds(request, name) for name in ("--budget", "--interval"))
    paths = absolute_paths(request.words)
    network = "--network" in request.options
    machine = Machine(Children(budget or 30.0), paths=paths, network=network, say=request.say)
    if not request.words:
        return look_at_training(machine, Wish(asked_pid(request), interval or 5.0))
    for option in ("--pid", "--interval"):
        if option in request.options:
            raise UsageError(
                "{} is for the look at what runs, without a log".format(option),
                "leave it out, or leave the logs out",
            )
    if "--machine" in request.options:
        return look_around(machine, request.words)
    for option in ("--budget", "--network"):
        if option in request.options:
            raise UsageError(
                "{} is for the look at the machine".format(option), "write --machine too"
            )
    return NO_VIEW


def asked_seconds(request: Request, option: str) -> Optional[float]:
    """Return the seconds that an option gives; None where it is not written."""
    text = request.options.get(option)
    if text is None:
        return None
    if not text.isdigit() or not 0 < int(text) <= _MOST_SECONDS:
        raise UsageError(
            "{} is a number of seconds, and '{}' is none".format(option, text),
            "write {} {}, or leave it out".format(option, _USUAL_SECONDS[option]),
        )
    return float(text)


def asked_pid(request: Request) -> Optional[int]:
    """Return the process that the person named."""
    text = request.options.get("--pid")
    if text is not None and (not text.isdigit() or len(text) > _MOST_DIGITS):
        raise UsageError(
            "--pid is the id of a process, and '{}' is none".format(text), "write --pid 4711"
        )
    return None if text is None else int(text)


def _draft_outcome(report: Report, request: Request) -> Outcome:
    """Draft an entry; where a failure was recognized only if that is asked for twice."""
    if "--format" in request.options or "--only" in request.options:
        raise UsageError(
            "--draft writes an entry, from all that was read",
            "leave --format and --only out",
        )
    status = report_status(report)
    trouble = trouble_lines(report, request.words, status)
    known, first = explaining(report), first_failure(report)
    text = ""
    if known is not None and request.options["--draft"] != AGAIN:
        trouble.append(
            "nothing drafted: {} explains it ({}); --draft --draft drafts all the same".format(
                known.rule["id"], CONFIDENCE[known.confidence]
            )
        )
    elif first is None:
        trouble.append("nothing drafted: no exception and no error line is left unexplained")
    else:
        told = "--redact" in request.options
        text = draft_entry(first, report.observations, _today(), tell_masked=told)
    return Outcome(status, text, tuple(trouble), read_paths(report))


def _today() -> str:
    year, month, day = civil_date(int(time.time()) // 86400)
    return "{:04d}-{:02d}-{:02d}".format(year, month, day)


def read_paths(report: Report) -> Tuple[str, ...]:
    """List the files that were read, and so must not be written over."""
    return tuple(given.path for given in report.observations.inputs if given.status == "read")


def report_status(report: Report) -> int:
    """Choose the exit status that a report stands for."""
    if any(INTERRUPTED_HERE in (given.reason or "") for given in report.observations.inputs):
        return INTERRUPTED
    if recognized(report.diagnoses):
        return DIAGNOSED
    inputs = report.observations.inputs
    if any(given.refused for given in inputs):
        return NO_ANSWER
    if not anything_read(report.observations):
        return NOTHING_READABLE
    if report.unanswered:
        return NO_ANSWER
    return NOTHING_RECOGNIZED


def _unanswered_lines(report: Report) -> List[str]:
    return list(
        dict.fromkeys(
            visible("not known: {}: {}".format(fact.name, fact.unknown))
            for fact in report.observations.facts
            if fact.name in report.unanswered and gave_no_answer(fact)
        )
    )


def find_entry_id(name: str, catalogue: Catalogue) -> str:
    """Return the present id of an entry; raise UsageError with the nearest one if there is none."""
    entry = catalogue.find(name)
    if entry is not None:
        return entry.id
    near = nearest_name(name, catalogue.by_id())
    raise UsageError(
        "there is no entry '{}'".format(name),
        "did you mean {}?".format(near) if near else "the command 'list' shows all entries",
    )


def chosen_format(name: str, formats: Mapping[str, Form]) -> Form:
    """Return the form that is called so; raise UsageError where there is none."""
    if name in formats:
        return formats[name]
    known = " or ".join(formats)
    raise UsageError("there is no format '{}'".format(name), "use --format " + known)


def _chosen_entry(name: Optional[str], catalogue: Catalogue) -> Optional[str]:
    return None if name is None else find_entry_id(name, catalogue)


def trouble_lines(report: Report, words: Tuple[str, ...], status: int) -> List[str]:
    """Say on stderr which inputs were not (fully) read, and how to mend it if none was."""
    lines = [
        "{}: {}".format(visible(given.path), given.reason)
        for given in report.observations.inputs
        if given.reason and (given.path in words or given.status != "skipped")
    ]
    if status == NO_ANSWER:
        lines += _unanswered_lines(report)
    if status == NOTHING_READABLE:
        lines.append("nothing readable: " + HOW_TO_MEND)
    return lines
