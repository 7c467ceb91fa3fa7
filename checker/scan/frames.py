"""The inside of an exception block. Its lines enter; its exceptions leave, the origin first."""

import re
from typing import List, Optional, Sequence, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import Frame, Raised

_FILE = lazy_pattern(r'\s*File "([^"]{0,4096})", line (\d{1,9})(?:, in (.{0,400}))?\s*$')
_BARS = lazy_pattern(r"\s*(?:[|+] ?)+")
_RULE = lazy_pattern(r"\+-[+-]+(?: [\w.]+ -+)?$|-{8,}(?: [\w.]+ -+)?$")
_HEAD = "Traceback (most recent call last):"
_CHAINS = ("The above exception was the direct cause", "During handling of the above exception")
_QUOTES = ('"""', "'" * 3)
_NAME = lazy_pattern(
    r"([A-Za-z_][\w.]{0,200}(?:\.<locals>\.\w+)?)(?:\((\w+)\))?(?::\s?(.*))?$", re.DOTALL
)


class _Segment:
    """One traceback of the block while it is read."""

    def __init__(self, carried: bool) -> None:
        self.carried = carried
        self.frames: List[Frame] = []
        self.type = ""
        self.inner = ""
        """The class of what it carries, where it names that."""
        self.message: List[str] = []
        self.number = 0


def parse_block(rows: Sequence[Tuple[int, str]]) -> Tuple[Raised, ...]:
    """Read the lines of a block; text of an exception not printed to its end has no type."""
    segments: List[_Segment] = []
    chained, ruled = False, False
    for number, text in rows:
        bare = _unbarred(text)
        if bare.lstrip().startswith(("+-", "--")) and _RULE.match(bare.strip()):
            ruled = True
            continue
        begins = ruled and bool(bare.strip())
        ruled = ruled and not begins
        if segments and _is_remote(segments[-1]) and _FILE.match(bare):
            # Ray prints the remote stack below its own exception, without a head.
            begins = True
        if _HEAD in bare or not segments or begins:
            segments.append(_Segment(carried=bool(segments) and not chained))
            chained = False
            if _HEAD in bare:
                continue
        if bare.strip().startswith(_CHAINS):
            chained = True
        elif not is_carrier(bare.strip()):
            _read_row(segments[-1], number, bare)
    return _ordered(_with_inner(segments))


def is_carrier(bare: str) -> bool:
    """Tell whether a line only leads to the exception of another process, or ends it."""
    return bare in _QUOTES or (
        bare.startswith("-- Process ") and "terminated with the following error:" in bare
    )


def _is_remote(segment: _Segment) -> bool:
    """Tell whether it is an exception of Ray that stands for one in another process."""
    return segment.type.startswith("ray.exceptions.") or segment.type == "RayTaskError"


def _with_inner(segments: List[_Segment]) -> List[_Segment]:
    """Name the exception that a carrier names in parentheses, where no line of its own does."""
    completed: List[_Segment] = []
    for index, segment in enumerate(segments):
        completed.append(segment)
        if not segment.inner:
            continue
        after = segments[index + 1] if index + 1 < len(segments) else None
        if after is None or not after.carried:
            after = _Segment(carried=True)
            completed.append(after)
        if not after.type:
            after.type, after.number = segment.inner, segment.number
    return completed


def _unbarred(text: str) -> str:
    """Take off the bars that Python draws before the lines of an exception group."""
    if "|" not in text and "+-" not in text:
        return text
    found = _BARS.match(text)
    if found is None or ("|" not in found.group() and "+-" not in text):
        return text
    return text[found.end() :] if "+-" not in text else text.strip(" |")


def _read_row(segment: _Segment, number: int, text: str) -> None:
    if segment.type:
        segment.message.append(text)
        return
    found = _FILE.match(text)
    if found:
        path, line, function = found.groups()
        segment.frames.append(Frame(path, int(line), function or "", ""))
        return
    bare = text.strip()
    if text[:1] in (" ", "\t"):
        _read_code(segment, bare)
        return
    name = _NAME.match(text)
    if name:
        segment.type, segment.inner = name.group(1), name.group(2) or ""
        segment.message.append(name.group(3) or "")
        segment.number = number


def _read_code(segment: _Segment, bare: str) -> None:
    marks = not set(bare) - set("^~ ")
    repeats = bare.startswith("[Previous line repeated")
    if segment.frames and not marks and not repeats and not segment.frames[-1].code:
        segment.frames[-1] = segment.frames[-1]._replace(code=bare)


def _ordered(segments: List[_Segment]) -> Tuple[Raised, ...]:
    """Put what was carried before what carried it; a chain is printed origin first already."""
    order: List[_Segment] = []
    last: Optional[_Segment] = None
    for segment in segments:
        if segment.carried and last is not None and last in order:
            order.insert(order.index(last), segment)
        else:
            order.append(segment)
        last = segment if not segment.carried or not _is_group(last) else last
    return tuple(_finished(segment) for segment in order if segment.type or segment.frames)


def _is_group(segment: Optional[_Segment]) -> bool:
    return segment is not None and segment.type.endswith(("Group", "CheckpointException"))


def _finished(segment: _Segment) -> Raised:
    message = segment.message
    while message and not message[-1].strip():
        message.pop()
    return Raised(segment.type, "\n".join(message), tuple(segment.frames), segment.number)
