"""How one entry was judged, as JSON: a `Report` with traces enters, ASCII text leaves.

The form is stable: a field may be added, any other change needs a new TRACE_SCHEMA_VERSION.
A value is true, false, or null for unknown; `asked` is false for what was not looked at.

    {"schema_version", "tool", "masked", "inputs": as in the report, "id", "title", "kind",
     "runs": [{"run",
       "signs": [{"sign", "kind", "asks", "value", "reason", "decides", "count", "ranks",
                  "sightings": [as the report's evidence, the first one first]}],
       "cases": [{"attempt", "rank", "ranks", "host",
         "verdict": "diagnosed|recovered|hidden|not_shown|refuted|not_met|nothing_seen",
         "confidence": "certain|likely|possible" or null, "reason", "hidden_by",
         "role", "consequence_of", "edge": "leads_to|symptom|stop|exception",
         "beside", "order": "before|after" or null,
         "signatures": [{"number", "name", "strength", "value", "open",
           "places": [{"rank", "path", "host", "value", "counts_as", "not_excluded",
             "answers": [{"part", "sign", "condition", "value", "asked", "reason"}]}]}],
         "against": [as answers], "steps": [{"rule", "confidence", "reason"}]}]}]}
"""

import json
from typing import Any, Dict, Optional, Sequence

from checker.catalogue import Catalogue
from checker.judgement import Answer, Course, Report, Trace, Trial
from checker.match.onset import onset_key
from checker.match.signs import sign_in_words, what_decides
from checker.model import CONFIDENCE, STRENGTH, Rule
from checker.report.redact import json_masked
from checker.report.render_json import json_input, json_sighting, json_tool

TRACE_SCHEMA_VERSION = 1
_STRENGTH_NAMES = {number: name for name, number in STRENGTH.items()}


def render_trace_json(report: Report, rule: Rule, catalogue: Catalogue) -> str:
    """Render the traces of one entry."""
    document = {
        "schema_version": TRACE_SCHEMA_VERSION,
        "tool": json_tool(catalogue),
        "masked": json_masked(report),
        "inputs": [json_input(given) for given in report.observations.inputs],
        "id": rule["id"],
        "title": rule["title"],
        "kind": rule["kind"],
        "runs": [_json_trace(trace) for trace in report.traces],
    }
    return json.dumps(document, ensure_ascii=True, allow_nan=False, indent=2) + "\n"


def _json_trace(trace: Trace) -> Dict[str, Any]:
    return {
        "run": trace.run,
        "signs": [_json_sign(trace, name) for name in trace.rule["signs"]],
        "cases": [_json_course(trace.rule, course) for course in trace.courses],
    }


def _json_sign(trace: Trace, name: str) -> Dict[str, Any]:
    sign, truth = trace.rule["signs"][name], trace.truths[name]
    ranks = {s.rank for s in truth.sightings if s.rank is not None}
    return {
        "sign": name,
        "kind": sign["kind"],
        "asks": sign_in_words(sign),
        "value": truth.value,
        "reason": truth.reason or None,
        "decides": (what_decides(sign) or None) if truth.value is None else None,
        "count": sum(sighting.times for sighting in truth.sightings),
        "ranks": sorted(ranks),
        "sightings": [json_sighting(s) for s in sorted(truth.sightings, key=onset_key)],
    }


def _json_course(rule: Rule, course: Course) -> Dict[str, Any]:
    return {
        "attempt": course.attempt,
        "rank": course.rank,
        "ranks": list(course.ranks),
        "host": course.host,
        "verdict": course.fate,
        "confidence": CONFIDENCE.get(course.confidence),
        "reason": course.reason or None,
        "hidden_by": course.by,
        "role": course.role,
        "consequence_of": course.cause,
        "edge": course.edge,
        "beside": course.first,
        "order": course.order,
        "signatures": [
            _json_signature(rule, number, trials) for number, trials in enumerate(course.signatures)
        ],
        "against": [_json_answer(answer) for answer in course.contrary],
        "steps": [
            {
                "rule": step.rule,
                "confidence": CONFIDENCE.get(step.confidence),
                "reason": step.reason,
            }
            for step in course.steps
        ],
    }


def _json_signature(rule: Rule, number: int, trials: Sequence[Trial]) -> Dict[str, Any]:
    signature = rule["signatures"][number]
    met = [trial for trial in trials if trial.value]
    return {
        "number": number + 1,
        "name": signature["name"],
        "strength": signature["strength"],
        "value": _value_of(trials),
        "open": bool(met) and all(trial.opened for trial in met),
        "places": [_json_trial(trial) for trial in trials],
    }


def _value_of(trials: Sequence[Trial]) -> Optional[bool]:
    values = {trial.value for trial in trials}
    return True if True in values else None if None in values else False


def _json_trial(trial: Trial) -> Dict[str, Any]:
    return {
        "rank": trial.rank,
        "path": trial.path,
        "host": trial.host,
        "value": trial.value,
        "counts_as": _STRENGTH_NAMES.get(trial.strength),
        "not_excluded": list(trial.opened) if trial.value else [],
        "answers": [_json_answer(answer) for answer in trial.answers],
    }


def _json_answer(answer: Answer) -> Dict[str, Any]:
    named = isinstance(answer.item, str)
    return {
        "part": answer.part,
        "sign": answer.item if named else None,
        "condition": None if named else answer.item,
        "value": answer.value,
        "asked": answer.asked,
        "reason": answer.reason or None,
    }
