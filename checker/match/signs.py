"""The registry of sign kinds: a rule and a scene enter, the `Truth` of each of its signs leaves."""

from typing import Callable, Dict, Iterable, NamedTuple

from checker.judgement import Truth
from checker.match.deciding import (
    collective_decides,
    exit_decides,
    fact_decides,
    log_decides,
    metric_decides,
    missing_decides,
    nothing_decides,
    progress_decides,
    stack_decides,
    traceback_decides,
    version_decides,
)
from checker.match.scene import Scene
from checker.match.signs_collective import judge_collective, words_collective
from checker.match.signs_machine import judge_fact, judge_version, words_fact, words_version
from checker.match.signs_metric import judge_metric, words_metric
from checker.match.signs_process import (
    judge_exit,
    judge_missing,
    judge_stack,
    words_exit,
    words_missing,
    words_stack,
)
from checker.match.signs_progress import judge_progress, words_progress
from checker.match.signs_text import (
    SignCase,
    judge_log,
    judge_traceback,
    words_log,
    words_traceback,
)
from checker.model import Rule, Sighting, Sign


class SignKind(NamedTuple):
    """How signs of one kind are judged, and how one is named in words."""

    judge: Callable[[SignCase], Truth]
    words: Callable[[Sign], str]
    decides: Callable[[Sign], str] = nothing_decides
    """Names what would tell where it is unknown."""


SIGN_JUDGES: Dict[str, SignKind] = {
    "log": SignKind(judge_log, words_log, log_decides),
    "traceback": SignKind(judge_traceback, words_traceback, traceback_decides),
    "exit": SignKind(judge_exit, words_exit, exit_decides),
    "metric": SignKind(judge_metric, words_metric, metric_decides),
    "progress": SignKind(judge_progress, words_progress, progress_decides),
    "collective": SignKind(judge_collective, words_collective, collective_decides),
    "stack": SignKind(judge_stack, words_stack, stack_decides),
    "fact": SignKind(judge_fact, words_fact, fact_decides),
    "version": SignKind(judge_version, words_version, version_decides),
    "missing": SignKind(judge_missing, words_missing, missing_decides),
}


def judge_signs(rule: Rule, scene: Scene) -> Dict[str, Truth]:
    """Judge all signs of a rule; a missing line last, since it is about other signs."""
    truths: Dict[str, Truth] = {}
    signs = rule["signs"]
    for name in sorted(signs, key=lambda name: (signs[name]["kind"] == "missing", name)):
        case = SignCase(name, signs[name], scene, rule["kind"] == "symptom", truths)
        truths[name] = SIGN_JUDGES[signs[name]["kind"]].judge(case)
    return truths


def waiting_sightings(rule: Rule, scene: Scene) -> Iterable[Sighting]:
    """List what tells, by a printed time limit, that a run already lived some time before."""
    signs = {
        name: sign for name, sign in rule["signs"].items() if sign["onset"].startswith("minus ")
    }
    truths = judge_signs({**rule, "signs": signs}, scene)
    return (sighting for truth in truths.values() for sighting in truth.sightings)


def sign_in_words(sign: Sign) -> str:
    """Say what a sign looks for."""
    return SIGN_JUDGES[sign["kind"]].words(sign)


def what_decides(sign: Sign) -> str:
    """Name what would tell whether an unknown sign is true; empty where nothing is known to."""
    return SIGN_JUDGES[sign["kind"]].decides(sign)
