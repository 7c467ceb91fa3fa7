"""The report as JSON: a `Report` enters, ASCII text that ends with a line feed leaves.

The form is stable: a field may be added, any other change needs a new SCHEMA_VERSION. The same
report gives the same bytes on every Python, since the numbers in it are integers, or floats of
which every supported version prints the same shortest digits.
"""

import json
import math
from typing import Any, Dict, Iterator, List, Optional

from checker.catalogue import Catalogue
from checker.collective.lagging import RankPlace, places_of_ranks
from checker.facts import fact_kinds
from checker.identity import NAME, SCHEMA_VERSION, VERSION
from checker.judgement import Report
from checker.model import (
    CONFIDENCE,
    ClockOffset,
    Diagnosis,
    Exit,
    Fact,
    Input,
    Line,
    Moment,
    RankState,
    Sighting,
)
from checker.report.clock_text import moment_text
from checker.report.compared_text import json_comparison
from checker.report.lag_text import json_lag
from checker.report.pace_text import json_pace, told_paces
from checker.report.redact import json_masked
from checker.report.verdict_text import json_verdict


def render_json(report: Report, catalogue: Catalogue) -> str:
    """Render the whole report."""
    return "".join(json_pieces(report, catalogue))


def json_pieces(report: Report, catalogue: Catalogue) -> Iterator[str]:
    """Render the report piece by piece: of thousands of ranks the whole would be large."""
    yield from _written(_document(report, catalogue), "")
    yield "\n"


def _written(value: Any, margin: str) -> Iterator[str]:
    """Write a value; lists can be iterators, whose items are made one by one."""
    inner, text = margin + "  ", ""
    if isinstance(value, dict) and any(map(_is_lazy, value.values())):
        for name, item in value.items():
            yield "{}\n{}{}: ".format(text or "{", inner, _in_one(name, inner))
            yield from _written(item, inner)
            text = ","
        yield "\n" + margin + "}"
    elif _is_lazy(value):
        for item in value:
            yield "{}\n{}".format(text or "[", inner)
            yield from _written(item, inner)
            text = ","
        yield "\n" + margin + "]" if text else "[]"
    else:
        yield _in_one(value, margin)


def _is_lazy(value: Any) -> bool:
    return hasattr(value, "__next__")


def _in_one(value: Any, margin: str) -> str:
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, indent=2)
    # No string has a line feed of its own: it is escaped.
    return text.replace("\n", "\n" + margin)


def _document(report: Report, catalogue: Catalogue) -> Dict[str, Any]:
    seen = report.observations
    probed = sorted(
        (fact for fact in seen.facts if _is_of_machine(fact)), key=lambda fact: fact.name
    )
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": json_tool(catalogue),
        "masked": json_masked(report),
        "compared": json_comparison(report.compared),
        "inputs": map(json_input, seen.inputs),
        "machine": {"probed": bool(probed), "facts": [_json_fact(fact) for fact in probed]},
        "diagnoses": map(_json_diagnosis, report.diagnoses),
        "recovered": map(_json_diagnosis, report.recovered),
        "ranks": map(_json_rank, seen.ranks, places_of_ranks(seen)),
        "paces": map(json_pace, told_paces(report)),
        "clocks": [_json_clock(offset) for offset in seen.clocks],
        "launcher_verdict": json_verdict(report.verdict),
        "unexplained": [_json_line(line) for line in report.unexplained],
        "nearest": [{"id": near.id, "missing": near.missing} for near in report.nearest],
        "coverage": {
            "entries": len(catalogue.entries),
            "looked_for": report.looked_for,
            "not_checked": [
                {"id": name, "reason": reason} for name, reason in sorted(report.not_checked)
            ],
        },
    }


def json_tool(catalogue: Catalogue) -> Dict[str, Any]:
    """Name the checker and its catalogue."""
    return {
        "name": NAME,
        "version": VERSION,
        "catalogue": {
            "entries": len(catalogue.entries),
            "sha256": catalogue.sha256,
            "date": catalogue.date,
        },
    }


def json_input(given: Input) -> Dict[str, Any]:
    """Tell what was read of one input."""
    return {
        "path": given.path,
        "status": given.status,
        "reason": given.reason,
        "bytes": given.size,
        "lines": given.lines,
        "host": given.host,
        "rank": given.rank,
        "attempt": given.attempt,
        "part_of": given.part_of,
    }


