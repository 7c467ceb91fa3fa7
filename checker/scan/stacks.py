"""Stack dumps. Lines of one writer enter, one by one; `Stack` records leave."""

import re
from typing import List, NamedTuple, Optional

from checker.lazy_patterns import lazy_pattern
from checker.model import Line, Stack, Traceback

CURRENT_THREAD = "current"
# What stands above the line by which a dump is known, and names the process.
PROCESS_HEADS = ("Process ", '    "pid": ')
_PROCESS = lazy_pattern(r"Process (\d{1,9}): |    \"pid\": (\d{1,9}),$")
_PYSPY_THREAD = lazy_pattern(
    r"\s{0,4}Thread (?:0x[0-9a-fA-F]+|\d+)(?: \(([\w+]+)\))?(?:: \"([^\"]{0,200})\")?\s*$"
)
_JSON_FIELD = lazy_pattern(
    r"\s{0,16}\"(pid|thread_name|name|filename|short_filename|line|active)\":"
    r" (?:\"((?:[^\"\\]|\\.){0,1000})\"|(\w{1,12}))"
)
_FAULT = lazy_pattern(
    r"\s*(Current thread|Thread) 0x[0-9a-fA-F]+(?: \[([^\]]{0,200})\])? \(most recent call first\):"
)
_GDB_THREAD = lazy_pattern(
    r"Thread (\d{1,6}) \((?:Thread 0x[0-9a-fA-F]+ )?\(?LWP (\d{1,9})\)?(?: \"([^\"]{0,200})\")?"
)
_GDB_ATTACHED = lazy_pattern(r"Attaching to .{0,400}process (\d{1,9})$")
_HUNG = lazy_pattern(r"(?:INFO: )?task (\S+):(\d{1,9}) blocked for more than (\d+) seconds")
_TASK = lazy_pattern(r"task:(\S+)\s+state:(\w)\s.*?pid:(\d{1,9})")
_CALL_TRACE = lazy_pattern(r"Call Trace:")
_CPU = lazy_pattern(r"(?:CPU: \d+ )?(?:UID: \d+ )?PID: (\d{1,9}) Comm: ")
_PROC_FILE = lazy_pattern(
    r"(?:==> )?/proc/(\d{1,9})/(?:task/\d{1,9}/)?(?:stack|wchan)(?: <==|:(.*))$"
)
_PYSPY_FRAME = lazy_pattern(r"(\s{4,})(\S.{0,200}?) \(([^()]{1,400}:\d+|[^()]{1,200})\)\s*$")
_FAULT_FRAME = lazy_pattern(r'\s{1,8}File "([^"]{0,1000})", line (\d+|\?\?\?) in (.{0,200})$')
_GDB_FRAME = lazy_pattern(r"#\d{1,4} +(?:0x[0-9a-fA-F]+ in )?([\w:~<(].*)")
_KERNEL_FRAME = lazy_pattern(
    r"\s*(?:\[<[0-9a-fA-F]+>\]\s*)?(\? )?([A-Za-z_][\w.]{1,120})\+0x[0-9a-f]+/0x[0-9a-f]+"
)
_WAIT_CHANNEL = lazy_pattern(r"[a-z_][\w.]{1,120}$")
_KERNEL_MARKS = ("<TASK>", "</TASK>", "<IRQ>", "</IRQ>")
_MOST_FRAMES = 256
# A dump of every thread of every rank of a large node; more is a log that repeats itself.
_MOST_STACKS = 16384

STACK_LITERALS = (
    "most recent call first",
    "[<0>]",
    "Call Trace:",
    "blocked for more than",
    "Thread ",
    "(LWP ",
    '"thread_name": "',
    "/wchan:",
    "/stack <==",
    "Attaching to ",
)
STACK_LITERALS_BESIDE = {"[<0>]": "+0x/0x"}
"""A frame of the kernel has an offset and a size, of which two letters stay."""


class _Head(NamedTuple):
    """What the line that begins a stack says."""

    line: Line
    kind: str
    state: Optional[str]
    thread: Optional[str]


class _JsonFrame:
    """The frame of py-spy's JSON whose fields are being read."""

    def __init__(self) -> None:
        self.name, self.path = "", ""


