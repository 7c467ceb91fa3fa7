"""What the processes of a run do now, in words: facts enter; rows and sentences leave."""

from typing import Dict, List, Optional, Sequence

from checker.model import Fact
from checker.report.accounts import bullet_rows
from checker.report.phrases import PROCESS_COUNT, counted, ranks_phrase
from checker.report.terminal import TextRow, visible

_READING = "process.reading"
_MOST_SHOWN = 8
_STUCK = frozenset((
    "storage-stall", "storage-wait", "driver-stall", "dead-child", "stopped", "frozen",
    "cannot-end", "dead",
))  # fmt: skip
_COLLECTIVE = "waits-in-collective"
_WAITING = frozenset(("waits-for-peer", "waits-for-lock", "waits-for-child", "sleeps"))
_NONE_FOUND = (
    "No training process of this user was found on this machine. One of another user or in a "
    "container is seen by root, or from inside. To diagnose a log, name it: python3 trainwreck.py "
    "LOG."
)


def process_rows(facts: Sequence[Fact]) -> List[TextRow]:
    """Tell what each process does, those that are stuck first; equal ones are counted."""
    told = _readings(facts)
    ordered = sorted(told, key=lambda fact: fact.value not in _STUCK)
    texts = [visible(_shown(fact)) for fact in ordered[:_MOST_SHOWN]]
    left: Dict[str, List[Fact]] = {}
    for fact in ordered[_MOST_SHOWN:]:
        left.setdefault(str(fact.value), []).append(fact)
    texts += ["{} more: {}".format(len(group), kind) for kind, group in left.items()]
    return bullet_rows(texts)


def _shown(fact: Fact) -> str:
    if fact.line is None:
        return str(fact.value)
    return ("{}: ".format(fact.host) if fact.host else "") + fact.line.shown


def _readings(facts: Sequence[Fact]) -> List[Fact]:
    return [fact for fact in facts if fact.name == _READING and fact.line is not None]


def nothing_runs(facts: Sequence[Fact]) -> bool:
    """Tell whether training processes were looked for, and there were none."""
    counts = [fact.value for fact in facts if fact.name == PROCESS_COUNT]
    return 0 in counts and not any(counts)


def living_sentence(facts: Sequence[Fact]) -> str:
    """Say what runs, and whether it is seen to be stuck; empty where nobody looked."""
    told = [fact for fact in facts if fact.name == PROCESS_COUNT]
    if not told:
        return ""
    known = [fact.value for fact in told if fact.unknown is None]
    if not known:
        return "The processes could not be looked at: {}.".format(told[0].unknown)
    if not sum(known):
        return _NONE_FOUND
    running = counted(sum(known), "training process", "training processes")
    return "{}: {}.".format(running, _doing(_readings(facts)))


def _doing(told: Sequence[Fact]) -> str:
    stuck = [fact for fact in told if fact.value in _STUCK]
    if stuck:
        verb = "does" if len(_ranks_of(stuck)) < 2 else "do"
        return "{} {} not go on (see Processes)".format(_named_stuck(stuck), verb)
    if not told:
        return "what it does is not known"
    victims = [fact for fact in told if fact.value == _COLLECTIVE]
    if victims:
        return _waiting_in_collective(victims, [fact for fact in told if fact not in victims])
    if all(fact.value in _WAITING for fact in told):
        return "all wait, and two looks do not tell for what"
    return "none is seen to be stuck"


def _waiting_in_collective(victims: Sequence[Fact], others: Sequence[Fact]) -> str:
    """Name who waits, and who is not with them, if these are the fewer."""
    verb = "waits" if len(_ranks_of(victims)) < 2 else "wait"
    text = "{} {} in a collective".format(_named_stuck(victims), verb)
    if 0 < len(others) < len(victims):
        verb = "does" if len(_ranks_of(others)) < 2 else "do"
        text += ", {} {} not (see Processes)".format(_named_stuck(others), verb)
    return text


def _named_stuck(stuck: Sequence[Fact]) -> str:
    ranks = _ranks_of(stuck)
    known = [rank for rank in ranks if rank is not None]
    return ranks_phrase(known) if len(known) == len(ranks) else _some_of(len(stuck))


def _ranks_of(told: Sequence[Fact]) -> List[Optional[int]]:
    ranks = [fact.line.writer.rank for fact in told if fact.line is not None]
    return list(dict.fromkeys(ranks))


def _some_of(number: int) -> str:
    return "one of them" if number == 1 else "{:,} of them".format(number)
