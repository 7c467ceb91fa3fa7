"""Exception blocks. The lines of one writer enter, one by one; `Traceback` records leave."""

import re
from typing import List, NamedTuple, Optional, Set, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import NOT_BEFORE, Line, Moment, Raised, Traceback
from checker.scan.exits import is_shell_word
from checker.scan.frames import is_carrier, parse_block
from checker.scan.metrics import read_metrics
from checker.scan.prefix_readings import LEVEL_PATTERN, LEVELS

HEADER = "Traceback (most recent call last):"
# So torch.distributed.checkpoint heads what each rank raised, inside its own exception.
_OF_A_RANK = lazy_pattern(r" *(?:\(RANK \d{1,7}\))? *$")
_EXCEPTION = lazy_pattern(
    r"[A-Za-z_][\w.]{0,200}(?:\.<locals>\.\w+|\(\w+\))?(?::(?: .*)?|)$", re.DOTALL
)
_ENDING_NAME = lazy_pattern(
    r"(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit|Warning|Group|Iteration|Fault|Timeout|Failure"
    r"|Killed|Abort|Closed|Died|Lost|Full|Empty|Refused|Cancelled|Unavailable)\w*(?::|$)"
)
_SYNTAX = ("SyntaxError: ", "IndentationError: ", "TabError: ")
_CONNECTORS = (
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)
_REMOTE = ("RayTaskError(", "ray.exceptions.RayTaskError(")
_HANDLED_WORDS = (
    "exception",
    "error",
    "fail",
    "retry",
    "retri",
    "skip",
    "ignor",
    "could not",
    "unable",
    "caught",
    "handled",
    "warn",
)
_RECORD = lazy_pattern(
    r"\[?(?:(?:epoch|step|iter|iteration|batch)s?\b[\s:=#\[(]{1,3}\d"
    r"|(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL)\b[\]: |-]|\S{1,400}:\d{1,7}: \w*Warning: "
    r"|torchrun|mpirun|mpiexec|accelerate launch|wandb: |\S{1,80}[$#] )",
    re.IGNORECASE,
)
_OF_ONE_LINE = (
    "KeyError",
    "IndexError",
    "NameError",
    "UnboundLocalError",
    "ZeroDivisionError",
    "RecursionError",
    "KeyboardInterrupt",
    "StopIteration",
)
# The Hub's library tells what it is about below an empty line.
_STATUS = lazy_pattern(
    r"[\w.]{1,200}Error: (?:\d{3} (?:Client|Server) Error\.|\(Request ID: )"
    r"|huggingface_hub\.errors\.\w{1,80}: ?$"
)
# Python logs of torch give each line of an exception a head of its own, and C++ logs have none.
_TORCH_RECORD = lazy_pattern(
    r"\[?[IWEF]\d{3,4} \d\d:\d\d:\d\d\.\d+ .{0,20}?(?:torch/\S+|\S+\.(?:cpp|hpp|cc|cu|h)):\d+\]"
)
_DEEPSPEED_RECORD = lazy_pattern(r"\] \[(?:INFO|WARNING)\] \[\w{1,60}\.py:\d{1,6}:\w{1,80}\] ")
# Torch prints so what nobody caught; a level in front of it is that of a log which repeats it.
_OF_TORCH_HOOK = lazy_pattern(r"\[rank\d{1,7}\]: Traceback \(most")
# Stands before the header in a line of its own block.
_GROUP_HEAD = "  + Exception Group "
_LEVEL_IN_HEAD = lazy_pattern(r"\b" + LEVEL_PATTERN + r"\b")
_LONGEST_HEAD = 320
_MOST_LINES = 2000
_MOST_MESSAGE = 120


class _Open(NamedTuple):
    """A block that has begun."""

    first: Line
    above: Optional[Line]
    ignored: bool
    stripped: str
    """What stands before the header and all its lines: blanks, or a logger's head."""
    since: Optional[Moment]
    """When it was printed, as far as what its writer printed before tells."""

    def dated(self) -> Line:
        """Return the first line, with what is known of its time."""
        if self.first.moment is not None or self.since is None:
            return self.first
        return self.first._replace(moment=self.since)


