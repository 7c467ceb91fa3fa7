"""What NCCL's RAS service prints of the ranks of a job: its answers enter, `CollectiveNote`s leave.

The texts are those of NCCL 2.24 to 2.30 (`src/ras/client_support.cc`). A number of a rank is that
of its communicator, so that only a communicator of all GPUs tells of ranks of the run.
"""

from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from checker.collective.records import RAS, Call, CollectiveNote, Telling
from checker.lazy_patterns import lazy_pattern
from checker.model import Line, Moment, Writer
from checker.scan.moments import days_since_epoch
from checker.scan.places import Place

RAS_ASKED = "asked at {} UTC"
"""Stands above each answer that the checker got itself."""
MOST_OF_RAS = 4 << 20
_MOST_ANSWERS = 64
_RAS_HEAD = lazy_pattern(
    rb"(?:asked at [\d :-]{19} UTC\r?\n)?"
    rb"NCCL version [^\n]{1,80} compiled with CUDA [\d.]{1,12}\r?\n"
    rb"CUDA runtime version \d{1,9}, driver version \d{1,9}\r?\n"
)
_ASKED_AT = lazy_pattern(r"asked at (\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d) UTC$")
_TOTALS = lazy_pattern(r" *\d{1,7} +\d{1,9} +\d{1,9} +(\d{1,9}) +(\d{1,7})$")
_GROUP_ROW = lazy_pattern(r" *(\d{1,5}) +\d{1,8} +\d{1,8} +[\d-]{1,9} +(\d{1,8}) +\d{1,8} +[A-Z]")
_RAS_PART = lazy_pattern(r"#(\d{1,5})-\d{1,8} \(([0-9a-f]{16})\) ([A-Z]{1,12})$")
_DIFFER = lazy_pattern(r"  Communicator ranks have different (\w{1,40}) operation counts$")
_RAS_MANY = lazy_pattern(
    r"  \d{1,8} ranks have (?:launched up to operation (\d{1,19})|not launched any operations)"
)
_RAS_ALONE = lazy_pattern(
    r"  Rank (\d{1,7}) has (?:launched up to operation (\d{1,19})|not launched any operations) --"
)
_RAS_RANK = lazy_pattern(r"  Rank (\d{1,7}) --(.*)")
_RAS_PROCESS = lazy_pattern(r"[Pp]rocess (\d{1,10}) on node (\S{1,80})")

_Counts = Dict[Tuple[str, str], Dict[int, int]]
"""Communicator and operation to ranks that are told one by one, and what each has launched."""


class _Answer(NamedTuple):
    """One answer of the service."""

    asked: Optional[float]
    """When, in seconds since 1970, where that is told."""
    counts: _Counts
    most: Dict[Tuple[str, str], int]
    """What the largest part of the ranks has launched."""
    lost: Set[int]
    """Ranks without data, whose process is considered dead."""
    rows: Dict[int, Tuple[int, str]]
    """Ranks to the row that tells of each."""


def is_ras_answer(head: bytes) -> bool:
    """Tell by its beginning."""
    return _RAS_HEAD.match(head) is not None


def ras_notes(text: str, path: str, place: Place) -> List[CollectiveNote]:
    """Read one answer or several; each rank is told as the last one has it."""
    answers = [_read_answer(rows) for rows in _answers_in(text)]
    if not answers:
        return []
    last, before = answers[-1], answers[:-1]
    told: Dict[int, Telling] = {
        rank: Telling(rank, other=True, unreachable=True) for rank in sorted(last.lost)
    }
    for key, ranks in sorted(last.counts.items()):
        most = last.most.get(key)
        for rank, count in sorted(ranks.items()):
            if most is not None and count < most and rank not in told:
                still = _stood_for(key, rank, last, before)
                call = Call(most, key[1])
                told[rank] = Telling(rank, other=True, enqueued=count, most=call, still=still)
    return [
        CollectiveNote(_line_of(*last.rows[rank], path, place, last.asked), RAS, "", (one,))
        for rank, one in told.items()
    ]


def _answers_in(text: str) -> Iterator[List[Tuple[int, str]]]:
    rows: List[Tuple[int, str]] = []
    answers = 0
    for number, row in enumerate(text.replace("\r", "").split("\n"), 1):
        begins = row.startswith("NCCL version ") and not (rows and _ASKED_AT.match(rows[-1][1]))
        if (begins or _ASKED_AT.match(row)) and rows:
            yield rows
            rows, answers = [], answers + 1
            if answers >= _MOST_ANSWERS:
                return
        rows.append((number, row))
    if rows:
        yield rows


