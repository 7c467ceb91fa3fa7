"""Where a new attempt begins within one file: its lines enter in order; the beginnings leave.

A counter that goes back alone begins nothing. A launcher says that it restarts; or another agent
or another job writes on; or, after an end, lines of the file's beginning come again.
"""

from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import Line

RESTART_LITERALS = ("will restart worker group", "restart_count=", "OMP_NUM_THREADS", "StepId=")
_MADE_KNOWN, _RESTARTED, _NEW_AGENT, _NEW_JOB, _AGAIN, _FAILED_AGAIN = range(6)
_HEAD_LINES = 64
# So many lines after an end are read to see whether the beginning comes again.
_WATCHED = 64
_MOST_WATCHES = 256
_SHORTEST = 6
_COUNTER = 1 << 30
_ATTEMPTS_LEFT = lazy_pattern(r"(\d{1,6})/(\d{1,6}) attempts left; will restart worker group")
_RESTART_COUNT = lazy_pattern(r"\s{0,8}restart_count=(\d{1,6})\s{0,8}$")
_FAILED = lazy_pattern(
    r"failed \(exitcode: -?\d{1,4}\) local_rank: \d{1,6} \(pid: (\d{1,12})\) of "
)
_JOB = lazy_pattern(r"(?:\bStepId=|\*\*\* (?:STEP|JOB) |^srun: job )(\d{1,12})(?:\.(\d{1,6}))?\b")
_JOB_HINTS = ("StepId=", "*** STEP ", "*** JOB ", "srun: job ")
_DIGITS = lazy_pattern(r"\d+")
Job = Tuple[str, Optional[str]]


class Begun(NamedTuple):
    """The first line of an attempt."""

    number: int
    kind: int
    value: int
    """The count of restarts, or the agent's process id."""