def _is_of_machine(fact: Fact) -> bool:
    kind = fact_kinds().get(fact.name)
    return fact.line is None or (kind is not None and kind.of_process)


def _json_fact(fact: Fact) -> Dict[str, Any]:
    told = {"name": fact.name, "value": _json_value(fact.value), "unknown": fact.unknown}
    if fact.host is not None:
        told["host"] = fact.host
    if fact.line is None:
        return told
    return {**told, "rank": fact.line.writer.rank, "pid": fact.line.pid, "text": fact.line.text}


def _json_diagnosis(diagnosis: Diagnosis) -> Dict[str, Any]:
    rule = diagnosis.rule
    return {
        "id": rule["id"],
        "title": rule["title"],
        "kind": rule["kind"],
        "role": diagnosis.role,
        "consequence_of": diagnosis.consequence_of,
        "confidence": CONFIDENCE[diagnosis.confidence],
        "attempt": diagnosis.attempt,
        "run": diagnosis.run,
        "general": _json_value(diagnosis.general),
        "rivals": list(diagnosis.rivals),
        "preceded_by": diagnosis.preceded_by,
        "rank": diagnosis.rank,
        "ranks": sorted(diagnosis.ranks),
        "host": diagnosis.host,
        "time": moment_text(diagnosis.onset),
        "order": diagnosis.order,
        "evidence": map(json_sighting, diagnosis.evidence),
        "against": map(json_sighting, diagnosis.against),
        "summary": {part: rule["summary"][part] for part in ("symptom", "cause", "fix")},
        "fix": rule["fix"]["now"],
        "confirm": [
            {part: check.get(part) for part in ("check", "run", "yes", "no")}
            for check in rule["confirm"]
        ],
        "next": _json_next(diagnosis.next),
        "url": rule["page"],
    }


def _json_next(following: Optional[Dict[str, str]]) -> Optional[Dict[str, str]]:
    if following is None:
        return None
    return {"command": following["command"], "decides": following["decides"]}


def json_sighting(sighting: Sighting) -> Dict[str, Any]:
    """Tell where a sign was seen, and what it says there."""
    line = sighting.line
    return {
        "kind": sighting.kind,
        **json_place(line),
        "rank": sighting.rank,
        "host": sighting.host,
        "time": moment_text(line.moment) if line else None,
        "text": sighting.text,
        "sign": sighting.sign,
        "count": sighting.times,
        "count_exact": sighting.exact,
        "values": {name: _json_value(value) for name, value in sorted(sighting.values)},
        "onset": moment_text(sighting.onset),
        "onset_rule": sighting.onset_rule,
        "late": sighting.late,
        "untied": sighting.untied,
    }


def json_place(line: Optional[Line]) -> Dict[str, Any]:
    """Tell the file that holds a line, and its number there."""
    path, number = line.place if line else (None, None)
    return {"path": path, "line": number}


def _json_rank(state: RankState, place: Optional[RankPlace]) -> Dict[str, Any]:
    return {
        "rank": state.rank,
        "local_rank": state.local_rank,
        "host": state.host,
        "attempt": state.attempt,
        "run": state.run,
        "last_step": state.last_step,
        "last_time": moment_text(state.last_moment),
        "exit": json_exit(state.exit),
        "collective": json_lag(place),
    }


def _json_clock(offset: ClockOffset) -> Dict[str, Any]:
    """Tell what is added to the times of a clock before they are compared with others."""
    return {
        "host": offset.host,
        "path": offset.path,
        "clock": offset.clock,
        "added_seconds": offset.shift,
        "doubt_seconds": offset.doubt,
        "by": offset.by,
    }


def json_exit(ended: Optional[Exit]) -> Optional[Dict[str, Any]]:
    """Tell how a process ended, and who said so."""
    if ended is None:
        return None
    return {
        "signal": ended.signal,
        "code": ended.code,
        "by": ended.by,
        "time": moment_text(ended.moment),
        **json_place(ended.line),
    }


def _json_line(line: Line) -> Dict[str, Any]:
    return {
        **json_place(line),
        "rank": line.writer.rank,
        "text": line.shown,
    }


def _json_value(value: Any) -> Any:
    """Turn a captured value into JSON; what JSON has no number for becomes text."""
    if isinstance(value, Moment):
        return moment_text(value)
    if isinstance(value, Exit):
        return json_exit(value)
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, dict):
        return {str(key): _json_value(item) for key, item in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        items: List[Any] = [_json_value(item) for item in value]
        return items
    return value