class _AnswerReader:
    """Reads one answer row by row."""

    def __init__(self) -> None:
        self.told = _Answer(None, {}, {}, set(), {})
        self._gpus = ""
        self._whole: Set[str] = set()
        """Groups of communicators that hold all GPUs."""
        self._part = self._kind = self._op = ""
        self._many: Optional[int] = None
        self._dead: Set[Tuple[str, str]] = set()

    def read(self, number: int, row: str) -> None:
        """Take the next row."""
        if not row.startswith("  ") or row.startswith("   "):
            self._read_head(row)
        elif self._kind == "DEAD":
            found = _RAS_PROCESS.search(row)
            self._dead.update([] if found is None else [found.groups()])  # type: ignore[list-item]
        elif self._part and self._kind == "INCOMPLETE":
            self._read_missing(number, row)
        elif self._part and self._kind == "MISMATCH":
            self._read_counts(number, row)

    def _read_head(self, row: str) -> None:
        totals, group, part = _TOTALS.match(row), _GROUP_ROW.match(row), _RAS_PART.match(row)
        if totals is not None and not self._gpus:
            self._gpus = totals.group(2)
        elif group is not None and group.group(2) == self._gpus:
            self._whole.add(group.group(1))
        elif part is not None:
            number, name, self._kind = part.groups()
            self._part = name if number in self._whole else ""
            self._op, self._many = "", None
        elif row.strip():
            self._part, self._kind = "", row.strip()

    def _read_missing(self, number: int, row: str) -> None:
        rank, process = _RAS_RANK.match(row), _RAS_PROCESS.search(row)
        if rank is not None and process is not None and process.groups() in self._dead:
            self.told.lost.add(int(rank.group(1)))
            self.told.rows[int(rank.group(1))] = (number, row)

    def _read_counts(self, number: int, row: str) -> None:
        differ, many = _DIFFER.match(row), _RAS_MANY.match(row)
        alone, one = _RAS_ALONE.match(row), _RAS_RANK.match(row)
        key = (self._part, self._op)
        if differ is not None:
            self._op, self._many = differ.group(1), None
        elif many is not None:
            self._many = int(many.group(1) or 0)
            # The most frequent count comes first.
            self.told.most.setdefault(key, self._many)
        elif alone is not None:
            self._add(key, int(alone.group(1)), int(alone.group(2) or 0), (number, row))
        elif one is not None and self._many is not None:
            self._add(key, int(one.group(1)), self._many, (number, row))

    def _add(self, key: Tuple[str, str], rank: int, count: int, place: Tuple[int, str]) -> None:
        self.told.counts.setdefault(key, {})[rank] = count
        self.told.rows.setdefault(rank, place)


def _read_answer(rows: Iterable[Tuple[int, str]]) -> _Answer:
    reader = _AnswerReader()
    asked: Optional[float] = None
    for number, row in rows:
        when = _ASKED_AT.match(row)
        if when is not None:
            asked = _seconds_of_date([int(part) for part in when.groups()])
        else:
            reader.read(number, row)
    return reader.told._replace(asked=asked)


def _seconds_of_date(parts: Sequence[int]) -> float:
    year, month, day, hour, minute, second = parts
    return days_since_epoch(year, month, day) * 86400.0 + hour * 3600 + minute * 60 + second


def _stood_for(
    key: Tuple[str, str], rank: int, last: _Answer, before: Sequence[_Answer]
) -> Optional[float]:
    """Tell for how long the counts of a rank and of most others are known not to have moved."""
    since: Optional[float] = None
    for answer in reversed(before):
        same = (answer.counts.get(key, {}).get(rank), answer.most.get(key)) == (
            last.counts[key][rank],
            last.most[key],
        )
        if not same or answer.asked is None:
            break
        since = answer.asked
    return None if since is None or last.asked is None else last.asked - since


def _line_of(number: int, row: str, path: str, place: Place, asked: Optional[float]) -> Line:
    writer = Writer("service", None, None, place.host, place.attempt)
    moment = None if asked is None else Moment(asked, "utc", 1.0)
    return Line(path, number, row.strip(), row, writer, None, moment, None)
