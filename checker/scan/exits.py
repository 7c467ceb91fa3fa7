"""Ends of processes. Lines enter; `Exit` records leave, one for each process.

`SPELLINGS` is the one registry of how launchers, schedulers, shells and kernels tell an end.
"""

import re
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

from checker.model import Exit, Line, Moment
from checker.scan.moments import TIME_PATTERN, wall_moment
from checker.scan.quoting import is_mentioned

SIGNALS: Dict[str, int] = {
    "SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGILL": 4, "SIGTRAP": 5, "SIGABRT": 6, "SIGBUS": 7,
    "SIGFPE": 8, "SIGKILL": 9, "SIGUSR1": 10, "SIGSEGV": 11, "SIGUSR2": 12, "SIGPIPE": 13,
    "SIGALRM": 14, "SIGTERM": 15, "SIGXCPU": 24, "SIGXFSZ": 25,
}  # fmt: skip
_WORDS: Dict[str, int] = {
    "Killed": 9,
    "Terminated": 15,
    "Aborted": 6,
    "Segmentation fault": 11,
    "Bus error": 7,
    "Hangup": 1,
    "Interrupt": 2,
    "Illegal instruction": 4,
    "Floating point exception": 8,
}
_WORD_PATTERN = "(" + "|".join(sorted(_WORDS)) + ")"
_STEP_OUT_OF_MEMORY = "Out Of Memory"
# A run has at most so many processes; more is a log that repeats itself.
_MOST_ENDS = 32768
# What Ctrl-C sends.
_INTERRUPT = 2
# Signals that a program's own fault raises.
_OWN_SIGNALS = (4, 5, 6, 7, 8, 11)


class Told(NamedTuple):
    """What one line says of one end."""

    rank: Optional[int] = None
    local_rank: Optional[int] = None
    pid: Optional[int] = None
    host: Optional[str] = None
    signal: Optional[int] = None
    code: Optional[int] = None
    by: Optional[str] = None
    task: Optional[int] = None
    moment: Optional[Moment] = None
    """Where the text itself says when."""


class Spelling(NamedTuple):
    """One way in which an end is told."""

    literal: str
    """Stands in every such line; the scanner looks for it."""
    pattern: str
    read: Callable[["re.Match[str]"], List[Told]]


def signal_and_code(number: int) -> Tuple[Optional[int], Optional[int]]:
    """Tell a printed exit code apart: -9 and 137 are both signal 9."""
    if -65 < number < 0:
        return -number, None
    if 128 < number <= 128 + 64:
        return number - 128, None
    return None, number & 255


def _told(number: int, **known: object) -> List[Told]:
    signal, code = signal_and_code(number)
    return [Told(signal=signal, code=code, **known)]  # type: ignore[arg-type]


def _elastic(found: "re.Match[str]") -> List[Told]:
    code, local_rank, pid = found.groups()
    return _told(int(code), local_rank=int(local_rank), pid=int(pid))


def _received(found: "re.Match[str]") -> List[Told]:
    return [Told(signal=int(found.group(1)), pid=int(found.group(2)))]


def _deepspeed_exit(found: "re.Match[str]") -> List[Told]:
    local = re.search(r"--local_rank=(\d{1,6})\b", found.string)
    return _told(int(found.group(1)), local_rank=int(local.group(1)) if local else None)


def _deepspeed_pid(found: "re.Match[str]") -> List[Told]:
    return [Told(pid=int(found.group(1)), signal=15, by="launcher")]


def _srun(found: "re.Match[str]") -> List[Told]:
    host, tasks, code, word = found.groups()
    ends = []
    for task in _task_range(tasks):
        if word == _STEP_OUT_OF_MEMORY:
            # It tells that the kernel's limit was hit, and no signal.
            ends.append(Told(task=task, host=host, by="kernel"))
        elif word:
            ends.append(Told(task=task, host=host, signal=_WORDS.get(word)))
        else:
            ends.extend(_told(int(code), task=task, host=host))
    return ends


def _task_range(tasks: str) -> List[int]:
    numbers: List[int] = []
    for part in tasks.split(","):
        first, _, last = part.partition("-")
        last = last or first
        if first.isdigit() and last.isdigit() and max(len(first), len(last)) < 8:
            numbers.extend(range(int(first), min(int(last), int(first) + 8191) + 1))
    return numbers[:8192]


def _mpirun(found: "re.Match[str]") -> List[Told]:
    rank, pid, host, signal = found.groups()
    return [Told(task=int(rank), pid=int(pid), host=host, signal=int(signal))]


def _lightning(found: "re.Match[str]") -> List[Told]:
    return _told(int(found.group(2)), pid=int(found.group(1)))


def _spawn_signal(found: "re.Match[str]") -> List[Told]:
    return [Told(local_rank=int(found.group(1)), signal=SIGNALS.get(found.group(2)))]


def _spawn_code(found: "re.Match[str]") -> List[Told]:
    return _told(int(found.group(2)), local_rank=int(found.group(1)))


def _died_with(found: "re.Match[str]") -> List[Told]:
    return [Told(signal=int(found.group(1)))]


def _oom_killed(found: "re.Match[str]") -> List[Told]:
    return [Told(signal=9, by="kernel")]


def _container(found: "re.Match[str]") -> List[Told]:
    code = int(found.group(1))
    return _told(code) if code else []


def _shell(found: "re.Match[str]") -> List[Told]:
    pid, word = found.group(1), found.group(2)
    return [Told(signal=_WORDS[word], pid=int(pid) if pid else None)]


def _fatal_python(found: "re.Match[str]") -> List[Told]:
    return [Told(signal=_WORDS[found.group(1)], by="itself")]


