"""What one file tells of who its processes are: lines enter; ids, ranks and devices are kept."""

from typing import Dict, List, Optional, Set, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import Line, Moment, SharedEvent, Tie, Writer
from checker.scan.cgroups import Victim, victim_of
from checker.scan.naming import Communicator, Process
from checker.scan.statements import Stated, read_statements

_NCCL_RANK = lazy_pattern(
    r"\brank (\d{1,7}) nranks (\d{1,7})(?: cudaDev (\d{1,4}))?(?: nvmlDev \d{1,4})?"
    r"(?: busId ([0-9a-f]{1,12}))?\b"
)
_COMMUNICATOR = lazy_pattern(r"\bcommId (0x[0-9a-f]{1,16}) - Init COMPLETE")
_MOST_STATED = 1024
_MOST_SHARED = 4
# Two clocks of a host whose distance changes more were set anew meanwhile.
_STEADY = 60.0


class IdentityBook:
    """Collects the identities of one file."""

    __slots__ = ("_ties", "has_agent", "nccl", "path", "pids", "shared", "stated", "victims")

    def __init__(self, path: str) -> None:
        """Begin with nobody known."""
        self.path = path
        self.pids: Dict[int, Writer] = {}
        self.nccl: Dict[Process, Communicator] = {}
        self.stated: Set[Tuple[Writer, Stated]] = set()
        self.has_agent = False
        """Whether a launcher that starts the processes of a node writes in it."""
        self.shared: List[SharedEvent] = []
        self.victims: Set[Victim] = set()
        self._ties: Dict[Tuple[Optional[str], str, str], Tie] = {}

    def meet(self, line: Line, writer: Writer, by_agent: bool) -> None:
        """Note who writes a line."""
        self.has_agent = self.has_agent or by_agent
        if line.pid is not None and writer.source == "rank":
            self.pids.setdefault(line.pid, writer)

    def tie(self, host: Optional[str], one: Moment, other: Moment) -> None:
        """Note how far two clocks are apart that one line shows.

        What collects lines adds its own time later, so that the least distance is the truest.
        """
        key = (host, one.clock, other.clock)
        known = self._ties.get(key)
        if known is None:
            self._ties[key] = Tie(host, one, other, 0.0)
            return
        gap, least = one.seconds - other.seconds, known.one.seconds - known.other.seconds
        if gap < least:
            self._ties[key] = Tie(host, one, other, known.spread + least - gap)
        elif gap > least + known.spread:
            self._ties[key] = known._replace(spread=gap - least)

    def ties(self) -> List[Tie]:
        """Hand over the clocks whose distance stayed the same."""
        return [self._ties[key] for key in self._ties if self._ties[key].spread <= _STEADY]

    def read(self, line: Line) -> None:
        """Read what a line says of its writer."""
        if "task_memcg=" in line.text and len(self.victims) < _MOST_STATED:
            victim = victim_of(line)
            if victim is not None:
                self.victims.add(victim)
        if "Rendezvous complete for workers" in line.text:
            self._share("rendezvous", str(line.writer.attempt), line)
        if "nranks" in line.text:
            self._join(line)
        if len(self.stated) < _MOST_STATED:
            self.stated.update((line.writer, stated) for stated in read_statements(line.text))

    def _join(self, line: Line) -> None:
        """Note the largest communicator of a process: only that can be the world."""
        found = _NCCL_RANK.search(line.text)
        if found is None or line.pid is None:
            return
        met = _COMMUNICATOR.search(line.text)
        if met is not None:
            self._share("communicator", met.group(1), line)
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

    def _share(self, kind: str, key: str, line: Line) -> None:
        if line.moment is not None and len(self.shared) < _MOST_SHARED:
            self.shared.append(SharedEvent(kind, key, line._replace(text="", shown="")))


def bus_of_digits(digits: str) -> str:
    """Write NCCL's bus id as `0000:9c:00`: it is domain, bus, device and function without marks."""
    digits = digits.rjust(9, "0")
    return "{}:{}:{}".format(digits[:-5][-4:], digits[-5:-3], digits[-3:-1])
