"""An entry in full, for a terminal without a browser: its rule enters, rows of text leave."""

from typing import Any, Dict, List, Sequence, Tuple

from checker.model import Rule
from checker.report.accounts import (
    bullet_rows,
    confirm_rows,
    plain,
    reason_rows,
    resume_rows,
    sentence,
    step_rows,
    styled,
)
from checker.report.prose import prose_rows
from checker.report.terminal import TextRow, wrap_text

_PROOFS = {
    "reproduced": "the failure was reproduced",
    "source": "the mechanism was read in the upstream source",
    "maintainer": "a maintainer confirmed it",
    "reported": "it is reported, not yet verified",
}


def explain_rows(rule: Rule) -> List[TextRow]:
    """Tell everything that the catalogue knows of an entry."""
    rows = styled("heading", wrap_text(sentence(rule["title"]), "", "  "))
    rows += plain(wrap_text(_facts_line(rule), "  ", "  "))
    for heading, content in _explain_sections(rule):
        if content:
            rows += [("plain", ""), ("heading", heading), *content]
    return rows


def _explain_sections(rule: Rule) -> List[Tuple[str, List[TextRow]]]:
    return [
        ("What is seen", plain(wrap_text(rule["summary"]["symptom"], "  ", "  "))),
        ("Why", reason_rows(rule)),
        *((part["heading"], prose_rows(part["text"])) for part in rule["sections"]),
        ("Affected", bullet_rows([_affected_text(part) for part in rule["affects"]])),
        ("How to confirm", confirm_rows(rule["confirm"], len(rule["confirm"]))),
        ("Before you stop the run", step_rows(rule["stop_safely"])),
        ("What to do now", step_rows(rule["fix"]["now"])),
        ("For good", step_rows(rule["fix"]["for_good"])),
        ("Why that helps", plain(wrap_text(rule["fix"]["why"], "  ", "  "))),
        ("How to know that it worked", bullet_rows(rule["verify"])),
        ("Checkpoints", resume_rows(rule)),
        ("What does not help", bullet_rows(_pairs(rule["dead_ends"], "try", "why"))),
        ("Easily confused with", bullet_rows(_pairs(rule["confused_with"], "id", "tell"))),
        ("Leads to", bullet_rows([step["id"] for step in rule["leads_to"]])),
        ("A special case of", bullet_rows(rule["refines"])),
        ("Sources", _source_rows(rule)),
    ]


def _facts_line(rule: Rule) -> str:
    parts = [rule["id"], rule["kind"]]
    if rule["aliases"]:
        parts.append("formerly " + ", ".join(rule["aliases"]))
    parts.append(_PROOFS[rule["proof"]])
    parts.append("updated " + rule["updated"])
    return "; ".join(parts)


def _pairs(items: Sequence[Dict[str, Any]], name: str, tells: str) -> List[str]:
    return ["{}: {}".format(item[name].rstrip("."), item[tells]) for item in items]


def _affected_text(part: Dict[str, Any]) -> str:
    text = "{} {}".format(part["package"], part["range"] or "(all versions)")
    if part["fixed_in"]:
        text += ", fixed in " + str(part["fixed_in"])
    if part["note"]:
        text += ": " + str(part["note"])
    return text


def _source_rows(rule: Rule) -> List[TextRow]:
    rows: List[TextRow] = []
    for source in rule["references"]:
        rows += plain(wrap_text(source["title"], "  - ", "    "))
        rows += plain(["    " + source["url"]])
    if rule["page"]:
        rows += plain(["  - This entry's page", "    " + rule["page"]])
    return rows
