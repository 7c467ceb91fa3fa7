"""How sure a diagnosis is: the verdicts on a rule's signatures enter, a `Case` leaves.

The strongest signature gives the start, a second witness may raise it, what speaks against it
lowers it, what refutes it removes it, and caps hold it down.
"""

from itertools import combinations
from types import MappingProxyType
from typing import (
    Dict,
    FrozenSet,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from checker.diagnose.devices import mets_apart
from checker.diagnose.origins import origin_of
from checker.diagnose.usercode import USER_CODE_ERROR
from checker.judgement import Answer, Step, Trial, Truth
from checker.match.evidence import Met, Verdict, judge_signature
from checker.match.joining import Pools, local_pools, make_pools
from checker.match.merging import merged_sightings
from checker.match.onset import earliest, tells_when
from checker.match.scene import Scene
from checker.match.signs import judge_signs, sign_in_words
from checker.match.signs_machine import known_versions
from checker.match.signs_metric import healing_sightings
from checker.match.values import version_in_range
from checker.model import Line, Rule, Sighting
from checker.packed import packed_records
from checker.picked import LineSet, picked_records

LIKELY_LEVEL = 2
# Of thousands of ranks that say the same, so many are heard.
_MOST_WITNESSES = 8
_LATE = "it is later than the last line, and whether the run still lived cannot be told"
Witness = Tuple[str, Optional[int]]


class Case(NamedTuple):
    """An entry in one attempt: what was seen of it and how sure it is."""

    rule: Rule
    attempt: Optional[int]
    confidence: int
    """0 where it is not diagnosed."""
    rank: Optional[int]
    ranks: Tuple[int, ...]
    host: Optional[str]
    evidence: Sequence[Sighting]
    against: Sequence[Sighting]
    missing: str
    """What would make it a diagnosis, or a surer one; empty where nothing is known to."""
    refuted: bool
    seen: int
    """How many signs of the signature that came nearest were seen."""
    rivals: Tuple[str, ...] = ()
    """Entries that rest on the same sighting and are not related to this one."""
    general: Optional[Dict[str, str]] = None
    healed: Sequence[Sighting] = ()
    """Sightings of what the entry's `recovers` names."""
    touched: Optional[LineSet] = None
    """Every line that a sign of the entry matches."""
    sightings: Sequence[Sighting] = ()
    """Everything that `evidence` tells in fewer items."""
    number: int = -1
    """Tells the cases of one diagnosis apart."""
    truths: Mapping[str, Truth] = MappingProxyType({})
    """What every sign of the entry came to, in all attempts."""
    signatures: Tuple[Sequence[Trial], ...] = ()
    """How every signature was asked, place by place."""
    contrary: Tuple[Answer, ...] = ()
    """What speaks against it, and what rules it out."""
    steps: Tuple[Step, ...] = ()
    """How its confidence came about."""
    unanswered: Tuple[str, ...] = ()
    """Facts whose probe did not answer, so that a signature could not be judged."""

    @property
    def id(self) -> str:
        """The entry's id."""
        return str(self.rule["id"])


def lowered(case: Case, rule: str, confidence: int, reason: str) -> Case:
    """Hold the confidence of a case down, and note why."""
    if confidence >= case.confidence:
        return case
    step = Step(rule, confidence, reason)
    return case._replace(confidence=confidence, steps=(*case.steps, step))


def judge_rule(rule: Rule, scene: Scene) -> List[Case]:
    """Judge a rule in every attempt."""
    truths = judge_signs(rule, scene)
    healed = healing_sightings(rule, scene) if rule["recovers"] == "series" else ()
    return [
        case
        for attempt in scene.attempts
        for case in _judge_attempt(rule, truths, healed, attempt, scene)
    ]


def without_trace(case: Case) -> Case:
    """Let go what only tells how a case came about: of thousands of ranks it would be much."""
    truths = {name: truth._replace(sightings=()) for name, truth in case.truths.items()}
    return case._replace(truths=truths, signatures=())


def _judge_attempt(
    rule: Rule,
    truths: Dict[str, Truth],
    healed: Sequence[Sighting],
    attempt: Optional[int],
    scene: Scene,
) -> List[Case]:
    pools = make_pools(truths, attempt, scene)
    verdicts = [
        judge_signature(rule, number, truths, pools=pools, attempt=attempt, scene=scene)
        for number in range(len(rule["signatures"]))
    ]
    mets = _holding(verdicts)
    standing = mets
    if rule["rules_out"]:
        standing = picked_records(
            mets, lambda met: not _speaking(rule["rules_out"], met, pools, scene)
        )
    missing, seen = _nearest_lack(rule, verdicts, mets)
    base = Case(rule, attempt, 0, None, (), None, (), (), missing, False, seen)
    base = base._replace(
        touched=_touched_lines(pools, scene),
        truths=truths,
        signatures=tuple(verdict.trials for verdict in verdicts),
        contrary=_contrary_answers(rule, truths, mets[0] if mets else None, pools, scene),
        steps=_first_steps(mets),
        unanswered=_facts_awaited(rule, truths, verdicts),
    )
    own = rule["recovers"] in truths
    base = base._replace(healed=pools.all_of(rule["recovers"]) if own else healed)
    if mets and not standing:
        return [_refuted_case(base, "rules_out", _rules_out_words(rule, mets[0], pools, scene))]
    version = _version_outside(rule, scene)
    if mets and version:
        return [_refuted_case(base, "version", version)]
    groups = mets_apart(rule, standing, scene)
    return [_standing_case(base, group, pools, scene) for group in groups] or [base]


def _holding(verdicts: Sequence[Verdict]) -> Sequence[Met]:
    """List where signatures are met, and anything is left of them."""
    met = [verdict.mets for verdict in verdicts if verdict.mets]
    if len(met) == 1:
        return picked_records(met[0], lambda one: one.strength > 0)
    return packed_records(one for mets in met for one in mets if one.strength > 0)


def _facts_awaited(
    rule: Rule, truths: Mapping[str, Truth], verdicts: Sequence[Verdict]
) -> Tuple[str, ...]:
    silent = {
        name: rule["signs"][name]["fact"]
        for name, truth in truths.items()
        if truth.silent and rule["signs"][name]["kind"] == "fact"
    }
    if not silent:
        return ()
    items = {
        answer.item
        for verdict in verdicts
        if verdict.value is not False
        for trial in verdict.trials
        if trial.value is verdict.value
        for answer in trial.answers
        if answer.asked and isinstance(answer.item, str) and _is_awaited(answer, trial)
    }
    return tuple(sorted({fact for name, fact in silent.items() if name in items}))


def _is_awaited(answer: Answer, trial: Trial) -> bool:
    # Where a signature is met, only what it has to exclude could still change it.
    return answer.value is None and (trial.value is None or answer.part == "none")


def _touched_lines(pools: Pools, scene: Scene) -> LineSet:
    touched = LineSet(scene.files)
    touched.add_all(
        (sighting.line.path, sighting.line.number)
        for name in pools.ranked
        for sighting in pools.all_of(name)
        if sighting.line is not None and sighting.kind in ("log", "traceback")
    )
    return touched


def _refuted_case(base: Case, rule: str, reason: str) -> Case:
    steps = (*base.steps, Step(rule, 0, reason))
    return base._replace(missing=reason, refuted=True, steps=steps)


def _first_steps(mets: Sequence[Met]) -> Tuple[Step, ...]:
    """Tell what the strongest signatures count for, and what a second witness adds."""
    if not mets:
        return ()
    strongest = max(met.strength for met in mets)
    numbers = sorted({met.signature + 1 for met in mets if met.strength == strongest})
    names = "signature {} is met" if len(numbers) == 1 else "signatures {} are met"
    steps = [Step("signature", strongest, names.format(" and ".join(map(str, numbers))))]
    if _has_second_witness(mets, strongest) and strongest < 3:
        more = "two of them rest on different lines of different witnesses"
        steps.append(Step("second_witness", strongest + 1, more))
    return tuple(steps)


def _contrary_answers(
    rule: Rule, truths: Mapping[str, Truth], met: Optional[Met], pools: Pools, scene: Scene
) -> Tuple[Answer, ...]:
    answers = []
    for part in ("against", "rules_out"):
        for name in rule[part]:
            truth = truths[name]
            value, reason = truth.value, truth.reason
            if value and met is not None and not _speaking([name], met, pools, scene):
                value, reason = False, "seen, but of another process or host"
            answers.append(Answer(part, name, value, reason))
    return tuple(answers)


def _rules_out_words(rule: Rule, met: Met, pools: Pools, scene: Scene) -> str:
    speaking = _speaking(rule["rules_out"], met, pools, scene)
    names = sorted({sighting.sign for sighting in speaking})
    return "ruled out by " + ", ".join(sign_in_words(rule["signs"][name]) for name in names)


def _standing_case(base: Case, mets: Sequence[Met], pools: Pools, scene: Scene) -> Case:
    rule = base.rule
    strongest = max(met.strength for met in mets)
    strong = picked_records(mets, lambda met: met.strength == strongest)
    strong = picked_records(strong, lambda met: not met.untied) or strong
    first = _first_met(strong)
    against = _speaking(rule["against"], first, pools, scene)
    contrary = sorted({sighting.sign for sighting in against})
    steps = _first_steps(mets)
    raised = steps[-1].confidence
    words = [sign_in_words(rule["signs"][name]) for name in contrary]
    if raised <= len(contrary):
        return _refuted_case(
            base._replace(steps=steps), "against", "against it speaks " + ", ".join(words)
        )
    steps += tuple(
        Step("against", raised - count, "against it speaks " + text)
        for count, text in enumerate(words, 1)
    )
    base = base._replace(steps=steps, confidence=raised - len(contrary))
    base = lowered(base, "cap", *_cap(rule, base.attempt, scene))
    seen = packed_records(
        sighting
        for met in mets
        if strongest < LIKELY_LEVEL or not met.untied
        for sighting in met.sightings
    )
    if any(sighting.late for sighting in seen):
        base = lowered(base, "cap", 1, _LATE)
    confidence = base.confidence
    rank, host = origin_of(strong, first, scene)
    return base._replace(
        rank=rank,
        ranks=tuple(sorted({s.rank for s in seen if s.rank is not None})),
        host=host,
        evidence=merged_sightings(seen),
        sightings=seen,
        against=merged_sightings(against),
        contrary=_contrary_answers(rule, base.truths, first, pools, scene),
        missing=base.missing if confidence < 3 else "",
    )


def _first_met(mets: Sequence[Met]) -> Met:
    first = earliest(start for start in map(_start_of, mets) if start is not None)
    if first is None:
        return mets[0]
    # What was packed is equal, and yet another object; numbers that are none are not even equal.
    begun = (first.line, first.sign, first.rank)
    return next(met for met in mets if _is_told_by(begun, _start_of(met)))


def _start_of(met: Met) -> Optional[Sighting]:
    return earliest([s for s in met.sightings if tells_when(s)])


def _is_told_by(
    begun: Tuple[Optional[Line], str, Optional[int]], start: Optional[Sighting]
) -> bool:
    return start is not None and begun == (start.line, start.sign, start.rank)


def _speaking(names: Sequence[str], met: Met, pools: Pools, scene: Scene) -> List[Sighting]:
    """List the sightings of the named signs that are about the place of a signature."""
    if not names:
        return []
    local = local_pools(pools, met.place, True, scene)
    return [sighting for name in names for sighting in local[name]]


def _has_second_witness(mets: Sequence[Met], strength: int) -> bool:
    """Tell whether two signatures of equal strength were told by different witnesses.

    A sighting that both rest on would have one witness.
    """
    told: Dict[int, Set[FrozenSet[Witness]]] = {}
    for met in mets:
        if met.untied:
            continue
        witnesses = told.setdefault(met.signature, set())
        if met.strength == strength and len(witnesses) < _MOST_WITNESSES:
            witnesses.add(frozenset(_witness(sighting) for sighting in met.sightings))
    return any(
        one.isdisjoint(other)
        for first, second in combinations(sorted(told), 2)
        for one in told[first]
        for other in told[second]
    )


def _witness(sighting: Sighting) -> Witness:
    # Without a process id it is the process itself that printed its frames.
    dumped = sighting.kind == "stack" and any(name == "pid" for name, _ in sighting.values)
    if dumped or sighting.kind in ("fact", "version"):
        return sighting.kind, None
    source = sighting.line.writer.source if sighting.line else "unknown"
    return (source, sighting.rank) if source in ("rank", "unknown") else (source, None)


def _version_outside(rule: Rule, scene: Scene) -> str:
    """Name a known version outside all sourced ranges of its package; empty where there is none."""
    ranges: Dict[str, List[str]] = {}
    for affected in rule["affects"]:
        limit = affected["range"]
        if limit is None and affected["fixed_in"] is not None:
            limit = "<" + affected["fixed_in"]
        if affected["source"] is not None and limit is not None:
            ranges.setdefault(affected["package"], []).append(limit)
    for package, limits in sorted(ranges.items()):
        versions = known_versions(scene, package)
        inside = [v for v in versions if any(version_in_range(v, limit) for limit in limits)]
        if versions and not inside:
            return "ruled out by {} {}: only {} has it".format(
                package, versions[0], " or ".join(limits)
            )
    return ""


def _cap(rule: Rule, attempt: Optional[int], scene: Scene) -> Tuple[int, str]:
    if rule["kind"] == "benign":
        return 1, "what only looks bad is never more than possible"
    if attempt != scene.attempts[-1] and scene.counters.made_progress(scene.attempts[-1]):
        return 1, "it is of an earlier attempt, and the last one made progress"
    if rule["proof"] == "reported":
        return LIKELY_LEVEL, "the entry is reported, not yet verified"
    if rule["id"] == USER_CODE_ERROR:
        return LIKELY_LEVEL, "an exception that no entry explains is never certain"
    return 3, ""


def _nearest_lack(rule: Rule, verdicts: Sequence[Verdict], mets: Sequence[Met]) -> Tuple[str, int]:
    """Say what the strongest signature lacks of which something was seen, and how much was seen."""
    opened = next((lack for met in mets for lack in met.opened), "")
    ranked = sorted(
        (
            (len(verdict.missing), -_strength(rule, number), number)
            for number, verdict in enumerate(verdicts)
            if verdict.value is not True and verdict.seen and verdict.missing
        ),
    )
    seen = max((verdict.seen for verdict in verdicts), default=0)
    if ranked:
        return "; ".join(verdicts[ranked[0][2]].missing), seen
    if opened:
        return "to exclude " + opened, seen
    return "", seen


def _strength(rule: Rule, number: int) -> int:
    return {"decisive": 3, "strong": 2}.get(rule["signatures"][number]["strength"], 1)