class StackReader:
    """Reads the dumps of one writer."""

    __slots__ = (
        "_first",
        "_frames",
        "_head",
        "_indent",
        "_json",
        "_number",
        "_pid",
        "_state",
        "stacks",
    )

    def __init__(self) -> None:
        """Begin outside of any dump."""
        self.stacks: List[Stack] = []
        self._head: Optional[_Head] = None
        self._frames: List[str] = []
        self._indent: Optional[int] = None
        self._pid: Optional[int] = None
        self._state: Optional[str] = None
        self._json: Optional[_JsonFrame] = None
        self._number = 0
        """The thread of gdb that was read last."""
        self._first = 0
        """Where the stacks of gdb's process begin."""

    @property
    def is_open(self) -> bool:
        """Whether a dump has begun and not ended."""
        return self._head is not None

    def feed(self, line: Line) -> bool:
        """Read a line; tell whether it belongs to a dump."""
        text = line.text
        if self._json is not None:
            return self._feed_json(line, text)
        return self._begins(line, text) or self._goes_on(line, text)

    def _goes_on(self, line: Line, text: str) -> bool:
        if self._head is None and not text.lstrip().startswith("[<"):
            return False
        kernel = self._head is not None and self._head.kind == "kernel"
        frame = self._frame(text, kernel)
        if frame is not None:
            if self._head is None:
                self._start(_Head(line, "kernel", None, None), self._pid)
            if frame and len(self._frames) < _MOST_FRAMES:
                self._frames.append(frame)
            return True
        if (kernel and text.strip() in _KERNEL_MARKS) or self._is_below_a_frame(text):
            return True
        self.close()
        return False

    def close(self) -> None:
        """End the open dump."""
        head = self._head
        if head is not None and self._frames and len(self.stacks) < _MOST_STACKS:
            line = head.line if head.line.pid is not None else head.line._replace(pid=self._pid)
            frames = tuple(self._frames)
            self.stacks.append(Stack(line, self._pid, head.state, frames, head.kind, head.thread))
        self._head, self._frames, self._indent, self._json = None, [], None, None

    def _begins(self, line: Line, text: str) -> bool:
        process = _PROCESS.match(text) or (
            _GDB_ATTACHED.match(text) if text.startswith("Attaching to ") else None
        )
        if process:
            self.close()
            self._pid = int(process.group(process.lastindex or 0))
            return True
        if "/proc/" in text and self._begins_proc_file(line, text):
            return True
        hung = _HUNG.search(text) if "blocked for more" in text else None
        task = _TASK.match(text) if text.startswith("task:") else None
        owner = _CPU.match(text) if " Comm: " in text else None
        if hung or task or owner:
            self._remember(hung, task, owner)
            return True
        if _CALL_TRACE.match(text):
            self._start(_Head(line, "kernel", self._state, None), self._pid)
            return True
        return self._begins_thread(line, text)

    def _begins_thread(self, line: Line, text: str) -> bool:
        if "hread" not in text:
            return False
        gdb = _GDB_THREAD.match(text)
        if gdb:
            self._begin_native(line, int(gdb.group(1)), int(gdb.group(2)), gdb.group(3))
            return True
        fault = _FAULT.match(text)
        if fault:
            named = CURRENT_THREAD if fault.group(1)[0] == "C" else fault.group(2)
            self._start(_Head(line, "python", None, named), None)
            return True
        pyspy = _PYSPY_THREAD.match(text)
        if pyspy:
            self._start(_Head(line, "python", pyspy.group(1), pyspy.group(2)), self._pid)
            return True
        found = _JSON_FIELD.match(text)
        if found and found.group(1) == "thread_name":
            self._begin_json(line, found.group(2))
            return True
        return False

    def _begin_native(self, line: Line, number: int, thread: int, name: Optional[str]) -> None:
        """Begin a thread of gdb, which counts down to the main one: its id is the process's."""
        self.close()
        if number >= self._number:
            self._first = len(self.stacks)
        self._number = number
        if number == 1:
            for index in range(self._first, len(self.stacks)):
                told = self.stacks[index]
                owned = told.line._replace(pid=thread)
                self.stacks[index] = told._replace(line=owned, pid=thread)
        named = "MainThread" if number == 1 else name
        self._start(_Head(line, "native", None, named), thread)

    def _begins_proc_file(self, line: Line, text: str) -> bool:
        """Read `head /proc/PID/stack` and `grep . /proc/PID/wchan` of several processes."""
        found = _PROC_FILE.match(text)
        if found is None:
            return False
        pid, rest = int(found.group(1)), found.group(2)
        frame = "" if rest is None else _kernel_frame(rest) or _wait_channel(rest)
        if self._head is None or self._pid != pid or not rest:
            self._start(_Head(line, "kernel", None, None), pid)
        if frame and len(self._frames) < _MOST_FRAMES:
            self._frames.append(frame)
        return True

    def _remember(
        self,
        hung: "Optional[re.Match[str]]",
        task: "Optional[re.Match[str]]",
        owner: "Optional[re.Match[str]]",
    ) -> None:
        self.close()
        if hung:
            self._pid, self._state = int(hung.group(2)), "D"
        elif task:
            self._pid, self._state = int(task.group(3)), task.group(2)
        elif owner:
            self._pid, self._state = int(owner.group(1)), None

    def _start(self, head: _Head, pid: Optional[int]) -> None:
        self.close()
        self._head, self._pid = head, pid

    def _frame(self, text: str, kernel: bool) -> Optional[str]:
        """Read a frame; an empty one is a guess of the kernel and belongs to the dump only."""
        if kernel or text.lstrip().startswith("[<"):
            found = _kernel_frame(text)
            if found is not None:
                return found
        fault = _FAULT_FRAME.match(text)
        if fault:
            return "{} ({}:{})".format(fault.group(3), fault.group(1), fault.group(2))
        pyspy = _PYSPY_FRAME.match(text)
        if pyspy and self._indent in (None, len(pyspy.group(1))):
            self._indent = len(pyspy.group(1))
            return "{} ({})".format(pyspy.group(2), pyspy.group(3))
        return _gdb_frame(text) if text.startswith("#") else None

    def _is_below_a_frame(self, text: str) -> bool:
        """Tell py-spy's values of variables, which stand deeper than the frames."""
        return self._indent is not None and text[: self._indent + 1].isspace()

    def _feed_json(self, line: Line, text: str) -> bool:
        """Read py-spy's JSON, one field a line."""
        frame, found = self._json, _JSON_FIELD.match(text)
        if frame is None or (found is None and text.strip()[:1] not in ("", *'"{}[]')):
            self.close()
            return False
        if found is None:
            return True
        name, value = found.group(1), found.group(2) or found.group(3)
        if name == "pid":
            self.close()
            self._pid = int(value) if value.isdigit() else None
        elif name == "thread_name":
            self._begin_json(line, found.group(2))
        elif name == "line":
            if len(self._frames) < _MOST_FRAMES:
                self._frames.append("{} ({}:{})".format(frame.name, frame.path, value))
        elif name == "name":
            frame.name = value
        elif name in ("filename", "short_filename"):
            frame.path = frame.path if value == "null" else value
        elif self._head is not None:
            self._head = self._head._replace(state="active" if value == "true" else "idle")
        return True

    def _begin_json(self, line: Line, thread: Optional[str]) -> None:
        self._start(_Head(line, "python", None, thread), self._pid)
        self._json = _JsonFrame()


