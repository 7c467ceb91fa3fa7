"""How a run keeps time: the moments at which it told something enter; a silence leaves.

Steps come in an even beat, and now and then a pause is longer: the first step compiles, a
checkpoint is written, an evaluation prints nothing. So a silence is compared with the usual pause
and with the longest one, and never with one pause alone.
"""

from collections import deque
from typing import Deque, Dict, NamedTuple, Optional

from checker.match.pace import median_of, standstill
from checker.report.pace_text import duration_text

# A run that is silent for less is left alone, whatever its pace was: it may write its first
# checkpoint. NCCL gives up a collective after ten minutes, and then there is less to see.
SHORTEST_STALL = 300.0
# Before the first step a run loads, downloads and compiles.
LONGEST_START = 1800.0
# A pause may be so many times as long as the longest one before.
_LONGER = 3
# Who prints other lines, but no step, gets more time.
_TALKING = 6
_KEPT_PAUSES = 64
_FEWEST_TOLD = 3
_MOST_WRITERS = 1024


class Silence(NamedTuple):
    """How long a run told nothing, and what is usual for it."""

    seconds: float
    what: str
    """What did not come: `step`, or `line` where nothing counts steps."""
    usual: Optional[float]
    """The usual time from one to the next; None where nothing usual is known."""
    longest: float
    """The longest pause before; 0 where there was none."""
    limit: float
    """So long it could have been without being called a stall."""
    quiet: float
    """How long nothing at all was printed."""
    last_step: Optional[int]


class _Beat:
    """One writer's steps, or the lines of all."""

    def __init__(self) -> None:
        self.at: Optional[float] = None
        self.step: Optional[int] = None
        self.pauses: Deque[float] = deque(maxlen=_KEPT_PAUSES)
        self.per_step: Deque[float] = deque(maxlen=_KEPT_PAUSES)

    def told(self, at: float, step: int) -> bool:
        """Take a step; tell whether it is a new one."""
        if step == self.step:
            return False
        if self.at is not None and self.step is not None:
            self.pauses.append(at - self.at)
            if step > self.step:
                self.per_step.append((at - self.at) / (step - self.step))
        self.at, self.step = at, step
        return True


class Cadence:
    """Keeps the time of one run, in constant memory."""

    def __init__(self, began: float) -> None:
        """Begin with a run that told nothing yet."""
        self._began = began
        self._writers: Dict[str, _Beat] = {}
        self._lines = _Beat()
        self._count = 0
        self._first_step: Optional[float] = None
        self._last_step: Optional[float] = None
        self._last_line = began
        self._longest_step = 0.0
        self._longest_line = 0.0
        self._step: Optional[int] = None

    def line(self, at: float) -> None:
        """Take note that something was printed."""
        if not self._count:
            # What was there before the watch began may be old.
            self._began = min(at, self._began)
            self._last_line = self._began
        self._count += 1
        self._longest_line = max(self._longest_line, at - self._last_line)
        self._lines.told(at, self._count)
        self._last_line = max(at, self._last_line)

    def step(self, writer: str, at: float, step: int) -> None:
        """Take note of a step that a writer told."""
        beat = self._writers.get(writer)
        if beat is None:
            if len(self._writers) >= _MOST_WRITERS:
                return
            beat = self._writers[writer] = _Beat()
        if not beat.told(at, step):
            return
        if self._last_step is None:
            self._first_step = at
        else:
            self._longest_step = max(self._longest_step, at - self._last_step)
        self._last_step, self._step = at, step

    def forgive(self, seconds: float) -> None:
        """Take out a time in which the watch itself did not run, and so perhaps the run neither."""
        self._last_line += seconds
        for beat in (self._lines, *self._writers.values()):
            if beat.at is not None:
                beat.at += seconds
        if self._last_step is not None:
            self._last_step += seconds

    def since_step(self, now: float) -> float:
        """Tell how long nothing was heard: no step, or no line where nobody counts."""
        return now - (self._last_line if self._last_step is None else self._last_step)

    def standstill(self) -> float:
        """Tell from when on a silence is worth a look at the processes."""
        if self._last_step is None:
            return standstill(0.0)
        return max(standstill(self._usual_pause() or 0.0), self._longest_step)

    def silence(self, now: float, fixed: Optional[float] = None) -> Silence:
        """Tell how long nothing came; *fixed* is a limit that a person gave."""
        counts = self._last_step is not None
        seconds, quiet = self.since_step(now), now - self._last_line
        limit = fixed if fixed is not None else self._limit()
        if fixed is None and counts and quiet < seconds and quiet < limit:
            limit *= _TALKING
        return Silence(
            seconds,
            "step" if counts else "line",
            self._usual() if counts else _median(self._lines.pauses),
            self._longest_step if counts else self._longest_line,
            limit,
            quiet,
            self._step,
        )

    def _limit(self) -> float:
        if self._last_step is None:
            return max(LONGEST_START, _LONGER * self._longest_line)
        start = (self._first_step or self._began) - self._began
        usual = standstill(self._usual_pause() or 0.0)
        return max(SHORTEST_STALL, usual, _LONGER * self._longest_step, start)

    def _usual_pause(self) -> Optional[float]:
        told = (_median(beat.pauses) for beat in self._writers.values())
        return min(filter(None, told), default=None)

    def _usual(self) -> Optional[float]:
        told = (_median(beat.per_step) for beat in self._writers.values())
        return min(filter(None, told), default=None)


def _median(pauses: Deque[float]) -> Optional[float]:
    return median_of(pauses) if len(pauses) >= _FEWEST_TOLD else None


def silence_words(silence: Silence) -> str:
    """Say how it was decided that a run stands still."""
    parts = ["no {} for {}".format(silence.what, duration_text(silence.seconds))]
    if silence.quiet < silence.seconds - 1:
        parts[0] += ", the last line of any kind came {} ago".format(duration_text(silence.quiet))
    if silence.usual is not None:
        parts.append("{}s came every {}".format(silence.what, duration_text(silence.usual)))
    if silence.longest:
        parts.append("the longest pause so far was {}".format(duration_text(silence.longest)))
    text = parts[0]
    if parts[1:]:
        text += "; " + ", ".join(parts[1:])
    return text
