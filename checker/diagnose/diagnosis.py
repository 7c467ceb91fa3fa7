"""From what was read to a report: the catalogue and `Observations` enter, a `Report` leaves."""

from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple

from checker.catalogue import Catalogue, CatalogueEntry
from checker.diagnose.confidence import LIKELY_LEVEL, Case, judge_rule, without_trace
from checker.diagnose.course import Sorted, sort_cases, trace_of
from checker.diagnose.line_story import line_story
from checker.diagnose.nearest import nearest_entries
from checker.diagnose.next_check import next_check
from checker.diagnose.relations import spots_of
from checker.diagnose.roles import INITIATING, Role, assign_roles, order_of
from checker.diagnose.unexplained import unexplained_lines
from checker.diagnose.usercode import USER_CODE_ERROR, class_name, unexplained_blocks
from checker.diagnose.verdict_grade import graded_verdict
from checker.facts import gave_no_answer
from checker.judgement import Report, Trace
from checker.match.onset import earliest, tells_when
from checker.match.scene import Scene, build_scene
from checker.match.signs import waiting_sightings
from checker.match.silence import with_waits
from checker.model import Diagnosis, Observations, Rule


def diagnose(
    catalogue: Catalogue,
    observations: Observations,
    only: Optional[str] = None,
    traced: Optional[str] = None,
) -> Report:
    """Diagnose what was read; *only* limits what is told to one entry, *traced* is traced."""
    return diagnose_scene(catalogue, scene_of(catalogue, observations), only, traced)


def scene_of(catalogue: Catalogue, observations: Observations) -> Scene:
    """Arrange what was read for being asked by the entries."""
    return build_scene(observations, _key_values(catalogue.entries, "package "))


def diagnose_scene(
    catalogue: Catalogue, scene: Scene, only: Optional[str], traced: Optional[str]
) -> Report:
    """Diagnose what was read and arranged."""
    came = sort_cases(_judged(catalogue, scene, traced), scene)
    chosen = [role for role in came.roles if only in (None, role.case.id)]
    passed = [role for role in assign_roles(came.passed) if only in (None, role.case.id)]
    unable = _not_checked(catalogue, scene)
    unexplained = tuple(unexplained_lines((*came.shown, *came.passed), scene))
    return Report(
        scene.observations,
        tuple(_diagnoses(chosen, came.roles, scene.observations)),
        tuple(_diagnoses(passed, came.roles, scene.observations)),
        unexplained,
        tuple(near for near in nearest_entries(came) if only in (None, near.id)),
        tuple(pair for pair in unable if only in (None, pair[0])),
        len(catalogue.entries) - len(unable),
        verdict=graded_verdict(scene.observations.verdicts, came.roles, scene.attempts[-1]),
        story=line_story(scene, came, unexplained),
        traces=_traces(traced, catalogue, came, scene),
        unanswered=_facts_without_answer(
            catalogue, [c for c in came.judged if only in (None, c.id)], scene
        ),
    )


def _traces(
    name: Optional[str], catalogue: Catalogue, came: Sorted, scene: Scene
) -> Tuple[Trace, ...]:
    entry = catalogue.by_id().get(name) if name is not None else None
    if entry is None:
        return ()
    cases = [case for case in came.judged if case.id == name]
    # An entry of which nothing was seen was not asked; its signs say what is not there.
    return (trace_of(entry.rule(), cases or judge_rule(entry.rule(), scene), came),)


def _facts_without_answer(
    catalogue: Catalogue, judged: Sequence[Case], scene: Scene
) -> Tuple[str, ...]:
    """List the facts that are not known for want of an answer, and that leave an entry open."""
    names = {name for case in judged for name in case.unanswered}
    silent = any(map(gave_no_answer, scene.facts.get(_KERNEL_LOG, ())))
    if silent and "kernel" not in scene.observations.sources:
        needed = any("needs kernel" in entry.keys for entry in catalogue.entries)
        names.update([_KERNEL_LOG] if needed else [])
    return tuple(sorted(names))


def _key_values(entries: Iterable[CatalogueEntry], start: str) -> Set[str]:
    return {
        key[len(start) :].replace("-", "_")
        for entry in entries
        for key in entry.keys
        if key.startswith(start)
    }


