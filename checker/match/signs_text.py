"""Signs that are printed text: a line with a wording, and an exception block."""

import re
from typing import Any, Dict, Iterable, NamedTuple, Optional, Sequence, Set, Tuple

from checker.diagnose.usercode import (
    class_name,
    exception_text,
    is_user_frame,
    known_frames,
    last_user_frame,
)
from checker.judgement import Truth
from checker.match.living import block_counts
from checker.match.scene import (
    Scene,
    home_of_pid,
    host_of,
    line_place,
    pod_of,
    rank_of_device,
)
from checker.match.values import typed_value
from checker.model import Frame, Hit, Line, Moment, Raised, Sighting, Sign, Traceback, Writer
from checker.packed import Packer, packed_records

Values = Dict[str, Any]
_HitKey = Tuple[str, int, str, Optional[Moment]]
_ShapeOf = Tuple[str, Writer, bytes]


class SignCase(NamedTuple):
    """One sign of a rule, about to be judged."""

    name: str
    sign: Sign
    scene: Scene
    symptom: bool
    """Whether the rule is of a symptom, which may rest on noise of a shutdown."""
    truths: Dict[str, Truth]
    """The signs already judged, for a sign that is about another one."""


def make_sighting(
    case: SignCase,
    line: Line,
    text: str,
    values: Values,
    *,
    times: int = 1,
    exact: bool = True,
) -> Sighting:
    """Make a sighting of a line; who it is about follows from its writer and its captures."""
    found = _subject_of(case.scene, line, values)
    rule = case.sign["onset"]
    return Sighting(
        case.name,
        case.sign["kind"],
        line,
        text,
        *found,
        tuple(sorted(values.items())),
        times,
        exact,
        shifted_onset(line.moment, rule, values),
        rule,
    )


class _Subject(NamedTuple):
    """The process or the host that a line is about."""

    rank: Optional[int]
    local_rank: Optional[int]
    host: Optional[str]
    pid: Optional[int]


def _subject_of(scene: Scene, line: Line, values: Values) -> _Subject:
    writer = line.writer
    peer, pid = values.get("peer"), values.get("pid", line.pid)
    if isinstance(peer, int):
        # The writer is a witness.
        return _Subject(peer, None, scene.rank_hosts.get(peer), None)
    rank, host = writer.rank, host_of(scene, writer)
    if rank is None and writer.local_rank is None:
        rank_there, pod = pod_of(scene, line)
        rank, host = (rank_there, pod) if pod else (rank, host)
    if rank is None and writer.source != "rank":
        named = values.get("rank")
        rank = named if isinstance(named, int) else None
    if host is None and isinstance(values.get("host"), str):
        host = values["host"]
    if rank is None and isinstance(pid, int):
        rank, host = home_of_pid(scene, pid, host)
        host = scene.rank_hosts.get(rank, host) if rank is not None else host
    if rank is None:
        rank = rank_of_device(scene, values.get("bus"), host)
    return _Subject(rank, writer.local_rank, host, pid if isinstance(pid, int) else None)


def shifted_onset(moment: Optional[Moment], rule: str, values: Values) -> Optional[Moment]:
    """Take a captured duration off the time of printing, where the sign says so."""
    if moment is None or not rule.startswith("minus "):
        return moment
    duration = values.get(rule[len("minus ") :])
    if isinstance(duration, (int, float)):
        return moment._replace(seconds=moment.seconds - duration)
    return None


def judge_log(case: SignCase) -> Truth:
    """Look for the wordings in the lines that hold their literals."""
    found = packed_records(_log_sightings(case))
    if found:
        return Truth(True, found, "")
    absent = _absent_source(case.sign["source"], case.scene)
    if absent:
        return Truth(None, (), absent)
    return Truth(False, (), "no such line")


def _log_sightings(case: SignCase) -> Iterable[Sighting]:
    """Make the sightings, wording by wording; a line that has several counts once."""
    wordings = [
        (wording, case.scene.hits.get("log " + wording["literal"], ()))
        for wording in case.sign["log"]
    ]
    wordings = [(wording, hits) for wording, hits in wordings if hits]
    vague = _vague_shapes(case, wordings)
    told: Set[_HitKey] = set()
    for wording, hits in wordings:
        before: Optional[_HitKey] = None
        for hit in hits:
            key = (*line_place(hit.line), hit.line.moment)
            values = None if key == before or key in told else _told_by(case, wording, hit)
            if values is None:
                continue
            before = key
            if len(wordings) > 1:
                told.add(key)
            times, exact = (1, False) if _shape_of(hit) in vague else (hit.times, hit.exact)
            text = hit.line.text.strip()
            yield make_sighting(case, hit.line, text, values, times=times, exact=exact)


