"""What became of the launcher's verdict, in words: a `GradedVerdict` enters, sentences leave."""

from typing import Any, Dict, Optional

from checker.judgement import GradedVerdict
from checker.report.phrases import counted, ranks_phrase
from checker.report.terminal import visible


def launcher_sentence(graded: Optional[GradedVerdict], overruled: bool) -> str:
    """Say what torchrun named, where it was overruled, or else where it was not."""
    if graded is None or (graded.agrees is False) != overruled:
        return ""
    verdict = graded.verdict
    path, number = verdict.line.place
    return "torchrun names {} (exit {}, {}:{}): {}".format(
        ranks_phrase([verdict.rank]),
        verdict.exit,
        visible(path),
        number,
        verdict_reason(graded),
    )


def verdict_reason(graded: GradedVerdict) -> str:
    """Say why the launcher's word is taken, or not."""
    entry, first = graded.entry, _first_words(graded)
    named = ranks_phrase([graded.verdict.rank])
    texts = {
        "same": "what the logs show says the same.",
        "stopped": "but the run was ended from outside ({}).".format(entry),
        "teardown": "that is its own SIGTERM to a process that was left{}.".format(first),
        "abort": "that is the abort after a timeout{}.".format(first),
        "followed": "what {} shows only followed{}.".format(named, first),
        "waited": "but {} shows only {}, which another rank causes.".format(named, entry),
        "machine": "it ran on the host on which {} was seen.".format(entry),
        "unknown": "nothing else tells whether it was the first{}.".format(_limits(graded)),
    }
    text = texts[graded.why]
    if graded.others:
        text += " The {} of other nodes named their own.".format(counted(graded.others, "launcher"))
    return text


def _first_words(graded: GradedVerdict) -> str:
    if graded.entry is None:
        return ""
    if not graded.ranks:
        return "; {} was first".format(graded.entry)
    return "; {} failed first ({})".format(ranks_phrase(graded.ranks), graded.entry)


def _limits(graded: GradedVerdict) -> str:
    if graded.verdict.recorded:
        return ", and its times are whole seconds of one node"
    return ", and it goes by the whole second in which it noticed an end, on one node"


def json_verdict(graded: Optional[GradedVerdict]) -> Optional[Dict[str, Any]]:
    """Tell the launcher's verdict and what became of it."""
    if graded is None:
        return None
    verdict = graded.verdict
    return {
        "rank": verdict.rank,
        "exit": verdict.exit,
        "time": verdict.time.replace("_", "T") or None,
        "host": verdict.host,
        "recorded": verdict.recorded,
        "path": verdict.line.place[0],
        "line": verdict.line.place[1],
        "agrees": graded.agrees,
        "why": graded.why,
        "reason": verdict_reason(graded),
        "entry": graded.entry,
        "others": graded.others,
    }
