"""What was made of one line, as text and as JSON: a `Report` with a `LineStory` enters."""

import json
from typing import Any, Dict, List

from checker.catalogue import Catalogue
from checker.diagnose.usercode import exception_text
from checker.judgement import LineStory, LineUse, Report
from checker.match.signs import sign_in_words
from checker.model import CONFIDENCE, Exit, Line, Traceback
from checker.report.accounts import bullet_rows, plain, quote_rows, styled
from checker.report.clock_text import moment_text, spoken_moment
from checker.report.phrases import exit_phrase, host_phrase, place_text, ranks_phrase
from checker.report.redact import json_masked, masked_sentence
from checker.report.render_json import json_exit, json_input, json_place, json_tool
from checker.report.terminal import Excerpt, TextRow, paint, visible, wrap_text
from checker.report.trace_text import role_text
from checker.report.verdict_text import verdict_reason

LINE_SCHEMA_VERSION = 1
_MOST_VALUES = 12
_VERDICTS = {
    "evidence": "a diagnosis rests on it:",
    "summary": "the launcher's word on what failed first, which is weighed and not evidence.",
    "wrapper": "the launcher's exception about the end of a process, which says nothing new.",
    "matched": "it holds what a sign of an entry asks for, and no diagnosis rests on it.",
    "noise": "noise of a shutdown: it was printed under `Exception ignored in`, and is no cause.",
    "handled": "an exception that was logged below ERROR, after which the program went on.",
    "teardown": "teardown: the launcher ends processes itself, after something else failed.",
    "fixed_text": "a fixed text of a wrapper, a teardown or advice, which never says what failed.",
    "unexplained": "an error that no entry explains.",
    "end": "it tells the end of a process, and no diagnosis rests on it.",
    "numbers": "its numbers were read, and no sign asks for more.",
    "exception": "part of an exception on which no diagnosis rests.",
    "nothing": "nothing: no sign asks for it, and it reports no error.",
}


def render_line_text(report: Report, story: LineStory, catalogue: Catalogue, color: bool) -> str:
    """Tell what was made of a line, for a terminal."""
    line = story.line
    what = "{}: {}".format(place_text(line), _reason_text(story))
    style = "alarm" if story.verdict == "evidence" else "caution"
    rows: List[TextRow] = styled(style, wrap_text(what, "", "  "))
    masked = masked_sentence(report)
    for heading, content in (
        ("The line", _line_rows(line)),
        ("Where it stands", bullet_rows(_place_texts(story, report))),
        ("Signs that it meets", _use_rows(story)),
    ):
        if content:
            rows += [("plain", ""), ("heading", heading), *content]
    rows += [("plain", ""), ("plain", masked)] if masked else []
    return paint(rows, color)


def _reason_text(story: LineStory) -> str:
    text = _VERDICTS[story.verdict]
    if story.verdict != "evidence":
        return text
    use = story.uses[0]
    course, name = use.course, use.rule["id"]
    if course.fate == "hidden":
        return "{} {}, which {} says more exactly.".format(text, name, course.by)
    if course.fate == "recovered":
        return "{} {}, from which the run recovered.".format(text, name)
    role = str(course.role)
    if role == "consequence":
        role = "a consequence of {}".format(course.cause or "something not seen")
    return "{} {} ({}), {}.".format(text, name, CONFIDENCE[course.confidence], role)


def _line_rows(line: Line) -> List[TextRow]:
    rows = quote_rows(line, Excerpt(line.shown, 0, 0), [], 3, "  ")
    texts = ["written by " + _writer_text(line)]
    when = spoken_moment(line.moment)
    texts.append("time: " + when if when else "time: none was printed")
    if line.level:
        texts.append("level: " + line.level)
    start = line.shown.rfind(line.text) if line.text else -1
    if start > 0:
        texts.append("taken off in front: " + line.shown[: min(start, 200)])
    return rows + bullet_rows(texts)


def _writer_text(line: Line) -> str:
    writer = line.writer
    parts = [
        {"unknown": "somebody whom nothing names", "rank": "a rank"}.get(writer.source)
        or "the " + writer.source
    ]
    if writer.rank is not None:
        parts = [ranks_phrase([writer.rank])]
    elif writer.local_rank is not None:
        parts = ["local rank {}".format(writer.local_rank)]
    if writer.host:
        parts.append(host_phrase(writer.host))
    if line.pid is not None:
        parts.append("pid {}".format(line.pid))
    if writer.attempt is not None:
        parts.append("attempt {}".format(writer.attempt))
    return ", ".join(parts)


