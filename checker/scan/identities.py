"""What one file tells of who its processes are: lines enter; ids, ranks and devices are kept."""

from typing import Dict, Set, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import Line, Writer
from checker.scan.naming import Communicator, Process
from checker.scan.statements import Stated, read_statements

_NCCL_RANK = lazy_pattern(
    r"\brank (\d{1,7}) nranks (\d{1,7})(?: cudaDev (\d{1,4}))?(?: nvmlDev \d{1,4})?"
    r"(?: busId ([0-9a-f]{1,12}))?\b"
)
_MOST_STATED = 1024


class IdentityBook:
    """Collects the identities of one file."""

    def __init__(self, path: str) -> None:
        """Begin with nobody known."""
        self.path = path
        self.pids: Dict[int, Writer] = {}
        self.nccl: Dict[Process, Communicator] = {}
        self.stated: Set[Tuple[Writer, Stated]] = set()
        self.has_agent = False
        """Whether a launcher that starts the processes of a node writes in it."""

    def meet(self, line: Line, writer: Writer, by_agent: bool) -> None:
        """Note who writes a line."""
        self.has_agent = self.has_agent or by_agent
        if line.pid is not None and writer.source == "rank":
            self.pids.setdefault(line.pid, writer)

    def read(self, line: Line) -> None:
        """Read what a line says of its writer."""
        if "nranks" in line.text:
            self._join(line)
        if len(self.stated) < _MOST_STATED:
            self.stated.update((line.writer, stated) for stated in read_statements(line.text))

    def _join(self, line: Line) -> None:
        """Note the largest communicator of a process: only that can be the world."""
        found = _NCCL_RANK.search(line.text)
        if found is None or line.pid is None:
            return
        process = (line.writer.host, line.pid)
        rank, size, device, bus = found.groups()
        known = self.nccl.get(process)
        if known is None or int(size) >= known.size:
            self.nccl[process] = Communicator(
                int(size),
                int(rank),
                int(device) if device else None,
                bus_of_digits(bus) if bus else None,
                self.path,
                line.writer,
            )


def bus_of_digits(digits: str) -> str:
    """Write NCCL's bus id as `0000:9c:00`: it is domain, bus, device and function without marks."""
    digits = digits.rjust(9, "0")
    return "{}:{}:{}".format(digits[:-5][-4:], digits[-5:-3], digits[-3:-1])
