"""What changed since an older snapshot, in words and as data: a `Comparison` enters."""

from typing import Any, Dict, List, Optional, Tuple

from checker.facts import fact_kinds
from checker.judgement import Report
from checker.match.signs_machine import plain_value
from checker.model import Fact
from checker.report.phrases import counted
from checker.report.terminal import TextRow, visible, wrap_text
from checker.snapshot.comparing import Comparison, FactChange

_MOST_CHANGES_SHOWN = 24
_LONGEST_SIDE = 200


def compared_sections(report: Report) -> List[Tuple[str, List[TextRow]]]:
    """Tell what changed, where that was asked for."""
    compared = report.compared
    if compared is None:
        return []
    when = " ({})".format(compared.taken) if compared.taken else ""
    return [("Changed since {}{}".format(visible(compared.path), when), comparison_rows(compared))]


def comparison_rows(comparison: Comparison) -> List[TextRow]:
    """Tell what changed, for a terminal."""
    rows = [_change_text(change) for change in comparison.changes[:_MOST_CHANGES_SHOWN]]
    left = len(comparison.changes) - _MOST_CHANGES_SHOWN
    if left > 0:
        rows.append("and {} more (--format json has all)".format(left))
    rows.append(
        "{} as before, {} moved by little".format(
            counted(comparison.same, "fact"), counted(comparison.moved, "number")
        )
    )
    return [("plain", line) for row in rows for line in wrap_text(visible(row), "  - ", "    ")]


def _change_text(change: FactChange) -> str:
    where = "{}: ".format(change.host) if change.host else ""
    parts = _list_changes(change)
    if parts:
        return "{}{}: {}".format(where, change.name, "; ".join(parts)[:_LONGEST_SIDE])
    old, new = _side_text(change.before), _side_text(change.after)
    return "{}{}: {} -> {}".format(where, change.name, old, new)


def _list_changes(change: FactChange) -> List[str]:
    """Tell what came to a list, and what went."""
    old, new = (side.value if side is not None else None for side in change[2:])
    if not isinstance(old, (list, tuple)) or not isinstance(new, (list, tuple)):
        return []
    came, gone = [x for x in new if x not in old], [x for x in old if x not in new]
    return [
        "{} {}".format(word, plain_value(part))
        for word, part in (("now", came), ("gone", gone))
        if part
    ]


def _side_text(fact: Optional[Fact]) -> str:
    if fact is None:
        return "not asked"
    if fact.unknown is not None:
        return "not known ({})".format(fact.unknown)
    kind = fact_kinds().get(fact.name)
    unit = " " + kind.unit if kind is not None and kind.unit else ""
    shown = plain_value(fact.value) or "none"
    return shown[:_LONGEST_SIDE] + (unit if kind is not None and kind.type == "number" else "")


def json_comparison(comparison: Optional[Comparison]) -> Optional[Dict[str, Any]]:
    """Tell what changed, for programs; nothing where that was not asked for."""
    if comparison is None:
        return None
    return {
        "with": comparison.path,
        "taken": comparison.taken,
        "changes": [
            {
                "host": change.host,
                "name": change.name,
                "before": _json_side(change.before),
                "after": _json_side(change.after),
            }
            for change in comparison.changes
        ],
        "moved": comparison.moved,
        "same": comparison.same,
    }


def _json_side(fact: Optional[Fact]) -> Any:
    return None if fact is None else {"value": fact.value, "unknown": fact.unknown}