class AttemptBook:
    """Notes, line by line, where attempts of one file begin."""

    __slots__ = (
        "_after_job",
        "_agents",
        "_begun",
        "_came_again",
        "_counts",
        "_ended",
        "_failures",
        "_first_steps",
        "_further",
        "_head",
        "_head_open",
        "_job",
        "_job_at",
        "_jobs",
        "_lived",
        "_restarts",
        "_watches",
        "watching",
    )

    def __init__(self) -> None:
        """Begin in the first attempt."""
        self.watching = 0
        self._begun: List[Begun] = []
        self._restarts = 0
        self._lived = False
        """Whether a step or an end was seen since the attempt began."""
        self._counts = False
        self._ended: Optional[object] = None
        """Whose end was seen last: a writer, or the book itself if it is everybody's."""
        self._further = 0
        self._watches = 0
        self._head: Dict[Tuple[object, str], int] = {}
        self._head_open = True
        self._first_steps: Dict[object, int] = {}
        self._came_again: List[Tuple[object, int, int]] = []
        self._agents: Dict[int, List[int]] = {}
        self._failures: Dict[Tuple[Optional[str], int], Tuple[int, Optional[int]]] = {}
        """Agents to the last line that tells of a failed process, and its id."""
        self._jobs: Set[Job] = set()
        self._job: Optional[Job] = None
        self._job_at = 0
        self._after_job: Optional[int] = None

    def close(self) -> None:
        """End the file: only where attempts begin matters from now on."""
        self._head, self._first_steps, self._came_again = {}, {}, []
        self._ended = None

    def passed(self) -> None:
        """Count one more row of the file."""
        if self.watching:
            self.watching -= 1

    def end(self, owner: object, number: int, told: bool) -> None:
        """Note the end of a process: told by a launcher, or an exception of its writer's own."""
        if self._begun and number < self._begun[-1].number:
            return
        self._lived, self._head_open = True, False
        everybody = told or self._counts
        if self._ended is None:
            self._watches += 1
            self._came_again = []
        self._ended = self if everybody or self._ended is self else owner
        self._further = 0
        if self._watches < _MOST_WATCHES:
            self.watching = _WATCHED

    def step(self, owner: object, number: int, step: int) -> None:
        """Note a counter: its first values may come again, others show that the run goes on."""
        if self._counts and self._ended is None and owner in self._first_steps:
            return
        first = self._first_steps.setdefault(owner, step)
        if self._ended is not None and self._ended in (self, owner):
            if step <= first:
                self._come_again(owner, _COUNTER, number)
            else:
                self._further += 1
                if self._further > 1:
                    self._ended = None
        self._lived = self._counts = True

    def knows(self, owner: object, text: str) -> bool:
        """Tell whether a line of the file's beginning comes again."""
        if len(text) < _SHORTEST or text[0].isspace():
            return False
        return (owner, _DIGITS.sub("0", text.strip())) in self._head

    def line(self, owner: object, line: Line, named: bool) -> None:
        """Read an ordinary line; *named* tells whether its writer is known from others."""
        text = line.text
        if line.writer.source in ("launcher", "unknown") and self._read_restart(line, text):
            return
        self.job(line)
        if line.writer.source in ("kernel", "service", "scheduler"):
            return
        if len(text) < _SHORTEST or not (self._head or self._head_open):
            return
        key = (owner, _DIGITS.sub("0", text.strip()))
        if self._head_open and line.number <= _HEAD_LINES and not self._counts:
            self._head.setdefault(key, len(self._head))
        elif self._ended is None:
            # What a run also prints later on does not tell of its beginning.
            if self._counts:
                self._head.pop(key, None)
        elif key in self._head and (self._ended is self or (named and self._ended is owner)):
            self._come_again(owner, self._head[key], line.number)

    def _come_again(self, owner: object, place: int, number: int) -> None:
        """Two different ones of one writer, in their order, are a beginning."""
        self._came_again.append((owner, place, number))
        if any(other is owner and at < place for other, at, _ in self._came_again):
            self._begin(Begun(self._came_again[0][2], _AGAIN, 0))

    def _begin(self, begun: Begun) -> None:
        self._begun.append(begun)
        self._lived, self._counts, self._ended, self._came_again = False, False, None, []
        if begun.kind in (_NEW_AGENT, _NEW_JOB, _AGAIN):
            self._restarts = 0

    def _read_restart(self, line: Line, text: str) -> bool:
        if "restart_count=" in text:
            found = _RESTART_COUNT.match(text)
            if found:
                self._restarted(Begun(line.number, _RESTARTED, int(found.group(1))))
        elif "will restart worker group" in text:
            found = _ATTEMPTS_LEFT.search(text)
            if found:
                count = int(found.group(2)) - int(found.group(1)) + 1
                self._restarted(Begun(line.number, _MADE_KNOWN, count))
            elif self._lived:
                self._begin(Begun(line.number, _MADE_KNOWN, self._restarts))
        elif line.writer.source == "launcher" and line.pid is not None:
            self._meet_agent(line.number, line.pid)
            return False
        else:
            return False
        if line.pid is not None:
            self._agents.setdefault(line.pid, [line.number, 0])[1] = line.number
        return True

    def _restarted(self, begun: Begun) -> None:
        """Take a restart once, though it is made known first and every agent tells it."""
        last = self._begun[-1] if self._begun else None
        same = last is not None and last.value == begun.value == self._restarts
        if same and last is not None and (last.kind, begun.kind) == (_MADE_KNOWN, _RESTARTED):
            self._begun.pop()
            self._begin(begun)
        elif begun.value > self._restarts:
            self._restarts = begun.value
            self._begin(begun)

    def _meet_agent(self, number: int, pid: int) -> None:
        if pid in self._agents:
            self._agents[pid][1] = number
            return
        others = bool(self._agents)
        self._agents[pid] = [number, number]
        if others and self._lived:
            self._begin(Begun(number, _NEW_AGENT, pid))

    def failed(self, line: Line) -> None:
        """Note that an agent tells how its processes ended: it does so once in each attempt.

        It has waited for the others then, so that what follows is of the next attempt.
        """
        found = _FAILED.search(line.text) if line.writer.source == "launcher" else None
        if found is None or line.pid is None:
            return
        agent, process = (line.writer.host, line.pid), int(found.group(1))
        number, before = self._failures.get(agent, (line.number, process))
        latest = max((at for at, _ in self._failures.values()), default=number)
        begun = self._begun[-1].number if self._begun else 0
        if process != before and begun <= number:
            self._begun.append(Begun(latest + 1, _FAILED_AGAIN, line.pid))
        self._failures[agent] = line.number, process

    def job(self, line: Line) -> None:
        """Read the ids of Slurm's jobs and steps."""
        text, source = line.text, line.writer.source
        hinted = source != "rank" and any(hint in text for hint in _JOB_HINTS)
        found = _JOB.search(text) if hinted else None
        if found is None:
            if self._job and self._after_job is None and source != "scheduler" and text.strip():
                self._after_job = line.number
            return
        job = (found.group(1), found.group(2))
        known = self._job
        if known is not None and _are_other_jobs(known, job) and not self._seen_job(job):
            begins = line.number if text.startswith("srun: ") else self._after_job
            last = self._begun[-1].number if self._begun else 0
            if begins is not None and last < self._job_at:
                lived = self._lived and begins < line.number
                self._begin(Begun(begins, _NEW_JOB, 0))
                self._lived = lived
        elif known is not None and _are_other_jobs(known, job):
            # Steps that run beside each other are one attempt.
            self._begun = [one for one in self._begun if one.kind != _NEW_JOB]
        self._jobs.add(job)
        self._job, self._job_at, self._after_job = job, line.number, None

    @property
    def jobs(self) -> Set[str]:
        """The ids of the jobs that are named."""
        return {job for job, _ in self._jobs}

    def _seen_job(self, job: Job) -> bool:
        return any(not _are_other_jobs(job, known) for known in self._jobs)

    def beginnings(self) -> List[Tuple[int, int]]:
        """List the first line and the number of each attempt; empty where there is only one."""
        begun = [one for one in self._begun if not self._runs_beside(one)]
        if not begun:
            return []
        found, attempt, launched = [(1, 0)], 0, 0
        for one in sorted(begun):
            if one.kind in (_MADE_KNOWN, _RESTARTED):
                attempt = max(attempt + 1, launched + one.value)
            elif one.kind == _FAILED_AGAIN:
                attempt += 1
            else:
                attempt = launched = attempt + 1
            found.append((one.number, attempt))
        return found

    def _runs_beside(self, one: Begun) -> bool:
        """Tell whether an agent that was there before wrote on after a new one had come."""
        return one.kind == _NEW_AGENT and any(
            first < one.number < last for first, last in self._agents.values()
        )


def _are_other_jobs(one: Job, other: Job) -> bool:
    return one[0] != other[0] or (None not in (one[1], other[1]) and one[1] != other[1])


def attempt_at(beginnings: List[Tuple[int, int]], number: int) -> Optional[int]:
    """Find the attempt of a line; None where nothing is known to have begun."""
    attempt = None
    for first, known in beginnings:
        if number < first:
            break
        attempt = known
    return attempt
