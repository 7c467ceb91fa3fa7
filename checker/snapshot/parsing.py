"""The form of a snapshot, read: blocks of bytes enter; what each section holds leaves.

A snapshot comes from anywhere: nothing in it is believed to be of the right type or size, names in
it are shown and never opened, and what is damaged ends the reading with a remark.
"""

import json
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, NoReturn, Optional, Tuple, Union

from checker.collective.dumps import LONGEST_EXCERPT
from checker.fact_kind import FactKind
from checker.facts import fact_kinds
from checker.lazy_patterns import lazy_pattern
from checker.model import Fact, Input, Line, Moment, PartBegin, Writer
from checker.scan.samples import Gap
from checker.snapshot.excerpts import KeptLog
from checker.snapshot.form import CLOCK_NAMES, FORM_VERSION, SNAPSHOT_KEY

_BEGINNING = lazy_pattern(rb'\{"trainwreck_snapshot": ?(\d{1,9})[,}]')
_HOST_NAME = lazy_pattern(r"[^A-Za-z0-9._-]")
_LONGEST_LINE = 4 << 20
_LONGEST_NAME, _LONGEST_TEXT = 4096, 65536
_MOST_ITEMS = 4096
_LARGEST_COUNT = 1 << 62
# Of one section.
_MOST_FACTS, _MOST_TOLD_PROCESSES, _MOST_INPUTS = 65536, 16384, 65536
_MOST_KEPT_ROWS, _MOST_KEPT_TEXT = 262144, 16 << 20
_MOST_SECTIONS = 65536


class Section(NamedTuple):
    """The head of what one machine tells."""

    host: Optional[str]
    label: str
    """What its logs are named by: the host, with a number if there are several of it."""
    taken: str
    """When, as it is shown."""
    world_size: Optional[int]
    boot: str
    """Tells one life of the machine from others."""
    clock: Tuple[Tuple[str, float], ...]
    """What its clocks showed."""


class KeptExcerpt(NamedTuple):
    """A log as it was kept, with its files."""

    section: Section
    log: KeptLog
    files: Tuple[Input, ...]
    probed: bool


class KeptInput(NamedTuple):
    """What was asked to be read, and is no log of which something is kept."""

    section: Section
    given: Input


class KeptMachine(NamedTuple):
    """What was seen of a machine and of its processes."""

    section: Section
    facts: Tuple[Fact, ...]
    processes: Tuple[Tuple[int, int], ...]
    """Process ids and ranks."""


KeptThing = Union[KeptExcerpt, KeptInput, KeptMachine]


def kept_name(kept: KeptThing) -> str:
    """Name what is kept as its machine does; what was seen of the machine has no name."""
    if isinstance(kept, KeptMachine):
        return ""
    return kept.log.path if isinstance(kept, KeptExcerpt) else kept.given.path


class _DamageError(Exception):
    """What is read is no snapshot any more."""


def snapshot_version(first: bytes) -> Optional[int]:
    """Tell by its beginning whether something is a snapshot, and of which form."""
    found = _BEGINNING.match(first)
    return int(found.group(1)) if found else None


def kept_in(blocks: Iterator[bytes], remarks: List[str]) -> Iterator[KeptThing]:
    """Read sections, one after another; what was read before damage counts."""
    reader = _Reader()
    try:
        for line in _form_lines(blocks):
            yield from reader.take(_record_of(line))
        yield from reader.rest()
        if reader.is_open:
            remarks.append("cut snapshot, read to where it is cut")
    except _DamageError as error:
        yield from reader.rest()
        remarks.append(str(error))


def _form_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        yield from (line for line in lines if line)
        if len(rest) > _LONGEST_LINE:
            raise _DamageError("damaged snapshot, read up to a line that is too long")
    if rest:
        raise _DamageError("cut snapshot, read to where it is cut")


def _record_of(line: bytes) -> Dict[str, Any]:
    try:
        # Old Pythons take minutes for a number of a million digits.
        record = json.loads(
            line.decode("utf-8", "replace"),
            parse_int=_small_number,
            parse_float=_small_fraction,
            parse_constant=_no_number,
        )
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise _DamageError("damaged snapshot, read up to the damage")
    return record


def _small_number(text: str) -> int:
    if len(text) > 20:
        raise ValueError(text[:20])
    return int(text)


def _small_fraction(text: str) -> float:
    value = float(text[:400])
    if not -1e300 < value < 1e300:
        raise ValueError(text[:20])
    return value


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


