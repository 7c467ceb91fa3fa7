"""How one entry was judged, as text for an 80-column terminal: its `Trace` enters, rows leave."""

from typing import Dict, List, Sequence, Tuple

from checker.judgement import Answer, Course, Trace, Trial, Truth
from checker.match.conditions import condition_in_words
from checker.match.onset import earliest
from checker.match.signs import sign_in_words, what_decides
from checker.model import CONFIDENCE, OUTLIVED, Rule
from checker.report.accounts import bullet_rows, evidence_rows, plain, sentence, styled
from checker.report.phrases import counted, host_phrase, ranks_phrase
from checker.report.terminal import TextRow, visible, wrap_text

_VALUES = {True: "true", False: "false", None: "unknown"}
_STRENGTHS = {3: "decisive", 2: "strong", 1: "weak", 0: "nothing"}
_MOST_PLACES = 4
_EDGES = {
    "leads_to": "its entry says that it leads to this one",
    "symptom": "a process that dies or hangs shows so to the others",
    "stop": "a run that hangs or is slow gets stopped",
    "exception": "an exception that follows a failure of its rank is no failure of its own",
}


def trace_rows(trace: Trace) -> List[TextRow]:
    """Tell how an entry was judged, the outcome first."""
    rule = trace.rule
    rows = plain(wrap_text("{}: {}".format(rule["id"], rule["title"]), "", "  "))
    several = len(trace.courses) > 1
    for course in trace.courses:
        rows += _verdict_rows_of(course, several)
    if any(course.confidence < 3 for course in trace.courses):
        rows += _under("What would decide", _deciding_rows(trace))
    for course in trace.courses:
        where = _where_of_case(course) if several else ""
        rows += _under(
            "Signatures" + (", " + where if where else ""), _signature_rows(rule, course)
        )
        rows += _under("What speaks against it", _answer_rows(course.contrary))
        rows += _under("How sure", _step_rows(course))
        rows += _under("Whether it passed", _recovery_rows(rule, course))
        rows += _under("Its role", _role_rows(course))
    return rows + _under("Signs", _sign_rows(trace))


def _verdict_rows_of(course: Course, several: bool) -> List[TextRow]:
    """Say what the entry came to, and where."""
    style = "alarm" if course.fate == "diagnosed" and course.confidence > 1 else "caution"
    text = _verdict_text(course)
    where = _where_of_case(course)
    if several and where:
        text = "{}: {}".format(sentence(where), text)
    elif where and course.confidence:
        text += ", " + where
    return styled(style, wrap_text(text + ".", "  ", "    "))


def _verdict_text(course: Course) -> str:
    sure = CONFIDENCE.get(course.confidence, "")
    reason = visible(course.reason)
    texts: Dict[str, str] = {
        "diagnosed": "DIAGNOSED: {}, {}".format(sure, course.role),
        "recovered": "RECOVERED ({}): it happened, and passed".format(sure),
        "hidden": "HIDDEN ({}): {} says it more exactly".format(sure, course.by),
        "not_shown": "NOT SHOWN ({}): {}".format(sure, reason),
        "refuted": "NOT DIAGNOSED: {}".format(reason),
        "not_met": "NOT DIAGNOSED: no signature is met",
        "nothing_seen": "NOT DIAGNOSED: nothing that could begin it was seen",
    }
    return texts[course.fate]


def _where_of_case(course: Course) -> str:
    parts = []
    if course.rank is not None:
        parts.append(ranks_phrase([course.rank]))
    elif course.ranks:
        parts.append(ranks_phrase(course.ranks))
    if course.host:
        parts.append(host_phrase(course.host))
    if course.attempt is not None:
        parts.append("attempt {}".format(course.attempt))
    return ", ".join(parts)


def _under(heading: str, rows: List[TextRow]) -> List[TextRow]:
    return [("plain", ""), ("heading", heading), *rows] if rows else []


