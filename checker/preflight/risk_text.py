"""Risks as text and as data: an `Outlook` and facts enter, the report leaves."""

import json
from typing import Any, Dict, List, Sequence

from checker.facts import fact_kinds
from checker.identity import NAME, VERSION
from checker.model import Fact, Sighting
from checker.preflight.risks import Outlook, Risk
from checker.report.phrases import counted
from checker.report.terminal import TextRow, visible, wrap_text

_UNANSWERED = ("did not answer", "not asked", "no right", "the probe")
_MOST_STEPS = 4


def risk_rows(outlook: Outlook, facts: Sequence[Fact]) -> List[TextRow]:
    """Tell each risk with what shows it and what helps, then what could not be asked."""
    rows: List[TextRow] = []
    for risk in outlook.risks:
        rows += _one_risk(risk)
    for fact in unanswered(outlook, facts):
        text = "not known: {}: {}".format(fact.name, fact.unknown)
        rows += [("caution", line) for line in wrap_text(visible(text), "", "  ")]
    count = counted(len(outlook.risks), "risk") if outlook.risks else "no risk seen"
    closing = "{}; {} of {} can be known before a run.".format(
        count, counted(outlook.entries, "entry", "entries"), NAME + " " + VERSION
    )
    return rows + [("plain", line) for line in wrap_text(closing)]


def _one_risk(risk: Risk) -> List[TextRow]:
    rule = risk.rule
    title = wrap_text("RISK: " + rule["title"], "", "  ")
    rows: List[TextRow] = [("heading", line) for line in title]
    for sighting in risk.evidence:
        rows += [("plain", line) for line in wrap_text(_shown_fact(sighting), "  ", "    ")]
    rows.append(("plain", "  Do:"))
    for number, step in enumerate(_lasting_steps(rule), 1):
        start = "  {}. ".format(number)
        rows += [("plain", line) for line in wrap_text(step, start, " " * len(start))]
    more = "More about it: python3 trainwreck.py explain " + rule["id"]
    return [*rows, ("plain", "  " + more), ("plain", "")]


def _lasting_steps(rule: Dict[str, Any]) -> List[str]:
    steps: List[str] = rule["fix"]["for_good"] or rule["fix"]["now"]
    return steps[:_MOST_STEPS]


def _shown_fact(sighting: Sighting) -> str:
    name = sighting.text.partition(" = ")[0]
    kind = fact_kinds().get(name)
    if kind is None:
        return visible(sighting.text)
    text, value = sighting.text, dict(sighting.values).get("value")
    if kind.unit:
        text = "{} = {:,} {}".format(name, value, kind.unit)
    return visible("{} ({})".format(text, kind.meaning.rstrip(".")))


def unanswered(outlook: Outlook, facts: Sequence[Fact]) -> List[Fact]:
    """List the facts that entries ask for and that were refused or not answered."""
    return [
        fact
        for fact in facts
        if fact.name in outlook.asked and (fact.unknown or "").startswith(_UNANSWERED)
    ]


def risks_json(outlook: Outlook, facts: Sequence[Fact]) -> str:
    """Write the same as data."""
    document = {
        "schema_version": 1,
        "tool": {"name": NAME, "version": VERSION},
        "risks": [
            {
                "id": risk.rule["id"],
                "title": risk.rule["title"],
                "url": risk.rule["page"],
                "evidence": [
                    {"sign": one.sign, "text": one.text, "value": dict(one.values).get("value")}
                    for one in risk.evidence
                ],
                "summary": risk.rule["summary"],
            }
            for risk in outlook.risks
        ],
        "facts": [
            {"name": fact.name, "value": fact.value, "unknown": fact.unknown}
            for fact in facts
            if fact.line is None
        ],
    }
    return json.dumps(document, indent=2, sort_keys=True) + "\n"
