"""When a run that is watched has come to grief: news and the time enter; what is to be done leaves.

A silence beyond what the pace of the run explains is a stall. A shorter one is a reason to look at
the processes, if they are known: who is stuck in two looks is stuck, and who writes is given time.
"""

from typing import NamedTuple, Optional

from checker.match.pace import SHORTEST_SILENCE
from checker.watch.cadence import Cadence, silence_words
from checker.watch.messages import Heard

LOOK, CHECK, STALL, NONFINITE = "look", "check", "stall", "nonfinite"
STUCK, BUSY, IDLE = "stuck", "busy", "idle"
_LOOKS_APART = 60.0
# A line of trouble is looked at once nothing more comes, or after this time.
_QUIET, _LONGEST_TROUBLE = 5.0, 60.0
_FIRST_BACKOFF, _LAST_BACKOFF = 60.0, 1800.0
# Who works on without a step is called stalled after so many times the limit.
_MOST_PATIENCE = 6


class Demand(NamedTuple):
    """What is to be done now."""

    what: str
    """`look` at the processes, `check` the logs, or report a `stall` or a `nonfinite` loss."""
    text: str
    """Why, in words for a person."""
    silence: float
    """How long nothing came."""


class Watchman:
    """Knows the pace of one run, and what was done about it."""

    def __init__(
        self, began: float, fixed: Optional[float], *, has_processes: bool, from_logs: bool
    ) -> None:
        """Begin; *fixed* is the limit that a person gave.

        *from_logs* tells that only lines of logs can say that the run failed.
        """
        self.cadence = Cadence(began)
        self.finished = False
        """The run said that all its work is done."""
        self._fixed = fixed
        self._has_processes = has_processes
        self._from_logs = from_logs
        self._stalled = False
        self._nonfinite = ""
        self._told_nonfinite = False
        self._trouble: Optional[float] = None
        self._next_look = began
        self._stuck_before = ""
        self._busy_until = began
        self._next_check = began
        self._backoff = _FIRST_BACKOFF

    def hear(self, told: Heard, now: float) -> None:
        """Take news."""
        at, news = now - told.age, told.news
        if news.printed:
            self.cadence.line(at)
        for writer, step in news.steps:
            self.cadence.step(writer, at, step)
        if news.steps:
            self._stalled, self._stuck_before = False, ""
        self.finished = news.finished
        self._nonfinite = self._nonfinite or news.nonfinite
        if news.trouble and self._from_logs and self._trouble is None:
            self._trouble = now

    def forgive(self, seconds: float) -> None:
        """Take out a time in which the watch did not run."""
        self.cadence.forgive(seconds)

    def looked(self, found: str, text: str, now: float) -> Optional[Demand]:
        """Take what a look at the processes showed; twice stuck in a row is a stall."""
        self._next_look = now + (_LOOKS_APART if self._fixed is None else self._fixed / 4)
        silence = self.cadence.since_step(now)
        if found == BUSY:
            self._busy_until = now + 2 * _LOOKS_APART
        if found != STUCK:
            self._stuck_before = ""
            return None
        if self._stuck_before != text:
            # What it is called may change; that it was stuck before does not.
            again, self._stuck_before = bool(self._stuck_before), text
        else:
            again = True
        if not again or self._stalled or silence < self._worth_a_look():
            return None
        self._stalled = True
        words = silence_words(self.cadence.silence(now, self._fixed))
        return Demand(STALL, "{}; {}".format(words, text), silence)

    def checked(self, seconds: float, now: float) -> None:
        """Take note that the logs were checked for nothing, and how long that took."""
        self._trouble = None
        self._next_check = now + max(self._backoff, 20 * seconds)
        self._backoff = min(2 * self._backoff, _LAST_BACKOFF)

    def due(self, now: float) -> Optional[Demand]:
        """Tell what is to be done now, if anything is."""
        silence = self.cadence.silence(now, self._fixed)
        if self._nonfinite and not self._told_nonfinite:
            self._told_nonfinite = True
            text = "the loss is no finite number any more: " + self._nonfinite
            return Demand(NONFINITE, text, silence.seconds)
        if self._wants_check(now, silence.quiet):
            return Demand(CHECK, "the logs show a failure", silence.seconds)
        if self._is_stall(now):
            self._stalled = True
            return Demand(STALL, silence_words(silence), silence.seconds)
        if (
            self._has_processes
            and not self._stalled
            and now >= self._next_look
            and silence.seconds >= self._worth_a_look()
        ):
            self._next_look = now + _LOOKS_APART
            return Demand(LOOK, "", silence.seconds)
        return None

    def _worth_a_look(self) -> float:
        least = self.cadence.standstill()
        return least if self._fixed is None else min(least, self._fixed)

    def _is_stall(self, now: float) -> bool:
        silence = self.cadence.silence(now, self._fixed)
        if self._stalled or silence.seconds < silence.limit:
            return False
        works = self._fixed is None and now < self._busy_until
        return not works or silence.seconds >= _MOST_PATIENCE * silence.limit

    def _wants_check(self, now: float, quiet: float) -> bool:
        if self._trouble is None or now < self._next_check:
            return False
        return quiet >= _QUIET or now - self._trouble >= _LONGEST_TROUBLE

    def ended_well(self, now: float) -> bool:
        """Tell whether a run of which only the logs are known has ended, and said so."""
        return self.finished and self.cadence.silence(now).quiet >= SHORTEST_SILENCE