def _signature_rows(rule: Rule, course: Course) -> List[TextRow]:
    """Show the signatures that are met first, then those that may be, then the others."""
    order = sorted(
        range(len(course.signatures)), key=lambda n: (_state_rank(course.signatures[n]), n)
    )
    rows: List[TextRow] = []
    for number in order:
        signature, trials = rule["signatures"][number], course.signatures[number]
        text = "{} ({}): {}".format(
            _state_text(trials), signature["strength"], signature["name"] or "no name"
        )
        first = "  {:>2}. ".format(number + 1)
        rows += plain(wrap_text(text, first, " " * len(first)))
        rows += _place_rows(trials)
    return rows


def _state_rank(trials: Sequence[Trial]) -> int:
    values = {trial.value for trial in trials}
    return 0 if True in values else 1 if None in values else 2


def _state_text(trials: Sequence[Trial]) -> str:
    met = [trial for trial in trials if trial.value]
    if not met:
        return "not met" if _state_rank(trials) == 2 else "unknown"
    best = max(met, key=lambda trial: trial.strength)
    if not best.opened:
        return "met"
    return "met but open, so it counts as {}".format(_STRENGTHS[best.strength])


def _place_rows(trials: Sequence[Trial]) -> List[TextRow]:
    """Show the places of a signature, those that came to the same together."""
    groups: Dict[str, List[Trial]] = {}
    for trial in sorted(trials, key=lambda trial: _state_rank([trial])):
        groups.setdefault(repr((trial.value, trial.opened, trial.answers)), []).append(trial)
    rows: List[TextRow] = []
    for group in list(groups.values())[:_MOST_PLACES]:
        where = _places_text(group)
        if where and len(trials) > 1:
            rows += plain(wrap_text(where + ":", "      ", "        "))
        if group[0].opened and not group[0].value:
            rows += plain(wrap_text("; ".join(group[0].opened), "      ", "        "))
        rows += _answer_rows(group[0].answers, "      ")
    left = sum(len(group) for group in list(groups.values())[_MOST_PLACES:])
    if left:
        rows += plain(["      and at {}".format(counted(left, "more place"))])
    return rows


def _places_text(group: Sequence[Trial]) -> str:
    ranks = [trial.rank for trial in group if trial.rank is not None]
    paths = [visible(trial.path) for trial in group if trial.rank is None and trial.path]
    hosts = sorted({trial.host for trial in group if trial.host})
    parts = [ranks_phrase(ranks)] if ranks else []
    parts += paths[:2] + (["{} more".format(len(paths) - 2)] if len(paths) > 2 else [])
    if not parts:
        parts = [host_phrase(host) for host in hosts[:2]]
    return ", ".join(parts)


def _answer_rows(answers: Sequence[Answer], indent: str = "  ") -> List[TextRow]:
    told = [(_VALUES[answer.value], _answer_text(answer)) for answer in answers if answer.asked]
    unasked = [_answer_text(answer) for answer in answers if not answer.asked]
    if unasked:
        told.append(("-", "then also asked: " + "; ".join(unasked)))
    rows: List[TextRow] = []
    for value, text in told:
        first = "{}{:<8} ".format(indent, value)
        rows += plain(wrap_text(text, first, " " * len(first)))
    return rows


def _answer_text(answer: Answer) -> str:
    item = answer.item
    text = item if isinstance(item, str) else condition_in_words(item)
    if answer.part == "any":
        text += " (one such is enough)"
    if answer.part == "none":
        text += " (must not be)"
    if answer.part == "rules_out":
        text += " (would rule it out)"
    return text + (": " + visible(answer.reason) if answer.reason else "")


def _step_rows(course: Course) -> List[TextRow]:
    return bullet_rows(
        [
            "{}: {}".format(CONFIDENCE.get(step.confidence, "none"), visible(step.reason))
            for step in course.steps
        ]
    )


