"""What is wrong with the machine, as rows of the report: facts enter, rows leave.

A healthy machine has no rows. What did not answer is told like what is broken.
"""

from typing import Dict, List, Sequence

from checker.model import Fact
from checker.report.accounts import bullet_rows
from checker.report.phrases import counted
from checker.report.terminal import TextRow, visible

_SHOWN_OF_A_KIND = 6


def machine_rows(facts: Sequence[Fact]) -> List[TextRow]:
    """Tell what is full, broken, or gave no answer."""
    probed = [fact for fact in facts if fact.line is None]
    found = {fact.name: fact.value for fact in probed if fact.unknown is None}
    texts: List[str] = []
    for name, words in (
        ("mounts.silent", "{}"),
        ("mounts.full", "no free space on {}"),
        ("mounts.no_inodes", "no free inode on {}"),
        ("gpu.errors", "{}"),
    ):
        values = found.get(name) or []
        texts += [words.format(value) for value in values[:_SHOWN_OF_A_KIND]]
        if len(values) > _SHOWN_OF_A_KIND:
            texts.append("{}: {:,} more".format(name, len(values) - _SHOWN_OF_A_KIND))
    if found.get("gpu.trouble"):
        texts.append("nvidia-smi: " + found["gpu.trouble"])
    texts += _unanswered_rows(probed)
    if found.get("probes.left"):
        left = counted(found["probes.left"], "probe")
        texts.append(left + " left behind: to end them is not possible until that answers")
    return bullet_rows([visible(text) for text in texts])


def _unanswered_rows(facts: Sequence[Fact]) -> List[str]:
    """Group what is not known for want of an answer, or of a right that root has."""
    groups: Dict[str, List[str]] = {}
    for fact in facts:
        reason = fact.unknown or ""
        if reason.startswith(("did not answer", "not asked", "no right:", "the probe")):
            groups.setdefault(reason, []).append(fact.name)
    return ["{}: {}".format(", ".join(names), reason) for reason, names in groups.items()]
