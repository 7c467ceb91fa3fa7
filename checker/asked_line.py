"""The option that tells what was made of one line: a `Request` enters, an `Outcome` leaves."""

import os
from typing import Callable, Dict, List, Tuple

from checker.arguments import Request, UsageError
from checker.catalogue import Catalogue
from checker.judgement import LineStory, Report
from checker.outcome import Outcome
from checker.pipeline import diagnose_paths
from checker.report.line_text import render_line_json, render_line_text
from checker.scan.interests import AskedLine

LineForm = Callable[[Report, LineStory, Catalogue, bool], str]
LINE_FORMATS: Dict[str, LineForm] = {"text": render_line_text, "json": render_line_json}
_EXAMPLE = "write --explain-line train.log:120"


def asked_line(value: str) -> AskedLine:
    """Read `FILE:LINE`."""
    path, colon, number = value.rpartition(":")
    if not colon or not path or not number.isdecimal() or len(number) > 12 or int(number) < 1:
        raise UsageError("'{}' is not a file and the number of a line".format(value), _EXAMPLE)
    return path, int(number)


def story_of(
    request: Request, catalogue: Catalogue, paths: Tuple[str, ...]
) -> Tuple[Report, LineStory]:
    """Diagnose the logs with that line in mind."""
    asked = asked_line(request.options["--explain-line"])
    report = diagnose_paths(catalogue, paths, None, asked=asked, progress=request.progress)
    if report.story is None:
        read = [given.path for given in report.observations.inputs if given.status == "read"]
        ends = [path for path in read if _ends_so(path, asked[0])]
        if asked[0] not in read and len(ends) == 1:
            report = diagnose_paths(
                catalogue, paths, None, asked=(ends[0], asked[1]), progress=request.progress
            )
    if report.story is None:
        raise _no_such_line(asked, report)
    return report, report.story


def _ends_so(path: str, name: str) -> bool:
    return path.endswith(os.sep + name)


def _no_such_line(asked: AskedLine, report: Report) -> UsageError:
    path, number = asked
    for given in report.observations.inputs:
        if given.path == path or _ends_so(given.path, path):
            problem = "'{}' has no line {}".format(given.path, number)
            return UsageError(problem, "it has {} lines".format(given.lines or 0))
    names: List[str] = sorted(given.path for given in report.observations.inputs)[:3]
    return UsageError(
        "'{}' is none of the logs that were read".format(path),
        "write it as the report does: " + ", ".join(names),
    )


def line_outcome(
    request: Request,
    catalogue: Catalogue,
    render: LineForm,
    shown: Callable[[Report, Catalogue, Request], Report],
    status: Callable[[Report], int],
) -> Outcome:
    """Tell what was made of the line that the person asks about."""
    report, story = story_of(request, catalogue, request.words)
    read = tuple(given.path for given in report.observations.inputs if given.status == "read")
    told = shown(report, catalogue, request)
    text = render(told, told.story or story, catalogue, request.color)
    return Outcome(status(report), text, (), read)