def _judged(catalogue: Catalogue, scene: Scene, traced: Optional[str]) -> List[Case]:
    """Judge every entry of which something was seen; `user-code-error` last, on what is left."""
    seen = _seen_keys(scene.observations)
    cases: List[Case] = []
    last: Optional[Rule] = None
    touched = [e for e in catalogue.entries if _touched(e, seen, scene.observations)]
    waits = [entry.rule() for entry in touched if '"minus ' in entry.rule_text]
    asked = scene
    scene = with_waits(scene, (s for rule in waits for s in waiting_sightings(rule, asked)))
    for entry in touched:
        if entry.id == USER_CODE_ERROR:
            last = entry.rule()
        else:
            cases.extend(_judged_entry(entry.rule(), scene, traced))
    if last is not None:
        explained = {
            spot
            for case in cases
            if case.confidence >= LIKELY_LEVEL and case.rule["kind"] == "failure"
            for spot in spots_of(case)
        }
        left = tuple(unexplained_blocks(scene, explained))
        observations = scene.observations._replace(tracebacks=left)
        scene = scene._replace(observations=observations)
        cases.extend(_judged_entry(last, scene, traced))
    ordered = sorted(
        cases, key=lambda case: (case.id, -1 if case.attempt is None else case.attempt)
    )
    return [case._replace(number=number) for number, case in enumerate(ordered)]


def _judged_entry(rule: Rule, scene: Scene, traced: Optional[str]) -> List[Case]:
    cases = judge_rule(rule, scene)
    told = rule["id"] == traced or scene.observations.asked
    return cases if told else [without_trace(case) for case in cases]


def _seen_keys(seen: Observations) -> Set[str]:
    keys = {key for hit in seen.hits for key in hit.keys}
    for block in seen.tracebacks:
        keys.add("traceback *")
        keys.update("traceback " + name for p in block.parts for name in (class_name(p), p.type))
    for ended in seen.exits:
        keys.add("exit *")
        if ended.signal is not None:
            keys.add("exit {}".format(ended.signal))
        elif ended.code is not None:
            keys.add("exit code {}".format(ended.code))
    keys.update("metric " + name for sample in seen.samples for name, _ in sample.values)
    for fact in seen.facts:
        keys.update((fact.name, "fact " + fact.name))
    if seen.sources:
        keys.add("progress")
    if seen.lags:
        keys.add("collective")
    return keys


def _touched(entry: CatalogueEntry, seen: Set[str], observations: Observations) -> bool:
    if not seen.isdisjoint(entry.keys):
        return True
    fragments = [key[len("stack ") :] for key in entry.keys if key.startswith("stack ")]
    return any(
        fragment in frame
        for fragment in fragments
        for stack in observations.stacks
        for frame in stack.frames
    )


def _diagnoses(roles: Sequence[Role], every: Sequence[Role], seen: Observations) -> List[Diagnosis]:
    first = {role.case.attempt: role.case for role in every if role.role == INITIATING}
    found = []
    for role in roles:
        case = role.case
        start = earliest(s for s in case.evidence if tells_when(s))
        found.append(
            Diagnosis(
                case.rule,
                role.role,
                role.cause,
                case.confidence,
                case.attempt,
                case.rank,
                case.ranks,
                case.host,
                start.onset if start else None,
                _order_in_attempt(role, first.get(case.attempt)),
                case.evidence,
                case.against,
                next_check(role, seen),
                case.general,
                case.rivals,
                role.preceded_by,
            )
        )
    return found


def _order_in_attempt(role: Role, first: Optional[Case]) -> Optional[str]:
    """Tell when a case began, relative to what failed first in its attempt."""
    if first is None or first is role.case:
        return None
    return order_of(role.case, first) or "unknown"


_KERNEL_LOG = "kernel.log"
_NEEDED: Dict[str, str] = {
    "kernel": "no kernel log among the inputs",
    "scheduler": "no scheduler log among the inputs",
    "service": "no service log among the inputs",
    "launcher": "no launcher log among the inputs",
    "stack": "no stack dump among the inputs",
    "fact": "the machine was not probed",
}


def _not_checked(catalogue: Catalogue, scene: Scene) -> List[Tuple[str, str]]:
    """List the entries that cannot be found without an input that is not there."""
    seen = scene.observations
    present = set(seen.sources)
    if seen.stacks:
        present.add("stack")
    if any(not fact.name.startswith("version ") for fact in seen.facts):
        present.add("fact")
    found = []
    for entry in catalogue.entries:
        needs = _key_values([entry], "needs ")
        absent = sorted(needs - present)
        if absent:
            found.append((entry.id, "; ".join(_NEEDED.get(need, need) for need in absent)))
    return found