def _gdb_frame(text: str) -> Optional[str]:
    found = _GDB_FRAME.match(text)
    if found is None:
        return None
    called = found.group(1).replace("(anonymous namespace)", "").replace("operator()", "operator")
    # Arguments can hold both words, so the last one tells the place.
    name, _, place = called.rpartition(" from " if " from " in called else " at ")
    name = name or place
    return "{} ({})".format(name.partition("(")[0].strip(), "" if name == place else place)


def _kernel_frame(text: str) -> Optional[str]:
    found = _KERNEL_FRAME.match(text)
    return None if found is None else "" if found.group(1) else found.group(2)


def _wait_channel(text: str) -> str:
    found = _WAIT_CHANNEL.match(text)
    return found.group() if found else ""


def stacks_at_interrupt(block: Traceback) -> List[Stack]:
    """Take the frames that Ctrl-C printed for a dump of the main thread."""
    origin = block.parts[0] if block.parts else None
    if origin is None or origin.type != "KeyboardInterrupt" or block.ignored:
        return []
    frames = tuple(
        "{} ({}:{})".format(frame.function, frame.path, frame.line)
        for frame in reversed(origin.frames[-_MOST_FRAMES:])
    )
    line = block.line
    return [Stack(line, None, None, frames, "python", "MainThread")] if frames else []
