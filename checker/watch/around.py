"""The loop around a command: its output is passed on, its signals and its end stay its own."""

import os
import select
import signal
import time
from typing import Dict, Optional, Set

from checker.watch.beats import BeatReader
from checker.watch.messages import Heard
from checker.watch.post import Post
from checker.watch.reporting import FAILURE, RunEvent
from checker.watch.streams import Plan, Relay
from checker.watch.wrapped import CommandEnd, WrappedCommand, ending_signals

_TICK = 1.0
_READ_EVERY = 0.5
_MOST_UNREAD = 262144
# What the command left behind may still print; so long after its end, nobody waits for it.
_SECONDS_OF_REST = 2.0
# An end so long after a signal was sent is what somebody wanted.
_OUTSIDE_SECONDS = 600.0


class _Reading:
    """Understands what a relay passes on, without holding it up."""

    def __init__(self, relay: Relay) -> None:
        self.relay = relay
        self._reader = BeatReader()
        self._unread = b""

    def take(self, data: bytes) -> None:
        self._unread += data
        if len(self._unread) > _MOST_UNREAD:
            cut = self._unread.find(b"\n", len(self._unread) - _MOST_UNREAD // 2) + 1
            self._unread = self._unread[cut:]

    def told(self) -> Optional[Heard]:
        """Say what came since the last time."""
        data, self._unread = self._unread, b""
        return Heard(self._reader.feed(data), 0.0, len(data)) if data else None


class Wrapping:
    """The loop around a command."""

    def __init__(self, command: WrappedCommand, plan: Plan, post: Post) -> None:
        self._command = command
        self._plan = plan
        self._post = post
        self._readings = [_Reading(relay) for relay in plan.relays]
        self._read_at = 0.0
        self._outside = -_OUTSIDE_SECONDS
        self._ending = ending_signals()
        post.texts = self._texts

    def run(self) -> CommandEnd:
        """Go on until the command has ended, all is passed on and reported."""
        end: Optional[CommandEnd] = None
        last_output = time.monotonic()
        reported = False
        while True:
            if self._turn(end is not None):
                last_output = time.monotonic()
            if end is None:
                end = self._command.end
                last_output = time.monotonic()
                continue
            if self._passing_on() and time.monotonic() - last_output < _SECONDS_OF_REST:
                continue
            if not reported:
                reported = True
                self._understand(0.0)
                self._note_end(end)
            if not self._post.busy:
                return end

    def _passing_on(self) -> bool:
        return any(relay.open or relay.waiting for relay in self._plan.relays)

    def _turn(self, ended: bool) -> bool:
        """Wait for what comes next, and do it; tell whether there was output."""
        command, post = self._command, self._post
        wait = command.pass_on()
        wanted = min(_TICK if not ended else _TICK / 10, _TICK if wait is None else max(0.0, wait))
        poll = select.poll()
        for pipe in (command.signals, command.witness, post.news):
            if pipe >= 0:
                poll.register(pipe, select.POLLIN)
        for relay in self._plan.relays:
            if relay.waiting:
                poll.register(relay.sink, select.POLLOUT)
            elif relay.open:
                poll.register(relay.source, select.POLLIN)
        ready = {number for number, _ in poll.poll(wanted * 1000)}
        came = self._pass_output(ready)
        self._hear()
        try:
            post.woke(wanted)
            if post.news in ready:
                post.read_news()
            self._understand(_READ_EVERY)
            post.tick()
        except Exception as error:
            # A defect of the watch is no reason to end a run: it goes on unwatched.
            post.retire("{}: {}".format(type(error).__name__, error))
        return came

    def _pass_output(self, ready: Set[int]) -> bool:
        came = False
        for reading in self._readings:
            relay = reading.relay
            if relay.open and relay.source in ready:
                data = relay.read()
                came = came or bool(data)
                reading.take(data)
            if relay.waiting:
                relay.pass_on()
        return came

    def _hear(self) -> None:
        command = self._command
        for number in command.hear():
            if number == signal.SIGWINCH and self._plan.resize():
                # When the terminal told it, those that stand in had the size of before.
                command.send(signal.SIGWINCH)
            if number in self._ending and command.end is not None:
                self._post.give_up()
            if number in self._ending:
                self._outside = time.monotonic()
        self._post.reaped(command.look())
        if command.stopped:
            command.stopped = False
            os.kill(os.getpid(), signal.SIGSTOP)

    def _understand(self, every: float) -> None:
        now = time.monotonic()
        if now - self._read_at < every:
            return
        self._read_at = now
        for reading in self._readings:
            told = reading.told()
            if told is not None:
                self._post.watchman.hear(told, now)

    def _texts(self) -> Dict[str, str]:
        """Hand over what passed; only a report asks for it."""
        texts: Dict[str, str] = {}
        for relay in self._plan.relays:
            texts["{} of the command".format(relay.name)] = relay.kept.text()
        ended = _shell_words(self._command)
        if ended:
            texts["shell"] = ended
        return {name: text for name, text in texts.items() if text}

    def _note_end(self, end: CommandEnd) -> None:
        """Report a failure; what somebody ended from outside is none."""
        outside = time.monotonic() - self._outside < _OUTSIDE_SECONDS
        # Who reads the output may leave early.
        outside = outside or end.status == -signal.SIGPIPE
        self._post.scene = self._post.scene._replace(pid=None)
        if end.status and not end.refused and not outside:
            self._post.report(RunEvent(FAILURE, _end_words(end), 0.0))


def _shell_words(command: WrappedCommand) -> str:
    """Tell of an end by a signal as the shell would, which the watch stands in for."""
    end = command.end
    if end is None or end.status >= 0:
        return ""
    words = {9: "Killed", 6: "Aborted", 11: "Segmentation fault", 7: "Bus error"}
    word = words.get(-end.status, "")
    return "{} {}\n".format(command.pid, word) if word else ""


def _end_words(end: CommandEnd) -> str:
    if end.status > 0:
        return "the command ended with exit status {}".format(end.status)
    return "the command was ended by {}".format(signal.Signals(-end.status).name)
