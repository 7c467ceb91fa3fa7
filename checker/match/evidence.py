"""Signatures: the truth of a rule's signs enters; where one is met, or what it lacks, leaves.

The sightings of one signature belong together: one attempt; the signs of a process on one rank;
kernel, scheduler and service on the host of that rank. A process id joins a kernel line to a rank
before anything else does.
"""

from typing import Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from checker.judgement import Answer, Trial, Truth
from checker.match.comparisons import all_of, any_of
from checker.match.condition_words import verdict_in_words
from checker.match.conditions import Chosen, condition_in_words, judge_condition
from checker.match.joining import (
    Pools,
    ProcessPlace,
    belongs_to,
    bindings_of,
    local_pools,
    may_concern,
    process_places,
    with_hoped,
)
from checker.match.scene import Scene
from checker.match.signs import sign_in_words
from checker.model import STRENGTH, Rule, Sighting
from checker.packed import Packer, packed_records

_NOWHERE = ProcessPlace(None, None, None)
_UNTIED = "that it is of another program of this machine"
_OTHER_ATTEMPT = "nothing ties it to this attempt"
Item = Union[str, Dict[str, object]]
# What one place of one signature may cost; beyond it the first sightings decide.
_MOST_BINDINGS = 400


class Met(NamedTuple):
    """A signature that holds at one place."""

    signature: int
    strength: int
    """3 decisive, 2 strong, 1 weak, 0 nothing left; already lowered if it is open."""
    opened: Tuple[str, ...]
    """What could not be excluded."""
    place: ProcessPlace
    sightings: Sequence[Sighting]
    trial: Trial

    @property
    def untied(self) -> bool:
        """Whether it rests on what the machine showed without a tie to the run."""
        return any(sighting.untied for sighting in self.sightings)


class Verdict(NamedTuple):
    """What became of one signature."""

    value: Optional[bool]
    mets: Sequence[Met]
    seen: int
    """How many of the signs in `all` and `any` were seen."""
    missing: Tuple[str, ...]
    """In words, what it lacks."""
    trials: Sequence[Trial]
    """How it was asked, place by place."""


class _Question(NamedTuple):
    """One signature of a rule in one attempt."""

    number: int
    rule: Rule
    truths: Dict[str, Truth]
    pools: Pools
    scene: Scene

    def items(self, part: str) -> List[Item]:
        """List the items of `all`, `any` or `none`."""
        found: List[Item] = self.rule["signatures"][self.number][part]
        return found


def judge_signature(
    rule: Rule,
    number: int,
    truths: Dict[str, Truth],
    *,
    pools: Pools,
    attempt: Optional[int],
    scene: Scene,
) -> Verdict:
    """Judge one signature of a rule in one attempt, whose *pools* are known, at every place."""
    signature = rule["signatures"][number]
    items: List[Item] = signature["all"] + signature["any"]
    pools = with_hoped(pools, truths, attempt, scene, _sign_names(items))
    question = _Question(number, rule, truths, pools, scene)
    found = {name: pools.all_of(name) for name in _sign_names(items)}
    seen = sum(bool(pool) for pool in found.values())
    absent = [name for name in _sign_names(question.items("all")) if not found[name]]
    if absent:
        unknown = all(truths[name].value is None for name in absent)
        value = None if unknown else False
        trial = _trial_cut_short(question, value, _NOWHERE, found, "seen, but in another attempt")
        return Verdict(value, (), seen, _lacking(rule, truths, absent), (trial,))
    free = _joins_ranks(items)
    places = [_NOWHERE]
    if not free:
        places = process_places(list(found.values()), scene)
    mets: Packer[Met] = Packer()
    trials: Packer[Trial] = Packer()
    lacks: Dict[Optional[bool], Tuple[str, ...]] = {}
    for place in places:
        outcome = _judge_place(question, place, len(places) <= 1)
        if isinstance(outcome, Verdict):
            lacks.setdefault(outcome.value, outcome.missing)
            trials.extend(outcome.trials)
        elif belongs_to(outcome.sightings, attempt, scene):
            mets.add(outcome)
            trials.add(outcome.trial)
        else:
            untold = (_OTHER_ATTEMPT,)
            trials.add(outcome.trial._replace(value=False, strength=0, opened=untold))
    if mets:
        return Verdict(True, mets.packed(), seen, (), trials.packed())
    value = any_of(list(lacks))
    return Verdict(value, (), seen, lacks.get(value, ()), trials.packed())


def _sign_names(items: Iterable[Item]) -> List[str]:
    return [item for item in items if isinstance(item, str)]


def _conditions(items: Iterable[Item]) -> List[Dict[str, object]]:
    return [item for item in items if not isinstance(item, str)]


def _lacking(rule: Rule, truths: Dict[str, Truth], names: Iterable[str]) -> Tuple[str, ...]:
    return tuple(lack_in_words(rule, name, truths[name]) for name in names)


def lack_in_words(rule: Rule, name: str, truth: Truth) -> str:
    """Say what sign is missing, and why if that is not known to be so."""
    words = sign_in_words(rule["signs"][name])
    return words if truth.value is not None else "{} ({})".format(words, truth.reason)


def _joins_ranks(items: Iterable[Item]) -> bool:
    """Tell whether the signature itself says how its ranks differ."""
    for condition in _conditions(items):
        differ = condition.get("differ")
        if isinstance(differ, list) and "rank" in differ:
            return True
    return False


