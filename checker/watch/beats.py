"""What a stream of a run tells while it runs: bytes enter as they come; news leave.

Only what a watch needs is understood at once: that something was printed, the step, a loss that is
no number, and lines that are worth a closer look. The close look is that of the checker.
"""

from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import Line, Writer
from checker.scan.metric_watch import holds_nonfinite
from checker.scan.metrics import MainBar, Reading, read_metrics
from checker.scan.peel import Peeler
from checker.scan.readers import COMPLETED, read_facts
from checker.scan.text import line_pieces, plain_bytes
from checker.scan.writers import writer_key

# Of each piece of output so many last rows are read for the step, and so many with `nan` in them.
_LAST_ROWS, _ROWS_OF_NUMBERS = 48, 16
_LEARNT_FROM = 400
_MOST_REST = 65536
_MOST_BARS = 1024
# So many records in a row without a finite loss are no overflow that loss scaling takes back.
_NONFINITE_ROWS = 3
_TROUBLE_WORDS = lazy_pattern(
    rb"(?i)traceback \(most recent|error|exitcode|exit code|killed|fatal|aborted|core dumped"
    rb"|segmentation fault|cancelled at|xid"
)
_UNNAMED_WRITER = Writer("unknown", None, None, None, None)


class News(NamedTuple):
    """What one piece of output told."""

    steps: Tuple[Tuple[str, int], ...] = ()
    """Writers, and the step of each."""
    printed: bool = False
    nonfinite: str = ""
    """The record in which a loss was no number again."""
    trouble: bool = False
    """A line is worth a closer look."""
    finished: bool = False
    """The run says that it has done all its work."""


class BeatReader:
    """Reads one stream or file; remembers what the next piece goes on with."""

    def __init__(self) -> None:
        """Begin before the first byte."""
        self._rest = b""
        self._sample: Optional[List[str]] = []
        self._peeler = Peeler(())
        self._bars: Dict[object, MainBar] = {}
        self._bad: Dict[object, int] = {}
        self._finished = False

    def feed(self, data: bytes) -> News:
        """Take the next bytes, and tell what they say."""
        block = self._rest + data
        cut = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
        whole, self._rest = block[:cut], block[cut:][-_MOST_REST:]
        if not whole:
            return News(printed=bool(data.strip()))
        rows = plain_bytes(whole).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        rows = [row for row in rows if row.strip()]
        self._learn(rows)
        steps = self._read(rows[-_LAST_ROWS:])
        return News(
            tuple(steps.items()),
            bool(rows),
            self._nonfinite(whole, rows),
            _TROUBLE_WORDS.search(whole) is not None,
            self._finished,
        )

    def _learn(self, rows: Iterable[bytes]) -> None:
        """Learn from the first rows which prefixes recur."""
        if self._sample is None:
            return
        before = len(self._sample)
        for row in rows:
            if len(self._sample) < _LEARNT_FROM:
                self._sample.append(line_pieces(row)[-1])
        full = len(self._sample) >= _LEARNT_FROM
        # Doubling, so that a slow log costs no more than a fast one.
        if full or len(self._sample).bit_length() > before.bit_length():
            self._peeler = Peeler(self._sample)
        if full:
            self._sample = None

    def _read(self, rows: Iterable[bytes]) -> Dict[str, int]:
        steps: Dict[str, int] = {}
        for row in rows:
            for key, text, reading in self._readings(row):
                if reading is not None and reading.step is not None:
                    steps[repr(key)] = reading.step
                    self._finished = _at_total(reading)
                elif reading is None:
                    self._finished = self._finished or _says_done(text)
        return steps

    def _readings(self, row: bytes) -> Iterable[Tuple[object, str, Optional[Reading]]]:
        for piece in line_pieces(row):
            peeled = self._peeler.peel(piece)
            if peeled.source not in (None, "rank"):
                continue
            key, reading = writer_key(peeled), read_metrics(peeled.text)
            if reading is not None and len(self._bars) < _MOST_BARS:
                reading = self._bars.setdefault(key, MainBar()).seen(reading)
            yield key, peeled.text, reading

    def _nonfinite(self, whole: bytes, rows: List[bytes]) -> str:
        """Count records in a row of which the loss is no number; quote the one that is too much."""
        if not holds_nonfinite(whole):
            if self._bad and any(self._loss_of(row) for row in rows[-_LAST_ROWS:]):
                self._bad.clear()
            return ""
        for row in rows[-_LAST_ROWS * _ROWS_OF_NUMBERS :]:
            for key, text, reading in self._readings(row):
                losses = _losses_in(reading)
                if not losses:
                    continue
                bad = sum(not _is_finite(value) for value in losses)
                self._bad[key] = self._bad.get(key, 0) + 1 if bad else 0
                if self._bad[key] == _NONFINITE_ROWS:
                    return text.strip()
        return ""

    def _loss_of(self, row: bytes) -> bool:
        return any(_losses_in(reading) for _, _, reading in self._readings(row))


def _losses_in(reading: Optional[Reading]) -> List[float]:
    """List the losses of training in a record; that of a validation says nothing of the run."""
    if reading is None:
        return []
    return [
        value
        for name, value in reading.values
        if "loss" in name.lower() and "scale" not in name.lower() and not _of_validation(name)
    ]


def _of_validation(name: str) -> bool:
    return any(word in name.lower() for word in ("val", "eval", "test"))


def _is_finite(value: float) -> bool:
    return value - value == 0.0


def _at_total(reading: Reading) -> bool:
    values = dict(reading.values)
    return "bar_total" in values and values.get("bar") == values["bar_total"]


def _says_done(text: str) -> bool:
    line = Line("", 1, text, text, _UNNAMED_WRITER, None, None, None)
    return any(fact.name == COMPLETED for fact in read_facts(line))