def _recovery_rows(rule: Rule, course: Course) -> List[TextRow]:
    if not course.confidence:
        return []
    how = rule["recovers"]
    texts = {
        "progress": "two further steps, a regular end, or many more ordinary lines",
        "series": "good values again after it",
        OUTLIVED: "a counter that went on for longer than a stop allows",
        "never": "",
    }
    words = texts[how] if how in texts else sign_in_words(rule["signs"][how]) + ", after it"
    if how == "never":
        text = "No; it does not pass of itself."
    elif course.fate == "recovered":
        text = "Yes: there is {}.".format(words)
    else:
        text = "Not that anything shows. That would take {}.".format(words)
    return plain(wrap_text(text, "  ", "  "))


def _role_rows(course: Course) -> List[TextRow]:
    if course.role is None:
        return []
    return plain(wrap_text(role_text(course), "  ", "  "))


def role_text(course: Course) -> str:
    """Say which role an entry has, and why."""
    if course.role == "initiating":
        return "Initiating: nothing that could cause it, or began before it, is as sure."
    known = course.order == "before"
    if course.role == "independent":
        if course.first is None:
            return "Independent: it is neither a failure nor a stop."
        when = "began before it" if known else "was not seen to begin later, and is as sure"
        return "Independent: {} {}, and cannot have caused it.".format(course.first, when)
    if course.cause is None:
        return (
            "Consequence of something not seen: a symptom is never what failed first, and no "
            "failure that is sure enough explains it."
        )
    when = "It began before this one." if known else "Nothing tells which of the two began first."
    return "Consequence of {}: {}. {}".format(course.cause, _EDGES[course.edge or ""], when)


def _sign_rows(trace: Trace) -> List[TextRow]:
    """Show every sign: those seen, then those that are unknown, then those that are not there."""
    signs = trace.rule["signs"]
    order = [True, None, False]
    rows: List[TextRow] = []
    for name in sorted(signs, key=lambda name: order.index(trace.truths[name].value)):
        truth = trace.truths[name]
        text = "{}: {}".format(name, _VALUES[truth.value])
        text += ", " + visible(truth.reason) if truth.reason else ""
        rows += plain(wrap_text(text, "  ", "      "))
        rows += plain(wrap_text(sign_in_words(signs[name]), "      ", "      "))
        rows += _seen_rows(trace.rule, truth)
    return rows


def _seen_rows(rule: Rule, truth: Truth) -> List[TextRow]:
    """Quote the first sighting, and say how many there are."""
    first = earliest(truth.sightings)
    if first is None:
        return []
    rows = evidence_rows(rule, [first], 1, 2, "      ")
    places = {(s.line.path, s.line.number) if s.line else ("", 0) for s in truth.sightings}
    times = sum(sighting.times for sighting in truth.sightings)
    if times > 1:
        ranks = [s.rank for s in truth.sightings if s.rank is not None]
        exact = all(sighting.exact for sighting in truth.sightings)
        text = "{}{} in {}{}".format(
            "" if exact else "at least ",
            counted(times, "time"),
            counted(len(places), "place"),
            ", " + ranks_phrase(ranks) if ranks else "",
        )
        rows += plain(wrap_text(text, "      ", "      "))
    return rows


def _deciding_rows(trace: Trace) -> List[TextRow]:
    """Name what would decide the unknown signs, once for all that it decides."""
    found: Dict[str, List[str]] = {}
    for name, text in deciding_of(trace):
        found.setdefault(text, []).append(name)
    return bullet_rows(["{}: {}".format(", ".join(found[text]), text) for text in found])


def deciding_of(trace: Trace) -> List[Tuple[str, str]]:
    """List the unknown signs with what would decide them, where something is known to."""
    signs = trace.rule["signs"]
    pairs = [
        (name, what_decides(signs[name])) for name in signs if trace.truths[name].value is None
    ]
    return [(name, text) for name, text in pairs if text]