def _vague_shapes(
    case: SignCase, wordings: Sequence[Tuple[Dict[str, Any], Sequence[Hit]]]
) -> Set[_ShapeOf]:
    """List the shapes of which not all kept lines match, so that of the others none counts."""
    folded: Set[_ShapeOf] = set()
    refused: Set[_ShapeOf] = set()
    for wording, hits in wordings:
        if "log " + wording["literal"] not in case.scene.folded:
            continue
        for hit in hits:
            if not _may_speak(hit.line, case.sign["source"]):
                continue
            if hit.times > 1:
                folded.add(_shape_of(hit))
            if not any(
                "log " + other["literal"] in hit.keys and _told_by(case, other, hit) is not None
                for other, _ in wordings
            ):
                refused.add(_shape_of(hit))
    return folded & refused


def _told_by(case: SignCase, wording: Dict[str, Any], hit: Hit) -> Optional[Values]:
    """Read what a line tells by a wording; None where it does not count."""
    if not _may_speak(hit.line, case.sign["source"]):
        return None
    values = _hit_values(hit, wording, case.sign)
    return values if values is not None and _line_counts(case, hit.line) else None


def _shape_of(hit: Hit) -> _ShapeOf:
    return hit.line.path, hit.line.writer, hit.shape


def _absent_source(source: Optional[str], scene: Scene) -> str:
    seen = scene.observations.sources
    if source is None or source in seen or (source == "rank" and "unknown" in seen):
        return ""
    if source == "rank":
        return "no log of a rank among the inputs"
    return "no {} log among the inputs".format(source)


def _may_speak(line: Line, source: Optional[str]) -> bool:
    written = line.writer.source
    return source is None or source == written or (source == "rank" and written == "unknown")


def _hit_values(hit: Hit, wording: Dict[str, Any], sign: Sign) -> Optional[Values]:
    """Match one wording in a line; None if it is not there."""
    found = _search_at(wording["regex"], hit.line.text, sign["at"])
    if found is None:
        return None
    values = captured(found, wording["types"])
    if sign["under"]:
        head = _head_values(hit.above, sign["under"])
        if head is None:
            return None
        values = {**head, **values}
    for piece in sign["capture"]:
        for name, value in _piece_values(hit, piece).items():
            values.setdefault(name, value)
    return values


def _search_at(regex: str, text: str, place: str) -> Optional["re.Match[str]"]:
    if place == "start":
        return re.compile(regex, re.ASCII).match(text.lstrip())
    if place == "whole":
        return re.compile(regex, re.ASCII).fullmatch(text.strip())
    return re.compile(regex, re.ASCII).search(text)


def captured(found: "re.Match[str]", types: Dict[str, str]) -> Values:
    """Convert the captures of a match; an optional one that is not there has no value."""
    return {
        name: typed_value(text, types.get(name, "word"))
        for name, text in found.groupdict().items()
        if text is not None
    }


def _head_values(above: Tuple[str, ...], under: Dict[str, Any]) -> Optional[Values]:
    for text in reversed(above[-under["within"] :]):
        found = re.search(under["regex"], text, re.ASCII)
        if found:
            return captured(found, under["types"])
    return None


def _piece_values(hit: Hit, piece: Dict[str, Any]) -> Values:
    texts = [hit.line.text, *hit.below]
    for text in [*texts, " ".join(part.strip() for part in texts)]:
        found = re.search(piece["regex"], text, re.ASCII)
        if found:
            return captured(found, piece["types"])
    return {}


def _line_counts(case: SignCase, line: Line) -> bool:
    """Tell whether a line may be believed: not inside a handled or an ignored exception."""
    return all(
        block_counts(case.scene, block, case.symptom)
        for block in case.scene.quiet.get(line.path, ())
        if _within(block, line)
    )


def _within(block: Traceback, line: Line) -> bool:
    return block.line.number <= line.number <= block.end and (
        not block.separated or block.line.writer == line.writer
    )


_ONLY_QUIET = "only one that was logged below ERROR, or ignored, by a process that went on"