class _Reader:
    """Puts the records of sections together."""

    def __init__(self) -> None:
        self.is_open = False
        """Whether a section goes on."""
        self._section = Section(None, "", "", None, "", ())
        self._sections = 0
        self._hosts: Dict[str, int] = {}
        self._facts: List[Fact] = []
        self._processes: List[Tuple[int, int]] = []
        self._inputs = 0
        self._log: Optional[KeptExcerpt] = None
        self._rows: List[Tuple[int, str]] = []
        self._size = 0
        self._told = False
        self._kinds = fact_kinds()

    def take(self, record: Dict[str, Any]) -> Iterator[KeptThing]:
        """Take the next record; hand over what is complete."""
        if SNAPSHOT_KEY in record:
            yield from self.rest()
            self._begin(record)
            return
        if not self.is_open:
            raise _DamageError("damaged snapshot, read up to the damage")
        if "at" in record:
            self._take_rows(record)
            return
        if "fact" in record or "process" in record:
            self._take_fact(record)
            return
        yield from self.rest()
        if "log" in record:
            self._log = _excerpt_of(record, self._section)
        elif "input" in record:
            self._inputs += 1
            _require(self._inputs <= _MOST_INPUTS)
            yield KeptInput(self._section, _kept_input(record["input"]))
        elif "end" in record:
            self.is_open = False

    def rest(self) -> Iterator[KeptThing]:
        """Hand over what was begun."""
        if self.is_open and not self._told:
            self._told = True
            yield KeptMachine(self._section, tuple(self._facts), tuple(self._processes))
            self._facts, self._processes = [], []
        log, self._log = self._log, None
        if log is not None:
            rows, self._rows, self._size = tuple(self._rows), [], 0
            yield log._replace(log=log.log._replace(rows=rows))

    def _begin(self, record: Dict[str, Any]) -> None:
        version = record[SNAPSHOT_KEY]
        if version != FORM_VERSION:
            raise _DamageError(other_version(version))
        self._sections += 1
        _require(self._sections <= _MOST_SECTIONS)
        host = _HOST_NAME.sub("-", _kept_word(record.get("host"), 253))
        number = self._hosts[host] = self._hosts.get(host, 0) + 1
        label = host if number == 1 else "{}~{}".format(host, number)
        taken, size = _kept_word(record.get("taken"), 64), _kept_count(record.get("world_size"))
        boot, clock = _kept_word(record.get("boot"), 64), _kept_clock(record.get("clock"))
        self._section = Section(host or None, label, taken, size or None, boot, clock)
        self.is_open, self._told, self._inputs = True, False, 0

    def _take_fact(self, record: Dict[str, Any]) -> None:
        if self._told:
            raise _DamageError("damaged snapshot, read up to the damage")
        if "fact" in record:
            self._facts.append(_kept_fact(record, self._section, self._kinds))
        else:
            pid, rank = _kept_count(record["process"]), _kept_count(record.get("rank"))
            if pid is not None and rank is not None:
                self._processes.append((pid, rank))
        _require(len(self._facts) <= _MOST_FACTS and len(self._processes) <= _MOST_TOLD_PROCESSES)

    def _take_rows(self, record: Dict[str, Any]) -> None:
        at, rows = _kept_count(record["at"]), record.get("rows")
        if self._log is None or at is None or not isinstance(rows, list):
            raise _DamageError("damaged snapshot, read up to the damage")
        last = self._rows[-1][0] if self._rows else 0
        _require(at >= max(1, last))
        for number, row in enumerate(rows, at):
            text = _kept_word(row, _LONGEST_TEXT)
            self._rows.append((number, text))
            self._size += len(text)
        _require(len(self._rows) <= _MOST_KEPT_ROWS and self._size <= _MOST_KEPT_TEXT)


def other_version(version: Any) -> str:
    """Say that a snapshot is of another form."""
    number = version if isinstance(version, int) else "unknown"
    return "a snapshot of form {}, and this checker reads form {}".format(number, FORM_VERSION)


def _require(holds: bool) -> None:
    if not holds:
        raise _DamageError("a snapshot with more than is read")


def _kept_word(value: Any, longest: int = _LONGEST_NAME) -> str:
    """Take a text, without what no log could hold."""
    if not isinstance(value, str):
        return ""
    return value[:longest].encode("utf-8", "replace").decode("utf-8").replace("\n", " ")


def _kept_count(value: Any) -> Optional[int]:
    plain = isinstance(value, int) and not isinstance(value, bool)
    return value if plain and 0 <= value < _LARGEST_COUNT else None