class TracebackReader:
    """Reads the blocks of one writer."""

    def __init__(self) -> None:
        """Begin outside of any block."""
        self._open: Optional[_Open] = None
        self._lines: List[Tuple[int, str]] = []
        self._last: Optional[Line] = None
        self._raised = False
        self._blank = False
        self._message = 0
        self._headers = 0
        self._recent: List[Line] = []
        self._done: List[Traceback] = []
        self.doubtful: Set[int] = set()
        """First lines of blocks that were handled only if their process went on."""

    @property
    def is_open(self) -> bool:
        """Whether a block has begun and not ended."""
        return self._open is not None

    def take(self) -> List[Traceback]:
        """Hand over the blocks that have ended."""
        done, self._done = self._done, []
        return done

    def forget(self) -> None:
        """Lines were left out: what was above is no longer directly above."""
        self._recent = []

    def close(self) -> None:
        """End the open block; the writer writes no more."""
        if self._open is not None:
            self._finish()

    def feed(
        self, line: Line, before: Optional[Line] = None, since: Optional[Moment] = None
    ) -> bool:
        """Read a line; tell whether it belongs to a block.

        *before* is the line directly above it in the file, whoever wrote that; *since* is the last
        time that the writer printed: what follows is not before.
        """
        text = line.text
        if self._open is not None and self._continues(line, text):
            return True
        self.close()
        at = text.find(HEADER)
        if at >= 0 and _OF_A_RANK.match(text, at + len(HEADER)):
            self._begin(line, at, before, since)
            return True
        if text.startswith(_SYNTAX) and self._recent:
            self._syntax_error(line)
            return True
        if text.startswith(_REMOTE):
            self._begin_remote(line, since)
            return True
        self._recent = [*self._recent[-5:], line]
        return False

    def _begin(self, line: Line, at: int, before: Optional[Line], since: Optional[Moment]) -> None:
        text = line.text
        above = self._recent[-1] if self._recent else None
        if before is not None and line.text == line.shown and _logs_exception(before):
            # Nothing stands before the block itself: it continues the log record above.
            above = before
            line = line._replace(writer=before.writer)
        ignored = bool(above and above.text.startswith("Exception ignored"))
        margin, group, _ = text[:at].partition(_GROUP_HEAD)
        barred = not margin.strip(" |+") and not group
        stripped = "" if barred and margin.strip() else margin
        named = None if line.level else _LEVEL_IN_HEAD.search(margin[-_LONGEST_HEAD:])
        if named:
            line = line._replace(level=LEVELS[named.group(1)])
        self._open = _Open(line, above, ignored, stripped, _time_below(above, since))
        self._lines = [(line.number, text[at:] if barred else text[len(margin) :])]
        self._last = line
        self._raised, self._blank, self._message, self._headers = False, False, 0, 1
        self._recent = []

    def _begin_remote(self, line: Line, since: Optional[Moment]) -> None:
        """Begin with the exception that stands for one of another process; its stack follows."""
        above = self._recent[-1] if self._recent else None
        self._open = _Open(line, above, False, "", _time_below(above, since))
        self._lines, self._last = [(line.number, line.text)], line
        self._raised, self._blank, self._message, self._headers = True, False, 0, 1
        self._recent = []

    def _continues(self, line: Line, text: str) -> bool:
        assert self._open is not None
        margin = self._open.stripped
        # Below a header, what recurs is the logger's head; blank lines may have lost its end.
        if margin and (text.startswith(margin) or text == margin.rstrip()):
            text = text[len(margin) :]
        if len(self._lines) > _MOST_LINES or self._is_new_record(line, text):
            return False
        return self._goes_on(line, text, text.strip())

    def _is_new_record(self, line: Line, text: str) -> bool:
        """Tell whether the line has a log record's own prefix, which the block's lines lack."""
        assert self._open is not None
        first = self._open.first
        timed = line.moment is not None and first.moment is None
        leveled = line.level is not None and first.level is None
        if (timed or leveled) and not _EXCEPTION.match(text):
            return True
        return line.level is not None and first.level != line.level

    def _goes_on(self, line: Line, text: str, bare: str) -> bool:
        if not bare:
            if self._blank and self._raised:
                return False
            self._blank = self._raised
            return self._keep(line, "")
        if HEADER in text:
            return self._another_header(line, text)
        if bare in _CONNECTORS or is_carrier(bare):
            self._raised, self._blank, self._message = False, False, 0
            return self._keep(line, bare)
        if self._raised:
            return self._after_raised(line, text)
        inside = text[0] in " |+\t" or set(bare) <= set("^~ ")
        if not inside and _EXCEPTION.match(text):
            inside, self._raised, self._message = True, True, 0
        return inside and self._keep(line, text)

    def _another_header(self, line: Line, text: str) -> bool:
        fresh = not text.lstrip(" |+").startswith(("Original ", "Exception Group "))
        previous = self._lines[-1][1].strip()
        expected = previous in _CONNECTORS or not previous or not fresh or is_carrier(previous)
        announced = self._lines[-1][1].rstrip().endswith(":") or HEADER + " (RANK " in text
        plain = self._raised and fresh and not self._blank and text.startswith(HEADER)
        if plain and not announced:
            return False
        if not self._raised and not expected and not text.startswith(" "):
            self._headers += 1
        elif self._raised and self._blank and text.startswith(HEADER) and fresh:
            return False
        self._raised, self._blank, self._message = False, False, 0
        return self._keep(line, text)

    def _after_raised(self, line: Line, text: str) -> bool:
        if self._blank and text[0] not in " \t|+" and not self._announces_more():
            return False
        assert self._last is not None
        if line.writer.source == "unknown" and line.number > self._last.number + 1:
            return False
        if self._headers > 1 and _ENDING_NAME.match(text[:400]):
            return self._keep(line, text)
        if _begins_anew(text, self._lines[-1][1]):
            return False
        self._message += 1
        if self._message > _MOST_MESSAGE:
            return False
        self._blank = False
        return self._keep(line, text)

    def _announces_more(self) -> bool:
        """Tell whether an exception's only line so far is one that an empty line follows."""
        return self._message == 0 and _STATUS.match(self._lines[-2][1][:400]) is not None

    def _keep(self, line: Line, text: str) -> bool:
        self._lines.append((line.number, text))
        self._last = line
        return True

    def _syntax_error(self, line: Line) -> None:
        start = next(
            (
                index
                for index in range(len(self._recent) - 1, -1, -1)
                if self._recent[index].text.startswith("  File ")
            ),
            None,
        )
        kept = self._recent[start:] if start is not None else []
        first = kept[0] if kept else line
        rows = [(above.number, above.text) for above in kept] + [(line.number, line.text)]
        parts = parse_block(rows)
        if parts:
            self._done.append(Traceback(first, line.number, parts, False, False, True))
        self._recent = []

    def _finish(self) -> None:
        assert self._open is not None
        opened, lines = self._open, self._lines
        self._open, self._lines, self._last = None, [], None
        self._recent = []
        while lines and not lines[-1][1].strip():
            lines.pop()
        if self._headers > 1:
            self._done.extend(_mixed(opened, lines))
            return
        parts = parse_block(lines)
        if parts:
            handled = _is_handled(opened)
            if handled and opened.above and not _is_surely_handled(opened.above):
                self.doubtful.add(opened.first.number)
            end = max(lines[-1][0], opened.first.number)
            self._done.append(Traceback(opened.dated(), end, parts, opened.ignored, handled, True))