def judge_traceback(case: SignCase) -> Truth:
    """Look for exception blocks of the class, the message and the frame asked for."""
    sightings: Packer[Sighting] = Packer()
    blurred, quiet = False, False
    for block in case.scene.observations.tracebacks:
        if not block.parts:
            continue
        verdict, values = _judge_block(case, block)
        if not block_counts(case.scene, block, case.symptom):
            quiet = quiet or bool(verdict)
            continue
        blurred = blurred or verdict is None
        if verdict:
            sightings.add(_block_sighting(case, block, values))
    if sightings:
        return Truth(True, sightings.packed(), "")
    if blurred:
        return Truth(None, (), "the frames of the exception are not known")
    return Truth(False, (), _ONLY_QUIET if quiet else "no such exception")


def _judge_block(case: SignCase, block: Traceback) -> Tuple[Optional[bool], Values]:
    sign = case.sign
    blurred = False
    # Of a chain any part may match, but an exception of any kind means where it began.
    nameless = sign["traceback"] == "*" and not sign["message"]
    for part in block.parts[:1] if nameless else block.parts:
        values = _message_values(sign, part)
        if values is None or sign["traceback"] not in ("*", class_name(part), part.type):
            continue
        fits = _frames_fit(sign, block, part, case.scene)
        if fits:
            return True, values
        blurred = blurred or fits is None
    return (None if blurred else False), {}


def _message_values(sign: Sign, part: Raised) -> Optional[Values]:
    if not sign["message"]:
        return {}
    for wording in sign["message"]:
        found = re.search(wording["regex"], part.message, re.ASCII)
        if found:
            return captured(found, wording["types"])
    return None


def _frames_fit(sign: Sign, block: Traceback, part: Raised, scene: Scene) -> Optional[bool]:
    if not (sign["frame"] or sign["function"] or sign["code"]):
        return True
    known = known_frames(block, part)
    if not known:
        return None
    if sign["code"]:
        own = is_user_frame(known[-1], scene.packages)
        if own != (sign["code"] == "user"):
            return False
    asked = known[-1:] if sign["innermost"] else known
    if any(_is_frame_asked(frame, sign) for frame in asked):
        return True
    return False if sign["innermost"] or len(known) == len(part.frames) else None


def _is_frame_asked(frame: Frame, sign: Sign) -> bool:
    of_file = not sign["frame"] or ends_with_path(frame.path, sign["frame"])
    return of_file and sign["function"] in ("", None, frame.function)


def ends_with_path(path: str, end: str) -> bool:
    """Tell whether a path ends with these folders and this file name."""
    plain = path.replace("\\", "/")
    return plain == end or plain.endswith("/" + end.lstrip("/"))


def _block_sighting(case: SignCase, block: Traceback, values: Values) -> Sighting:
    origin = block.parts[0]
    text = exception_text(origin)
    shown = block.line if not origin.number else _named_line(block.line, origin.number, text)
    every = {**_origin_values(block, origin, case.scene), **values}
    return make_sighting(case, shown, text, every, times=block.times, exact=block.exact)


def _named_line(line: Line, number: int, text: str) -> Line:
    return line._replace(number=number, text=text, shown=text)


def _origin_values(block: Traceback, origin: Raised, scene: Scene) -> Values:
    values: Values = {"type": origin.type, "message": origin.message.partition("\n")[0]}
    frame = last_user_frame(known_frames(block, origin), scene.packages)
    if frame is not None:
        place = frame.path if frame.line is None else "{}:{}".format(frame.path, frame.line)
        values["frame"] = "{} in {}".format(place, frame.function) if frame.function else place
        if frame.code:
            values["code"] = frame.code
    return values


def _named_wordings(wordings: Sequence[Dict[str, Any]]) -> str:
    quoted = ['"{}"'.format(wording["text"]) for wording in wordings[:2]]
    left = len(wordings) - len(quoted)
    if left:
        quoted.append("{} more wording{}".format(left, "" if left == 1 else "s"))
    return " or ".join(quoted)


def words_log(sign: Sign) -> str:
    """Name a line that is looked for."""
    text = _named_wordings(sign["log"])
    place = {None: "", "rank": " in a rank's log"}.get(
        sign["source"], " in the {} log".format(sign["source"])
    )
    return "a line with {}{}".format(text, place)


def words_traceback(sign: Sign) -> str:
    """Name an exception that is looked for."""
    name = "exception" if sign["traceback"] == "*" else sign["traceback"]
    parts = ["an" if name[0].lower() in "aeiou" else "a", name]
    if sign["message"]:
        parts.append("that says {}".format(_named_wordings(sign["message"])))
    if sign["frame"] or sign["function"]:
        parts.append("with a frame in {}".format(sign["frame"] or sign["function"]))
    if sign["code"]:
        parts.append(
            "raised in {} code".format({"user": "the user's"}.get(sign["code"], "library"))
        )
    return " ".join(parts)
