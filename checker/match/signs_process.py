"""Signs of how processes ended, stood still, or kept silent: exit, stack and missing."""

from typing import Any, Dict, Iterable, List

from checker.judgement import Truth
from checker.match.elapsed import ended_from_outside, lines_left, seconds_after
from checker.match.homes import known_host
from checker.match.living import samples_after
from checker.match.onset import BEFORE, compare_onsets
from checker.match.processes import same_life
from checker.match.scene import Scene, attempt_of
from checker.match.signs_text import SignCase, ends_with_path, make_sighting
from checker.match.stack_clusters import clusters_of, compared_stacks, process_of_stack
from checker.match.values import span_of
from checker.model import Exit, Line, Sighting, Sign, Stack
from checker.scan.exits import SIGNALS


def judge_exit(case: SignCase) -> Truth:
    """Look for processes that ended so."""
    wanted = case.sign["exit"]
    ends = case.scene.observations.exits
    if not ends:
        return Truth(None, (), "nothing among the inputs says how a process ended")
    same = [ended for ended in ends if _ended_so(ended, wanted)]
    found = [ended for ended in same if wanted["by"] in (None, ended.by)]
    if found:
        return Truth(True, tuple(_exit_sighting(case, ended) for ended in found), "")
    if any(ended.by is None for ended in same):
        return Truth(None, (), "who ended the process is not known")
    return Truth(False, (), "no process ended so")


def _ended_so(ended: Exit, wanted: Dict[str, Any]) -> bool:
    if wanted["signal"] is not None:
        return bool(ended.signal == wanted["signal"])
    return bool(ended.code == wanted["code"])


def _exit_sighting(case: SignCase, ended: Exit) -> Sighting:
    known = {"signal": ended.signal, "code": ended.code, "pid": ended.pid}
    values = {name: value for name, value in known.items() if value is not None}
    told = make_sighting(case, ended.line, ended.line.text.strip(), values)
    host = known_host(ended.host) or told.host
    rank = ended.rank if ended.rank is not None else told.rank
    if host is None and rank is not None:
        host = case.scene.rank_hosts.get(rank)
    onset = ended.moment if ended.moment is not None else told.onset
    return told._replace(rank=rank, local_rank=ended.local_rank, host=host, onset=onset)


def words_exit(sign: Sign) -> str:
    """Name an end of a process that is looked for."""
    wanted = sign["exit"]
    if wanted["signal"] is None:
        text = "a process that ended with code {}".format(wanted["code"])
    else:
        text = "a process ended by {}".format(signal_name(wanted["signal"]))
    return text + (" by the {}".format(wanted["by"]) if wanted["by"] else "")


def signal_name(number: int) -> str:
    """Name a signal as people do."""
    names = {known: name for name, known in SIGNALS.items()}
    return names.get(number, "signal {}".format(number))


def judge_stack(case: SignCase) -> Truth:
    """Look for a frame in the stack dumps, in as many processes as asked for."""
    sign, stacks = case.sign, case.scene.observations.stacks
    if not stacks:
        return Truth(None, (), "no stack dump among the inputs")
    showing = [stack for stack in stacks if any(_is_frame(frame, sign) for frame in stack.frames)]
    found = [stack for stack in showing if sign["state"] is None or _is_in_state(stack, sign)]
    if not found and sign["state"] and any(stack.state is None for stack in showing):
        return Truth(None, (), "the stack dump does not tell the state of the process")
    if not found or not _shared_so(found, stacks, sign["share"]):
        return Truth(False, (), "no stack dump shows it so")
    return Truth(True, tuple(_stack_sighting(case, stack) for stack in found), "")


def _is_in_state(stack: Stack, sign: Sign) -> bool:
    return bool((stack.state or "").lower() == sign["state"].lower())


def _shared_so(found: Iterable[Stack], stacks: Iterable[Stack], share: str) -> bool:
    """Tell whether as many of the training processes show it as asked for."""
    having = {process_of_stack(stack) for stack in found}
    if share == "one":
        return True
    compared = compared_stacks(stacks)
    dumped = set(compared)
    if share == "all":
        return having >= dumped
    most = clusters_of(compared)[0]
    usual = {process_of_stack(s) for s in most.stacks if 2 * len(most.stacks) >= len(dumped)}
    return 0 < 2 * len(having & dumped) < len(dumped) and having.isdisjoint(usual)


def _is_frame(frame: str, sign: Sign) -> bool:
    if not any(text in frame for text in sign["stack"]):
        return False
    path = frame.rpartition("(")[2].rstrip(")").rpartition(":")[0]
    return not sign["file"] or ends_with_path(path, sign["file"])


def _stack_sighting(case: SignCase, stack: Stack) -> Sighting:
    frame = next(frame for frame in stack.frames if _is_frame(frame, case.sign))
    values = {"frame": frame}
    if stack.pid is not None:
        values["pid"] = stack.pid  # type: ignore[assignment]
    return make_sighting(case, stack.line, frame, values)


def words_stack(sign: Sign) -> str:
    """Name a frame that is looked for."""
    return "a stack dump with {}".format(" or ".join(sign["stack"][:3]))


def judge_missing(case: SignCase) -> Truth:
    """Look for a line that did not come although something proves that the time passed."""
    after = case.truths.get(case.sign["after"])
    of = case.truths.get(case.sign["missing"])
    if after is None or of is None:
        return Truth(None, (), "it depends on another missing line")
    if not after.value:
        return Truth(after.value, (), after.reason)
    silent: List[Sighting] = []
    unproven = False
    for start in after.sightings:
        if any(_came_after(start, came) for came in of.sightings):
            continue
        proof = _time_passed(start, case.sign["within"], case.scene)
        unproven = unproven or not proof
        if proof:
            silent.append(
                start._replace(sign=case.name, kind="missing", onset_rule=case.sign["onset"])
            )
    if silent:
        return Truth(True, tuple(silent), "")
    if unproven:
        return Truth(None, (), "the log does not show that the time passed")
    return Truth(False, (), "it came")


def _came_after(start: Sighting, came: Sighting) -> bool:
    if None not in (start.rank, came.rank) and start.rank != came.rank:
        return False
    if None not in (attempt_of(start), attempt_of(came)) and attempt_of(start) != attempt_of(came):
        return False
    return compare_onsets(came, start) != BEFORE


def _time_passed(start: Sighting, within: str, scene: Scene) -> bool:
    if start.line is None:
        return False
    amount, unit = span_of(within)
    if ended_from_outside(start.line, scene):
        return True
    if unit == "s":
        return seconds_after(start.line, scene) >= amount
    if unit == "steps":
        return len(samples_after(scene, start.line, start.line.number)) >= amount
    return _lines_after(start.line, scene) >= amount


def _lines_after(line: Line, scene: Scene) -> int:
    """Count lines that the same writer is known to have written later."""
    left = lines_left(scene, line)
    if left is not None and any(
        given.path == line.path and given.rank is not None for given in scene.observations.inputs
    ):
        return left
    later = [
        record.line
        for records in (scene.observations.hits, scene.observations.samples)
        for record in records
        if record.line.number > line.number and same_life(record.line, line)
    ]
    return len({other.number for other in later})


def words_missing(sign: Sign) -> str:
    """Name a silence that is looked for."""
    return "no '{}' within {} after '{}'".format(sign["missing"], sign["within"], sign["after"])