def _slurm_cancel(found: "re.Match[str]") -> List[Told]:
    moment = wall_moment(*found.groups()[1:]) if found.group(2) else None
    return [Told(host=found.group(1), signal=15, by="scheduler", moment=moment)]


SPELLINGS: Tuple[Spelling, ...] = (
    Spelling(
        "failed (exitcode: ",
        r"failed \(exitcode: (-?\d{1,4})\) local_rank: (\d{1,6}) \(pid: (\d{1,9})\)",
        _elastic,
    ),
    Spelling(
        "received by PID", r"Signal (\d{1,3}) \(SIG\w+\) received by PID (\d{1,9})", _received
    ),
    Spelling("exits with return code", r"exits with return code = (-?\d{1,4})", _deepspeed_exit),
    Spelling("Killing subprocess", r"Killing subprocess (\d{1,9})", _deepspeed_pid),
    Spelling(
        "srun: error:",
        r"srun: error: ([\w.-]+): tasks? ([\d,-]+): (?:Exited with exit code (\d{1,3})|("
        + "|".join([*sorted(_WORDS), _STEP_OUT_OF_MEMORY])
        + r")\b)",
        _srun,
    ),
    Spelling(
        "exited on signal",
        r"process rank (\d{1,7}) with PID (\d{1,9}) on node ([\w.-]+) exited on signal (\d{1,3})",
        _mpirun,
    ),
    Spelling(
        "terminated with code",
        r"[Pp]rocess with PID (\d{1,9}) terminated with code (-?\d{1,4})",
        _lightning,
    ),
    Spelling(
        "terminated with signal",
        r"process (\d{1,6}) terminated with signal (SIG\w+)",
        _spawn_signal,
    ),
    Spelling(
        "terminated with exit code",
        r"process (\d{1,6}) terminated with exit code (-?\d{1,4})",
        _spawn_code,
    ),
    Spelling("died with <Signals", r"died with <Signals\.\w+: (\d{1,3})>", _died_with),
    Spelling("OOMKilled", r"(?:[Rr]eason:? *\"?|^)OOMKilled", _oom_killed),
    Spelling("exitCode", r"\bexitCode\"?: *(\d{1,3})\b", _container),
    Spelling("Exit Code:", r"\bExit Code: *(\d{1,3})\b", _container),
    Spelling(
        "CANCELLED AT",
        r"slurmstepd: error: \*\*\* (?:STEP|JOB) [\w.+]+ ON ([\w.-]+) CANCELLED AT(?: "
        + TIME_PATTERN
        + ")?",
        _slurm_cancel,
    ),
    Spelling(
        "Fatal Python error",
        r"Fatal Python error: " + _WORD_PATTERN,
        _fatal_python,
    ),
    *(
        Spelling(
            word,
            r"(?:[\w./-]{1,200}: line \d{1,6}: *)?(?:(\d{1,9}) +)?"
            + "("
            + word
            + r")(?: *\(core dumped\))?(?: {2,}\S.*)?$",
            _shell,
        )
        for word in sorted(_WORDS)
    ),
)


def is_shell_word(text: str) -> bool:
    """Tell whether a shell could have printed the line as the end of a process."""
    return text.strip() in _WORDS or "(core dumped)" in text


class ExitBook:
    """Collects the ends and joins the tellings of one."""

    __slots__ = ("_by_pid", "_exits", "_patterns", "alone")

    def __init__(self) -> None:
        """Begin with nothing told."""
        self.alone = False
        """Whether the launcher started one process only."""
        self._exits: List[Exit] = []
        self._by_pid: Dict[Tuple[Optional[str], int], int] = {}
        self._patterns: Dict[str, "re.Pattern[str]"] = {}

    def read(self, line: Line) -> bool:
        """Read a line; tell whether it reports an end."""
        text = line.text
        told = False
        for spelling in SPELLINGS:
            if spelling.literal not in text:
                continue
            pattern = self._patterns.get(spelling.pattern)
            if pattern is None:
                pattern = self._patterns[spelling.pattern] = re.compile(spelling.pattern)
            anchored = spelling.read is _shell
            found = pattern.match(text) if anchored else pattern.search(text)
            if found and is_mentioned(line, spelling.literal):
                break
            if found:
                ends = spelling.read(found) if len(self._exits) < _MOST_ENDS else []
                if spelling.read is _deepspeed_exit and not self.alone:
                    # The command shown is the one started last, whichever process ended.
                    ends = [end._replace(local_rank=None) for end in ends]
                self._exits.extend(_exit_of(line, end) for end in ends)
                told = bool(ends)
                break
        return told

    def add(self, end: Exit) -> None:
        """Add an end that a block told."""
        self._exits.append(end)

    def all(self) -> List[Exit]:
        """All tellings, in the order of their lines."""
        return self._exits


def author_of(signal: Optional[int], code: Optional[int]) -> Optional[str]:
    """Say who ended a process, where the way it ended tells."""
    if signal == _INTERRUPT:
        return "person"
    return "itself" if signal in _OWN_SIGNALS or code is not None else None


def _exit_of(line: Line, end: Told) -> Exit:
    rank, local_rank, task = end.rank, end.local_rank, end.task
    writer = line.writer
    nameless = (rank, local_rank, task, end.pid) == (None, None, None, None)
    if nameless and writer.source == "rank":
        rank, local_rank, task = writer.rank, writer.local_rank, writer.task
    by = end.by or author_of(end.signal, end.code)
    host, moment = end.host or writer.host, end.moment or line.moment
    return Exit(line, rank, local_rank, end.pid, host, end.signal, end.code, by, moment, task)
