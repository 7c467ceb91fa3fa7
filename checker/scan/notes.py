"""What is remembered of one writer while a file is read, and after it."""

from collections import deque
from typing import Deque, Optional, Tuple

from checker.model import Moment, Writer
from checker.scan.metrics import MainBar
from checker.scan.own_output import OwnOutput
from checker.scan.samples import Room, SampleBook
from checker.scan.stacks import StackReader
from checker.scan.tracebacks import TracebackReader


class WriterNotes:
    """What is remembered of one writer of a file."""

    __slots__ = (
        "bar",
        "errors",
        "last_measured",
        "last_moment",
        "last_number",
        "last_ordinary",
        "last_step",
        "own",
        "recent",
        "samples",
        "seen_at",
        "stacks",
        "table",
        "tracebacks",
        "writer",
    )

    def __init__(self, writer: Writer, room: Room) -> None:
        """Begin with nothing seen."""
        self.writer = writer
        self.recent: Deque[str] = deque(maxlen=8)
        self.tracebacks = TracebackReader()
        self.stacks = StackReader()
        self.last_step: Optional[int] = None
        self.last_ordinary = 0
        """The last line that shows the process at work."""
        self.last_moment: Optional[Moment] = None
        self.last_number = 0
        self.errors = 0
        self.seen_at = 0
        """Which of the lines that were read closely is its last one, while a block is open."""
        self.samples = SampleBook(room)
        self.last_measured = 0
        self.table: Tuple[str, ...] = ()
        self.bar = MainBar()
        self.own = OwnOutput()
