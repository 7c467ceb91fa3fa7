"""A command that runs under the watch: its words enter; its end and its signals are its own.

It stays in the process group of the terminal, so that Ctrl-C, Ctrl-Z and a lost line reach it as
they would without the watch. A signal that somebody sends to the watch alone is passed on. Which
is which is told by a witness: a process of the same group that does nothing but say what it got.
"""

import errno
import os
import signal
import time
from typing import Dict, FrozenSet, Iterable, List, NamedTuple, NoReturn, Optional, Sequence

from checker.watch.streams import Plan

NOT_FOUND, NOT_RUN = 127, 126
_PASSED_ON = (
    *("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGABRT"),
    *("SIGCONT", "SIGTSTP", "SIGWINCH", "SIGIO", "SIGPWR", "SIGXCPU", "SIGVTALRM"),
)
_ENDING = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM")
# What goes to the whole group reaches both within this time.
_WITNESS_SECONDS = 0.5


class CommandEnd(NamedTuple):
    """How the command ended."""

    status: int
    """Its exit status, or the number of a signal with a minus."""
    refused: str
    """Why it could not be started."""


class WrappedCommand:
    """The command and the witness; the caller waits for its descriptors."""

    def __init__(self, words: Sequence[str], plan: Plan) -> None:
        """Start both."""
        caught = [number for number in _passed_on() if signal.getsignal(number) != signal.SIG_IGN]
        self.signals, mine = os.pipe()
        os.set_blocking(mine, False)
        os.set_blocking(self.signals, False)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, caught)
        self.witness, self._lives = _start_witness(caught)
        os.set_blocking(self.witness, False)
        self._failure, told = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _become_command(words, plan, told, caught, before)
        os.close(told)
        for writer in set(plan.writers.values()):
            os.close(writer)
        signal.set_wakeup_fd(mine, warn_on_full_buffer=False)
        for number in [*caught, signal.SIGCHLD]:
            signal.signal(number, _wake)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.end: Optional[CommandEnd] = None
        self.stopped = False
        """Job control stopped it, and the watch has to stop as well."""
        self._got: Dict[int, float] = {}
        self._seen: Dict[int, float] = {}

    def hear(self) -> List[int]:
        """Read which signals came; those of the watch are passed on by `due`."""
        now = time.monotonic()
        for number in _bytes_of(self.witness):
            self._seen[number] = now
        heard = [number for number in _bytes_of(self.signals) if number != signal.SIGCHLD]
        for number in heard:
            self._got.setdefault(number, now)
        return heard

    def pass_on(self) -> Optional[float]:
        """Send on what came to the watch alone; tell how long to wait for the witness."""
        now = time.monotonic()
        for number, at in list(self._got.items()):
            seen = self._seen.get(number)
            if seen is not None and abs(seen - at) < _WITNESS_SECONDS:
                del self._got[number]
            elif now - at >= _WITNESS_SECONDS:
                del self._got[number]
                self.send(number)
        return min((at + _WITNESS_SECONDS - now for at in self._got.values()), default=None)

    def send(self, number: int) -> None:
        """Send a signal to the command, if it still runs."""
        if self.end is None:
            try:  # noqa: SIM105 - what it would need costs every start
                os.kill(self.pid, number)
            except OSError:
                pass

    def look(self) -> Dict[int, int]:
        """See whether it stopped or ended; other children are told with their wait status."""
        others: Dict[int, int] = {}
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                return others
            if not pid:
                return others
            if pid != self.pid:
                others[pid] = status
            elif os.WIFSTOPPED(status):
                if os.WSTOPSIG(status) in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
                    self.stopped = True
            else:
                self.end = self._ended(status)

    def _ended(self, status: int) -> CommandEnd:
        told = os.read(self._failure, 16)
        if not told:
            return CommandEnd(wait_status(status), "")
        missing = int(told) in (errno.ENOENT, errno.ENOTDIR)
        return CommandEnd(NOT_FOUND if missing else NOT_RUN, os.strerror(int(told)).lower())


def wait_status(status: int) -> int:
    """Turn what the kernel says of an end into a status, or a signal with a minus."""
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def ending_signals() -> FrozenSet[int]:
    """List the signals by which somebody ends a program."""
    return frozenset(int(getattr(signal, name)) for name in _ENDING if hasattr(signal, name))


def _passed_on() -> List[int]:
    return [int(getattr(signal, name)) for name in _PASSED_ON if hasattr(signal, name)]


def _wake(number: int, frame: object) -> None:
    """Only the byte in the pipe matters."""


def _bytes_of(pipe: int) -> bytes:
    try:
        return os.read(pipe, 4096)
    except BlockingIOError:
        return b""


def _start_witness(caught: Sequence[int]) -> "tuple[int, int]":
    told, mine = os.pipe()
    ends, lives = os.pipe()
    if os.fork():
        os.close(mine)
        os.close(ends)
        return told, lives
    try:
        os.close(lives)
        keep_only(frozenset((mine, ends)))
        os.set_blocking(mine, False)
        signal.set_wakeup_fd(mine, warn_on_full_buffer=False)
        for number in caught:
            signal.signal(number, _wake)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, caught)
        while os.read(ends, 1):
            pass
    finally:
        os._exit(0)


def keep_only(kept: FrozenSet[int]) -> None:
    """Hold no pipe and no terminal of anybody, who may wait for its end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        if stream not in kept:
            os.dup2(nothing, stream)
    for number in range(3, 256):
        if number not in kept:
            try:  # noqa: SIM105 - what it would need costs every start
                os.close(number)
            except OSError:
                pass


def _become_command(
    words: Sequence[str],
    plan: Plan,
    told: int,
    caught: Sequence[int],
    mask: Iterable[int],
) -> NoReturn:
    try:
        for stream, writer in plan.writers.items():
            os.dup2(writer, stream)
        # Python ignores these for itself.
        for number in (*caught, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.write(told, str(_run(words)).encode("ascii"))
    finally:
        os._exit(NOT_RUN)


def _run(words: Sequence[str]) -> int:
    """Become the command; return why that is not possible."""
    try:
        os.execvp(words[0], list(words))
    except OSError as error:
        if error.errno == errno.ENOEXEC:
            os.execv("/bin/sh", ["/bin/sh", *words])
        return error.errno or errno.ENOENT


def end_like(status: int) -> None:
    """End as a command did that a signal ended."""
    import resource  # noqa: PLC0415 - is not there on every system

    # The command left its core already; this one would take its place.
    resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
    number = -status
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)
