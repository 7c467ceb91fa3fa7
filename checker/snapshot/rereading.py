"""An excerpt of a log, read as the log was: kept rows enter; findings leave."""

from typing import Iterator, List, Optional, Tuple

from checker.collective.dumps import read_dump
from checker.collective.ras import is_ras_answer, ras_notes
from checker.scan.attention import care_for
from checker.scan.errorfile import is_error_file, read_error_file
from checker.scan.filescan import FileScan
from checker.scan.findings import FileFindings
from checker.scan.gate import Gate
from checker.scan.interests import Interests
from checker.scan.places import Place, place_of
from checker.scan.rejoin import LineJoiner
from checker.scan.samples import Room
from checker.scan.text import line_pieces
from checker.snapshot.excerpts import KeptLog
from checker.snapshot.parsing import KeptExcerpt

_SAMPLED_ROWS = 400
_BYTES_AT_ONCE = 65536
_TASK_SAMPLES = 16
_LONGEST_RAS_HEAD = 512
_Rows = List[Tuple[int, bytes]]


def read_excerpt(
    outside: str, kept: KeptExcerpt, interests: Interests, room: Room, gate: Gate
) -> FileFindings:
    """Read an excerpt; *outside* stands before names of its machine."""
    log, host = kept.log, kept.section.host
    path, place = outside + log.path, place_of(log.path)
    if log.dump:
        scan = FileScan(path, place, interests, gate, room=room, care=care_for(0))
        scan.reading.collectives = list(read_dump([log.dump.encode("utf-8")], path, place).notes)
        return FileFindings(path, place, scan.reading, ())
    scan = ExcerptScan(log, path, place, interests, gate, room=room)
    text = "\n".join(row for _, row in log.rows)
    if is_ras_answer(text[:_LONGEST_RAS_HEAD].encode("utf-8", "replace")):
        scan.reading.collectives = ras_notes(text, path, place)
        return FileFindings(path, place, scan.reading, ())
    return scan.scanned(host)


class ExcerptScan(FileScan):
    """Scans the rows that were kept of one log, knowing where others are missing."""

    def __init__(
        self,
        log: KeptLog,
        path: str,
        place: Place,
        interests: Interests,
        gate: Gate,
        *,
        room: Room,
    ) -> None:
        """Take the excerpt; *path* is what the log is called here."""
        super().__init__(path, place, interests, gate, room=room, care=care_for(0))
        self._log = log
        self.reading.watch.take_all(log.gaps)

    def scanned(self, host: Optional[str]) -> FileFindings:
        """Scan the excerpt of a log on a host, and hand over what was found."""
        rows = [(number, text.encode("utf-8", "replace")) for number, text in self._log.rows]
        sample = [row for _, row in rows[:_SAMPLED_ROWS]]
        self._learn_from([line_pieces(row)[-1] for row in sample])
        if self.place.host is None and not self._tells_of_tasks(sample):
            self.place = self.reading.place = self.place._replace(host=host)
        # Lines were joined before they were kept.
        self._joiner = LineJoiner([], lambda row: False)
        first = b"\n".join(row for _, row in next(_runs_in(rows), []))
        if is_error_file(first):
            self._error_file = read_error_file(first, self.path, self.place)
        else:
            for run in _runs_in(rows):
                self._scan_run(run)
        self._attention.tired = self._attention.tired or self._log.tired
        return self.finish()

    def _tells_of_tasks(self, sample: List[bytes]) -> bool:
        """Tell whether lines name the task that wrote them, which can run on any machine."""
        peeler = self.reading.peeler
        rows = sample[: _TASK_SAMPLES * _TASK_SAMPLES : _TASK_SAMPLES] + sample[:_TASK_SAMPLES]
        return any(peeler.peel(line_pieces(row)[-1]).task is not None for row in rows)

    def _scan_run(self, run: _Rows) -> None:
        number = run[0][0]
        if number > self._next:
            self._read_left()
            self.reading.gap()
            self._tail = []
            self._until = 0
        self._next = number
        self._scan(b"\n".join(row for _, row in run), False)


def _runs_in(rows: _Rows) -> Iterator[_Rows]:
    """Cut rows into those that follow each other without a gap, not too many at once."""
    run: _Rows = []
    size = 0
    for number, row in rows:
        if run and (number != run[-1][0] + 1 or size > _BYTES_AT_ONCE):
            yield run
            run, size = [], 0
        run.append((number, row))
        size += len(row)
    if run:
        yield run
