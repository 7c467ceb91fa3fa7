"""The output of a wrapped command: where its streams lead enters; how they are passed on leaves.

What is a file stays one: the command writes into it itself. A terminal is stood in for by a
terminal, a pipe by a pipe, so that the command buffers and colors as it would without the watch.
Both streams of one target share one, which keeps their order.
"""

import os
import stat
from typing import Dict, List, NamedTuple, Tuple

OUTPUT, ERRORS = 1, 2
STREAM_NAMES = {OUTPUT: "standard output", ERRORS: "standard error"}
_STREAM_PIECE = 65536
_KEPT_HEAD, _KEPT_TAIL = 131072, 4 << 20


class KeptOutput:
    """Keeps the beginning and the end of what a stream carried, in constant memory."""

    def __init__(self) -> None:
        """Begin empty."""
        self._head = bytearray()
        self._tail = bytearray()
        self.left_out = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        if not self._tail and len(self._head) < _KEPT_HEAD:
            self._head += data
            return
        self._tail += data
        if len(self._tail) > 2 * _KEPT_TAIL:
            cut = (
                self._tail.find(b"\n", len(self._tail) - _KEPT_TAIL) + 1
                or len(self._tail) - _KEPT_TAIL
            )
            self.left_out += cut
            del self._tail[:cut]

    def text(self) -> str:
        """Hand over what is kept; where something is left out, a line ends."""
        head = bytes(self._head)
        if self.left_out:
            head = head[: head.rfind(b"\n") + 1]
        return (head + bytes(self._tail)).decode("utf-8", "replace")


class Relay:
    """Passes on what the command writes to one target."""

    def __init__(self, name: str, source: int, target: int, terminal: bool) -> None:
        """Take the end that is read, and the stream that it goes to."""
        self.name = name
        self.source = source
        self.target = target
        self.terminal = terminal
        self.kept = KeptOutput()
        self.waiting = b""
        """Read, and not yet passed on."""
        self._sink = _unblocked(target)

    def read(self) -> bytes:
        """Read what there is; nothing at the end, when all who could write are gone."""
        try:
            data = os.read(self.source, _STREAM_PIECE)
        except BlockingIOError:
            return b""
        except OSError:  # A terminal's other side is closed.
            data = b""
        if not data:
            self.close()
        self.kept.add(data)
        self.waiting += data
        return data

    def pass_on(self) -> None:
        """Write as much as the target takes; a target that is gone ends the stream."""
        try:
            while self.waiting:
                self.waiting = self.waiting[os.write(self._sink, self.waiting[:4096]) :]
                if self._sink == self.target:
                    return
        except BlockingIOError:
            return
        except OSError:
            # Whoever writes into it learns so as it would without the watch.
            self.waiting = b""
            self.close()

    @property
    def sink(self) -> int:
        """The descriptor that is written to."""
        return self._sink

    @property
    def open(self) -> bool:
        """Whether more can come."""
        return self.source >= 0

    def close(self) -> None:
        """Let go of the source."""
        if self.source >= 0:
            os.close(self.source)
            self.source = -1


class Plan(NamedTuple):
    """How the streams of a command are passed on."""

    relays: Tuple[Relay, ...]
    writers: Dict[int, int]
    """What the command gets in place of its streams."""
    files: Tuple["OwnFile", ...]
    """Files that it writes into itself."""

    def resize(self) -> bool:
        """Give those that stand in for terminals their size; tell whether there are any."""
        terminals = [relay for relay in self.relays if relay.terminal and relay.open]
        for relay in terminals:
            copy_size(relay.target, relay.source)
        return bool(terminals)


class OwnFile(NamedTuple):
    """A file that standard output or error leads to."""

    stream: int
    path: str
    begin: int
    """Where the command's output begins in it."""

    @property
    def follow(self) -> str:
        """Name it so that it is found whatever becomes of its name."""
        link = "/proc/self/fd/{}".format(self.stream)
        return link if os.path.exists(link) else self.path


def plan_streams() -> Plan:
    """Look where standard output and error lead, and make what stands in for them."""
    relays: List[Relay] = []
    writers: Dict[int, int] = {}
    files: List[OwnFile] = []
    made: Dict[Tuple[int, int], int] = {}
    for stream in (OUTPUT, ERRORS):
        try:
            status = os.fstat(stream)
        except OSError:
            continue
        target = (status.st_dev, status.st_ino)
        if stat.S_ISREG(status.st_mode):
            if target not in made:
                made[target] = stream
                files.append(OwnFile(stream, _file_of(stream), status.st_size))
            continue
        if target in made:
            writers[stream] = made[target]
            first = next(relay for relay in relays if relay.target == OUTPUT)
            first.name = "output"
            continue
        terminal = os.isatty(stream)
        source, writer = _terminal_like(stream) if terminal else os.pipe()
        os.set_blocking(source, False)
        relays.append(Relay(STREAM_NAMES[stream], source, stream, terminal))
        writers[stream] = made[target] = writer
    return Plan(tuple(relays), writers, tuple(files))


def _file_of(stream: int) -> str:
    try:
        return os.readlink("/proc/self/fd/{}".format(stream))
    except OSError:
        return "/dev/fd/{}".format(stream)


def _unblocked(stream: int) -> int:
    """Open the target once more, so that writing does not wait and nobody else's writing changes.

    Where that is not possible, as for sockets, writing may wait.
    """
    flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY
    try:
        return os.open("/proc/self/fd/{}".format(stream), flags)
    except OSError:
        return stream


def _terminal_like(stream: int) -> Tuple[int, int]:
    """Open a terminal that passes bytes on unchanged: the real one translates them."""
    import termios  # noqa: PLC0415 - is not there on every system

    source, writer = os.openpty()
    try:
        modes = termios.tcgetattr(stream)
        modes[1] &= ~termios.OPOST
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(writer, termios.TCSANOW, modes)
    except termios.error:
        pass
    copy_size(stream, writer)
    return source, writer


def copy_size(terminal: int, other: int) -> None:
    """Give one terminal the size of another."""
    import fcntl  # noqa: PLC0415 - is not there on every system
    import termios  # noqa: PLC0415

    try:
        size = fcntl.ioctl(terminal, termios.TIOCGWINSZ, bytes(8))
        fcntl.ioctl(other, termios.TIOCSWINSZ, size)
    except OSError:
        pass