def _judge_place(question: _Question, place: ProcessPlace, lone: bool) -> Union[Met, Verdict]:
    """Search for sightings at one place for which everything holds."""
    wanted = _sign_names(question.items("all"))
    asked = wanted + _sign_names(question.items("any"))
    local = local_pools(question.pools, place, lone, question.scene, asked)
    absent = [name for name in wanted if not local[name]]
    if absent:
        missing = tuple(
            sign_in_words(question.rule["signs"][name]) + " of the same process or host"
            for name in absent
        )
        trial = _trial_cut_short(
            question, False, place, local, "seen, but of another process or host"
        )
        return Verdict(False, (), 0, missing, (trial,))
    trial = _trial_cut_short(question, False, place, local, "")
    best = Verdict(False, (), 0, (), (trial,))
    for count, binding in enumerate(bindings_of(wanted, local, question.scene.observations.mixed)):
        outcome = _judge_binding(question, place, dict(binding), local)
        if isinstance(outcome, Met):
            return outcome
        if count == 0 or (best.value is False and outcome.value is None):
            best = outcome
        if count >= _MOST_BINDINGS:
            break
    return best


def _judge_binding(
    question: _Question,
    place: ProcessPlace,
    binding: Dict[str, Sighting],
    local: Dict[str, Sequence[Sighting]],
) -> Union[Met, Verdict]:
    wanted = _sign_names(question.items("all"))
    anys = question.items("any")
    for name in _sign_names(anys):
        if local[name]:
            binding.setdefault(name, local[name][0])
    chosen = Chosen(question.scene, binding, question.pools.all_of)
    asked = _Asked(question, place, chosen, local)
    conditions = _conditions(question.items("all"))
    verdicts = [judge_condition(condition, chosen) for condition in conditions]
    answers = [Answer("all", name, True, "") for name in wanted]
    answers += [
        Answer("all", condition, verdict, verdict_in_words(condition, verdict, chosen))
        for condition, verdict in zip(conditions, verdicts)
    ]
    lacks = [
        condition_in_words(condition) + (" (not known)" if verdict is None else "")
        for condition, verdict in zip(conditions, verdicts)
        if verdict is not True
    ]
    if anys:
        those = [_answer_item(asked, "any", item) for item in anys]
        answers += those
        some = any_of([answer.value for answer in those])
        verdicts.append(some)
        if some is not True:
            lacks.append("one of: " + "; ".join(_words_of(question, item) for item in anys))
    nones = question.items("none")
    refusals = [_answer_item(asked, "none", item) for item in nones]
    excluded = [answer.value for answer in refusals]
    trial = Trial(False, 0, (), place.rank, place.path, place.host, (*answers, *refusals))
    if True in excluded:
        contrary = _words_of(question, nones[excluded.index(True)])
        return Verdict(False, (), 0, ("the absence of " + contrary,), (trial,))
    value = all_of(verdicts)
    if value is not True:
        return Verdict(value, (), 0, tuple(lacks), (trial._replace(value=value),))
    opened = tuple(
        _words_of(question, item) for item, verdict in zip(nones, excluded) if verdict is None
    )
    strength = STRENGTH[question.rule["signatures"][question.number]["strength"]]
    # Without conditions every sighting at the place fits as well as the chosen one.
    free = not conditions and not _conditions(anys)
    fitting = local if free else {name: [binding[name]] for name in binding}
    sightings = packed_records(s for name in sorted(binding) for s in fitting[name])
    left = strength - bool(opened)
    if any(sighting.untied for sighting in binding.values()):
        left, opened = min(left, STRENGTH["weak"]), (*opened, _UNTIED)
    trial = trial._replace(value=True, strength=left, opened=opened)
    return Met(question.number, left, opened, place, sightings, trial)


def _trial_cut_short(
    question: _Question,
    value: Optional[bool],
    place: ProcessPlace,
    found: Mapping[str, Sequence[Sighting]],
    elsewhere: str,
) -> Trial:
    """Tell of a place where a sign is missing, so that nothing more was asked."""
    answers = []
    for part in ("all", "any", "none"):
        for item in question.items(part):
            if not isinstance(item, str) or part == "none":
                answers.append(Answer(part, item, None, "", asked=False))
            elif found[item]:
                answers.append(Answer(part, item, True, ""))
            else:
                answers.append(_absent_answer(question, part, item, elsewhere))
    return Trial(value, 0, (), place.rank, place.path, place.host, tuple(answers))


def _absent_answer(question: _Question, part: str, name: str, elsewhere: str) -> Answer:
    truth = question.truths[name]
    if truth.value:
        return Answer(part, name, False, elsewhere)
    return Answer(part, name, truth.value, truth.reason)


class _Asked(NamedTuple):
    """One place of one signature, with a sighting chosen for every sign."""

    question: _Question
    place: ProcessPlace
    chosen: Chosen
    local: Dict[str, Sequence[Sighting]]


def _answer_item(asked: _Asked, part: str, item: Item) -> Answer:
    if not isinstance(item, str):
        verdict = judge_condition(item, asked.chosen)
        return Answer(part, item, verdict, verdict_in_words(item, verdict, asked.chosen))
    if asked.local[item]:
        return Answer(part, item, True, "")
    if may_concern(asked.question.pools, item, asked.place):
        return Answer(part, item, None, "seen, but which process it is about is not known")
    return _absent_answer(asked.question, part, item, "seen, but of another process or host")


def _words_of(question: _Question, item: Item) -> str:
    if not isinstance(item, str):
        return condition_in_words(item)
    return lack_in_words(question.rule, item, question.truths[item])
