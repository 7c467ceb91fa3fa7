"""Stack dumps. Lines of one writer enter, one by one; `Stack` records leave."""

import re
from typing import List, Optional

from checker.lazy_patterns import lazy_pattern
from checker.model import Line, Stack

_PROCESS = lazy_pattern(r"Process (\d{1,9}): ")
_PYSPY_THREAD = lazy_pattern(
    r"\s{0,4}Thread (?:0x[0-9a-fA-F]+|\d+)(?: \(([\w+]+)\))?(?:: \"[^\"]*\")?\s*$"
)
_FAULT = lazy_pattern(
    r"\s*(?:Current thread|Thread) 0x[0-9a-fA-F]+(?: \[[^\]]*\])? \(most recent call first\):"
)
_GDB_THREAD = lazy_pattern(r"Thread \d+ \((?:Thread 0x[0-9a-fA-F]+ )?\(?LWP (\d+)\)?")
_HUNG = lazy_pattern(r"(?:INFO: )?task (\S+):(\d{1,9}) blocked for more than (\d+) seconds")
_TASK = lazy_pattern(r"task:(\S+)\s+state:(\w)\s.*?pid:(\d+)")
_CALL_TRACE = lazy_pattern(r"Call Trace:")
_CPU = lazy_pattern(r"(?:CPU: \d+ )?(?:UID: \d+ )?PID: (\d{1,9}) Comm: ")
_PYSPY_FRAME = lazy_pattern(r"\s{4,}(\S.{0,200}?) \(([^()]{1,400}:\d+|[^()]{1,200})\)\s*$")
_FAULT_FRAME = lazy_pattern(r'\s{1,8}File "([^"]{0,1000})", line (\d+|\?\?\?) in (.{0,200})$')
_GDB_FRAME = lazy_pattern(
    r"#\d{1,4} +(?:0x[0-9a-fA-F]+ in )?([\w:~<>@.]+)(?: \(.{0,400}?\))?(?: (?:at|from) (\S+))?"
)
_KERNEL_FRAME = lazy_pattern(
    r"\s*(?:\[<[0-9a-fA-F]+>\]\s*)?(\? )?([A-Za-z_][\w.]{1,120})\+0x[0-9a-f]+/0x[0-9a-f]+"
)
_MOST_FRAMES = 256

STACK_LITERALS = (
    "most recent call first",
    "[<0>]",
    "Call Trace:",
    "blocked for more than",
    "Thread ",
    "(LWP ",
)


class StackReader:
    """Reads the dumps of one writer."""

    def __init__(self) -> None:
        """Begin outside of any dump."""
        self.stacks: List[Stack] = []
        self._head: Optional[Line] = None
        self._frames: List[str] = []
        self._pid: Optional[int] = None
        self._state: Optional[str] = None
        self._kernel = False

    @property
    def is_open(self) -> bool:
        """Whether a dump has begun and not ended."""
        return self._head is not None

    def feed(self, line: Line) -> bool:
        """Read a line; tell whether it belongs to a dump."""
        text = line.text
        if self._begins(line, text):
            return True
        if self._head is None and not text.lstrip().startswith("[<"):
            return False
        frame = _frame_of(text, self._kernel)
        if frame is not None:
            if self._head is None:
                self._start(line, None, "D")
                self._kernel = True
            if frame and len(self._frames) < _MOST_FRAMES:
                self._frames.append(frame)
            return True
        if self._kernel and text.strip() in ("<TASK>", "</TASK>", "<IRQ>", "</IRQ>"):
            return True
        self.close()
        return False

    def close(self) -> None:
        """End the open dump."""
        if self._head is not None and self._frames:
            self.stacks.append(Stack(self._head, self._pid, self._state, tuple(self._frames)))
        self._head, self._frames, self._kernel = None, [], False

    def _begins(self, line: Line, text: str) -> bool:
        process = _PROCESS.match(text)
        if process:
            self.close()
            self._pid = int(process.group(1))
            return True
        hung = _HUNG.search(text) if "blocked for more" in text else None
        task = _TASK.match(text) if text.startswith("task:") else None
        owner = _CPU.match(text) if " Comm: " in text else None
        if hung or task or owner:
            self._remember(hung, task, owner)
            return True
        if _CALL_TRACE.match(text):
            self._start(line, self._pid, self._state)
            self._kernel = True
            return True
        return self._begins_thread(line, text)

    def _begins_thread(self, line: Line, text: str) -> bool:
        if "Thread " not in text and "thread " not in text:
            return False
        gdb = _GDB_THREAD.match(text)
        if gdb:
            self._start(line, int(gdb.group(1)), None)
            return True
        if _FAULT.match(text):
            self._start(line, line.pid, None)
            return True
        pyspy = _PYSPY_THREAD.match(text)
        if pyspy:
            self._start(line, self._pid, pyspy.group(1))
            return True
        return False

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

    def _start(self, line: Line, pid: Optional[int], state: Optional[str]) -> None:
        self.close()
        self._head, self._pid, self._state = line, pid, state


def _frame_of(text: str, kernel: bool) -> Optional[str]:
    """Read a frame; an empty one is a guess of the kernel and belongs to the dump only."""
    found = _KERNEL_FRAME.match(text)
    if found and (kernel or text.lstrip().startswith("[<")):
        return "" if found.group(1) else found.group(2)
    found = _FAULT_FRAME.match(text)
    if found:
        return "{} ({}:{})".format(found.group(3), found.group(1), found.group(2))
    found = _PYSPY_FRAME.match(text)
    if found:
        return "{} ({})".format(found.group(1), found.group(2))
    found = _GDB_FRAME.match(text)
    if found:
        return "{} ({})".format(found.group(1), found.group(2) or "")
    return None