def _place_texts(story: LineStory, report: Report) -> List[str]:
    texts = []
    block = story.block
    if block is not None and block.parts:
        (path, first), (end_path, end) = block.line.place, _end_of(block).place
        last = str(end) if path == end_path else place_text(_end_of(block))
        raised = visible(exception_text(block.parts[0])[:200])
        texts.append("in the exception of lines {} to {}: {}".format(first, last, raised))
    if story.verdict == "summary" and report.verdict is not None:
        texts.append("torchrun's root cause: " + verdict_reason(report.verdict))
    texts += ["it tells that {}".format(_told_end(end)) for end in story.ends]
    if story.values:
        shown = ["{} {:g}".format(visible(name), number) for name, number in story.values]
        more = ", ..." if len(shown) > _MOST_VALUES else ""
        texts.append("its numbers: " + ", ".join(shown[:_MOST_VALUES]) + more)
    return texts


def _end_of(block: Traceback) -> Line:
    return block.line._replace(number=block.end)


def _told_end(end: Exit) -> str:
    who = ranks_phrase([end.rank]) if end.rank is not None else "a process"
    return "{} {}".format(who, exit_phrase(end) or "was ended")


def _use_rows(story: LineStory) -> List[TextRow]:
    rows: List[TextRow] = []
    for use in story.uses:
        first = "{} of {}: {}".format(use.sign, use.rule["id"], sign_in_words(_sign_of(use)))
        rows += plain(wrap_text(first, "  - ", "    "))
        rows += plain(wrap_text(_use_text(use), "    ", "    "))
    return rows


def _sign_of(use: LineUse) -> Dict[str, Any]:
    sign: Dict[str, Any] = use.rule["signs"][use.sign]
    return sign


def _use_text(use: LineUse) -> str:
    course = use.course
    sure = CONFIDENCE.get(course.confidence, "")
    if not use.evidence and course.fate == "diagnosed":
        return "The entry is diagnosed, from other lines."
    if course.fate == "diagnosed":
        return "Diagnosed ({}). {}".format(sure, role_text(course))
    texts = {
        "recovered": "It happened ({}), and the run recovered from it.".format(sure),
        "hidden": "Hidden: {} says it more exactly.".format(course.by),
        "not_shown": "Not shown ({}): {}.".format(sure, course.reason),
        "refuted": "Not diagnosed: {}.".format(course.reason),
        "not_met": "Not diagnosed: no signature is met.",
        "nothing_seen": "Not diagnosed: nothing that could begin it was seen.",
    }
    lack = " It lacks {}.".format(course.reason) if course.fate == "not_met" else ""
    return visible(texts[course.fate] + (lack if course.reason else ""))


def render_line_json(report: Report, story: LineStory, catalogue: Catalogue, color: bool) -> str:
    """Tell what was made of a line, for scripts.

    The form is stable: a field may be added, any other change needs a new LINE_SCHEMA_VERSION.
    """
    line, block = story.line, story.block
    document = {
        "schema_version": LINE_SCHEMA_VERSION,
        "tool": json_tool(catalogue),
        "masked": json_masked(report),
        "inputs": [json_input(given) for given in report.observations.inputs],
        **json_place(line),
        "text": line.text,
        "shown": line.shown,
        "writer": dict(line.writer._asdict()),
        "pid": line.pid,
        "time": moment_text(line.moment),
        "level": line.level,
        "verdict": story.verdict,
        "reason": _reason_text(story),
        "block": None
        if block is None
        else {
            "first": block.line.place[1],
            "last": _end_of(block).place[1],
            "last_path": _end_of(block).place[0],
            "exception": exception_text(block.parts[0]) if block.parts else None,
            "handled": block.handled,
            "ignored": block.ignored,
        },
        "ends": [{"rank": end.rank, **(json_exit(end) or {})} for end in story.ends],
        "values": [{"name": name, "value": repr(number)} for name, number in story.values],
        "uses": [_json_use(use) for use in story.uses],
    }
    return json.dumps(document, ensure_ascii=True, allow_nan=False, indent=2) + "\n"


def _json_use(use: LineUse) -> Dict[str, Any]:
    course = use.course
    return {
        "id": use.rule["id"],
        "sign": use.sign,
        "asks": sign_in_words(_sign_of(use)),
        "evidence": use.evidence,
        "verdict": course.fate,
        "confidence": CONFIDENCE.get(course.confidence),
        "attempt": course.attempt,
        "role": course.role,
        "consequence_of": course.cause,
        "edge": course.edge,
        "order": course.order,
        "reason": _use_text(use),
    }