def _kept_clock(told: Any) -> Tuple[Tuple[str, float], ...]:
    known = told if isinstance(told, dict) else {}
    times = [(name, known.get(name)) for name in CLOCK_NAMES]
    return tuple((name, at) for name, at in times if isinstance(at, (int, float)))


def _kept_items(value: Any) -> List[Any]:
    return value[:_MOST_ITEMS] if isinstance(value, list) else []


def _kept_fact(record: Dict[str, Any], section: Section, kinds: Mapping[str, FactKind]) -> Fact:
    name = _kept_word(record["fact"], 200)
    kind = kinds.get(name)
    unknown = record.get("unknown")
    if unknown is not None:
        return Fact(name, None, _kept_word(unknown, 400) or "unknown", None, section.host)
    value = _kept_value(record.get("value"), kind.type if kind is not None else "")
    if value is None:
        return Fact(name, None, "not understood", None, section.host)
    told = record.get("line")
    line = _kept_line(told, section) if isinstance(told, dict) else None
    return Fact(name, value, None, line, section.host)


def _kept_value(value: Any, wanted: str) -> Any:
    """Take a value that is of the type which the fact has; empty where that is not known."""
    if isinstance(value, list):
        items = [item for item in map(_plain_item, value[:_MOST_ITEMS]) if item is not None]
        return items if wanted in ("", "list") else None
    plain = _plain_item(value)
    if wanted == "number":
        return plain if isinstance(plain, (int, float)) and not isinstance(plain, bool) else None
    if wanted == "truth":
        return plain if isinstance(plain, bool) else None
    return plain if wanted == "" or (wanted == "text" and isinstance(plain, str)) else None


def _plain_item(value: Any) -> Any:
    if isinstance(value, str):
        return _kept_word(value)
    return value if isinstance(value, (bool, int, float)) else None


def _kept_line(told: Dict[str, Any], section: Section) -> Line:
    source = "launcher" if told.get("source") == "launcher" else "rank"
    rank, local = _kept_count(told.get("rank")), _kept_count(told.get("local_rank"))
    at = told.get("at")
    moment = Moment(float(at), "utc", 1.0) if isinstance(at, (int, float)) else None
    return Line(
        _kept_word(told.get("path")),
        _kept_count(told.get("number")) or 1,
        _kept_word(told.get("text")),
        _kept_word(told.get("shown")),
        Writer(source, rank, local, section.host, None),
        _kept_count(told.get("pid")),
        moment,
        None,
    )


def _kept_input(told: Any) -> Input:
    if not isinstance(told, dict):
        raise _DamageError("damaged snapshot, read up to the damage")
    status = told.get("status")
    reason, part_of = _kept_word(told.get("reason"), 400), _kept_word(told.get("part_of"))
    return Input(
        _kept_word(told.get("path")) or "?",
        status if status in ("read", "unreadable") else "skipped",
        reason or None,
        _kept_count(told.get("size")),
        _kept_count(told.get("lines")),
        None,
        None,
        None,
        told.get("refused") is True,
        part_of or None,
        _kept_count(told.get("further")) or 0,
    )


def _excerpt_of(record: Dict[str, Any], section: Section) -> KeptExcerpt:
    path = _kept_word(record["log"]) or "?"
    log = KeptLog(
        path,
        tuple(
            part for part in map(_kept_part, _kept_items(record.get("parts"))) if part is not None
        ),
        (),
        _kept_count(record.get("cut")) or 0,
        record.get("tired") is True,
        tuple(gap for gap in map(_kept_gap, _kept_items(record.get("numbers_left_out"))) if gap),
        _kept_word(record.get("dump"), LONGEST_EXCERPT),
    )
    files = tuple(map(_kept_input, _kept_items(record.get("files"))))
    return KeptExcerpt(section, log, files, record.get("probed") is True)


def _kept_part(told: Any) -> Optional[PartBegin]:
    if not isinstance(told, list) or len(told) != 3:
        return None
    at, first = _kept_count(told[0]), _kept_count(told[2])
    return None if at is None or first is None else PartBegin(at, _kept_word(told[1]), first)


def _kept_gap(told: Any) -> Optional[Gap]:
    if not isinstance(told, list) or len(told) != 4:
        return None
    first, last = _kept_count(told[0]), _kept_count(told[1])
    if first is None or last is None:
        return None
    names = frozenset(_kept_word(name, 200) for name in _kept_items(told[2]))
    return Gap(first, last, names, told[3] is True)