def _begins_anew(text: str, previous: str) -> bool:
    """Tell whether a line below an exception is no more of its message."""
    if text.startswith("========") or is_shell_word(text) or read_metrics(text) is not None:
        return True
    if _RECORD.match(text):
        return True
    # Of these Python and the libraries print one line only.
    return text[:1] not in " \t|+" and previous.partition(":")[0] in _OF_ONE_LINE


def _logs_exception(line: Line) -> bool:
    """Tell whether a log record may go on with an exception block."""
    if line.moment is None or line.level is None or line.writer.source == "launcher":
        return False
    return line.level in ("WARNING", "ERROR", "FATAL") or _tells_handling(line.text)


def _time_below(above: Optional[Line], since: Optional[Moment]) -> Optional[Moment]:
    """Tell when a block was printed whose own lines have no time."""
    if above is not None and above.moment is not None:
        # A record of an error and the exception below it are printed at once.
        if _logs_exception(above) and not _carries_nothing(above):
            return above.moment._replace(precision=max(above.moment.precision, 1.0))
        if since is None or since[:1] < above.moment[:1]:
            since = above.moment
    return since._replace(precision=NOT_BEFORE) if since is not None else None


def _is_handled(opened: _Open) -> bool:
    """Judge by the logging line directly above whether the program went on."""
    first, above = opened.first, opened.above
    if first.level in ("DEBUG", "INFO", "WARNING"):
        return _OF_TORCH_HOOK.search(first.shown[:_LONGEST_HEAD]) is None
    if above is None or above.level not in ("DEBUG", "INFO", "WARNING"):
        return above is not None and _is_forgotten_task(above.text)
    if above.writer.source == "launcher" or _carries_nothing(above):
        return False
    # A writer's own stream is known by its prefix; else the record must be the line above.
    if first.writer.source != "rank" and above.number + 1 != first.number:
        return False
    if first.shown.lstrip().startswith("[rank") and not above.shown.lstrip().startswith("[rank"):
        return False
    return above.level == "WARNING" or _tells_handling(above.text)


def _is_surely_handled(above: Line) -> bool:
    """Tell whether a record leaves no doubt; at INFO, what was skipped may be a training step."""
    told = [word for word in _HANDLED_WORDS if word in above.text.lower()]
    return bool(told) and (above.level == "WARNING" or told != ["skip"])


def _tells_handling(text: str) -> bool:
    lower = text.lower()
    return any(word in lower for word in _HANDLED_WORDS)


def _is_forgotten_task(text: str) -> bool:
    """Tell whether asyncio reports what nobody asked a task for; its process goes on."""
    return text.startswith("future: <") and " exception=" in text


def _carries_nothing(record: Line) -> bool:
    """Tell whether a log record is of a kind below which no exception is printed."""
    # The second is a warning of Python that went into the log.
    head = record.shown[:400]
    of_torch = "torch/" in head or "[W" in head or "[I" in head
    return (
        (of_torch and _TORCH_RECORD.search(head) is not None)
        or _DEEPSPEED_RECORD.search(head) is not None
        or "Warning: " in record.text
    )


def _mixed(opened: _Open, lines: List[Tuple[int, str]]) -> List[Traceback]:
    """Keep types and messages where the lines of several writers are mixed."""
    found = []
    for number, text in lines:
        if text[:1].strip() and _EXCEPTION.match(text) and _ENDING_NAME.match(text[:400]):
            name, _, message = text.partition(":")
            raised = Raised(name.strip(), message.strip(), (), number)
            found.append(Traceback(opened.dated(), number, (raised,), opened.ignored, False, False))
    return found
