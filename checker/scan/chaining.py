"""One log in several files: sources enter in their order; findings of logs and inputs leave.

A file that goes on with a rotated log is read on by the same reading, so that nothing is cut at
its first line. Names tie the two, and neither times nor contents may speak against it.
"""

import itertools
from typing import Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from checker.collective.dumps import dump_excerpt, is_flight_dump, read_dump
from checker.collective.ras import MOST_OF_RAS, is_ras_answer, ras_notes
from checker.model import Input
from checker.packed import packed_records
from checker.scan.attention import care_for
from checker.scan.contents import Source
from checker.scan.filescan import FileScan
from checker.scan.findings import FileFindings
from checker.scan.gate import Gate
from checker.scan.interests import Interests
from checker.scan.places import Place, place_of
from checker.scan.read import was_refused, whole_lines, why_unread
from checker.scan.rotation import NEXT, NO_TIE, SAME
from checker.scan.thrift import Thrift
from checker.snapshot.excerpts import KeptLog
from checker.snapshot.newest import NewestLooks
from checker.snapshot.parsing import KeptInput, KeptMachine, KeptThing, kept_name
from checker.snapshot.rereading import read_excerpt
from checker.snapshot.seen_before import SeenBefore, named_inside

INTERRUPTED_HERE = "interrupted here; nothing after it was read"


class _Rest(NamedTuple):
    """What a file holds beyond what the one before it held."""

    blocks: Iterator[bytes]
    size: int = 0
    """Of the copy before it."""
    lines: int = 0


class LogReader:
    """Reads sources one after another, each log to its end."""

    def __init__(self, interests: Interests) -> None:
        """Begin before the first source."""
        self.inputs: List[Input] = []
        self.seen = SeenBefore()
        """What snapshots tell besides logs."""
        self._interests = interests
        self._gate = Gate(interests.wanted)
        self._thrift = Thrift()
        self._looks = NewestLooks()
        self._scan: Optional[FileScan] = None
        self._last: Optional[Source] = None
        """The source that the scan has read to its end."""
        self._head = b""

    def read(self, source: Source) -> bool:
        """Read one; tell whether the next may be read too."""
        if source.instead:
            self._thrift.forget(source.path)
            self.inputs = [given for given in self.inputs if given.path != source.path]
        if source.kept is not None:
            self._end()
            outside = source.path[: len(source.path) - len(kept_name(source.kept))]
            self._take(outside, source.kept)
            return True
        first = b"" if source.reason is not None else next(source.blocks, b"")
        if source.reason is not None or is_flight_dump(first):
            self._end()
            self.inputs.append(_not_read(source) if source.reason else self._dumped(source, first))
            return True
        if is_ras_answer(first):
            self._end()
            self.inputs.append(self._answered(source, first))
            return True
        rest = self._rest_of(source, first)
        scan = self._scan
        if rest is None or scan is None:
            self._end()
            place = place_of(source.path)
            scan = self._new_scan(source.path, place)
            rest, self._scan = _Rest(itertools.chain([first], source.blocks)), scan
        self._read_on(scan, source, rest)
        if self._last is None or rest.size < (self.inputs[-1].size or 0):
            self._last, self._head = source, first
        return INTERRUPTED_HERE not in source.remarks

    def _new_scan(self, path: str, place: Place) -> FileScan:
        room, care = self._thrift.room(), care_for(len(self.inputs))
        return FileScan(path, place, self._interests, self._gate, room=room, care=care)

    def handed_over(self) -> Tuple[Sequence[FileFindings], List[str]]:
        """End the last log; hand over the findings and the paths of all, and keep none."""
        self._end()
        found, paths = self._thrift.handed_over()
        older = self._looks.older()
        if not older:
            return found, paths
        self.inputs = [_told_again(given, older) for given in self.inputs]
        self.seen.forget(older)
        kept = [number for number, path in enumerate(paths) if path not in older]
        return packed_records(found[number] for number in kept), [paths[number] for number in kept]

    def inputs_handed_over(self) -> Sequence[Input]:
        """Hand over what was read and what was not, and keep nothing of it."""
        inputs, self.inputs = self.inputs, []
        return packed_records(inputs)

    def _end(self) -> None:
        scan, self._scan, self._last = self._scan, None, None
        if scan is not None:
            self._thrift.keep(scan.finish())

    def _rest_of(self, source: Source, first: bytes) -> Optional[_Rest]:
        """Find what a file adds to the log before it; None where it is a log of its own."""
        last, scan = self._last, self._scan
        if scan is None or last is None or last.remarks or source.tie == NO_TIE:
            return None
        most = min(len(first), len(self._head))
        if first[:most] == self._head[:most] and last.again and source.again:
            rest = _beyond(last.again(), source.again())
            if rest is not None:
                return rest
            blocks = source.again()
        else:
            blocks = itertools.chain([first], source.blocks)
        later = None if source.tie == SAME else scan.is_before(first)
        return _Rest(blocks) if later or (later is None and source.tie == NEXT) else None

    def _read_on(self, scan: FileScan, source: Source, rest: _Rest) -> None:
        before = self._last
        size, lines, is_silent = scan.size - rest.size, scan.lines - rest.lines, False
        scan.begin_file(source.path, rest.lines + 1)
        try:
            for block, goes_on in whole_lines(scan.counted(rest.blocks)):
                scan.feed(block, goes_on)
        except OSError as error:
            is_silent = isinstance(error, TimeoutError)
            source.remarks.append(why_unread(error, "could not be read on"))
        except KeyboardInterrupt:
            source.remarks.append(INTERRUPTED_HERE)
        size, lines = scan.size - size, scan.lines - lines
        remarks = list(source.remarks)
        if rest.size and before is not None:
            copied = "a copy" if rest.size == size else "its first lines are a copy"
            remarks.append("{} of {}".format(copied, before.path))
        place, log = scan.place, scan.path
        self.inputs.append(
            Input(
                source.path,
                "skipped" if rest.size == size else "read",
                "; ".join(remarks) or None,
                size,
                lines,
                None,
                place.rank,
                place.attempt,
                is_silent,
                None if before is None else log,
                0 if before is None else scan.lines - lines,
            )
        )

    def _take(self, outside: str, kept: KeptThing) -> None:
        """Take what a snapshot holds, as it was read or seen when that was taken."""
        self._looks.note(outside, kept)
        if isinstance(kept, KeptMachine):
            self.seen.add(outside, kept)
        elif isinstance(kept, KeptInput):
            self.inputs.append(named_inside(outside, kept.given))
        else:
            room = self._thrift.room()
            findings = read_excerpt(outside, kept, self._interests, room, self._gate)
            self._thrift.keep(findings)
            place = findings.place
            for given in kept.files:
                named = named_inside(outside, given)
                self.inputs.append(named._replace(rank=place.rank, attempt=place.attempt))
            if kept.probed:
                self.seen.probed.add(findings.path)

    def _dumped(self, source: Source, first: bytes) -> Input:
        """Read a dump of the flight recorder, which has no lines."""
        path, place = source.path, place_of(source.path)
        scan = self._new_scan(path, place)
        blocks = itertools.chain([first], source.blocks)
        dump = read_dump(scan.counted(blocks), path, place)
        if dump.refused is not None:
            return _not_read(source._replace(reason=dump.refused), source.named)
        scan.reading.collectives = list(dump.notes)
        self._thrift.keep(FileFindings(path, place, scan.reading, ()))
        content = dump.content
        if self._interests.shelf is not None and content is not None:
            self._interests.shelf.keep(KeptLog(path, (), (), 0, False, (), dump_excerpt(content)))
        return Input(path, "read", None, scan.size, None, None, place.rank, place.attempt, False)

    def _answered(self, source: Source, first: bytes) -> Input:
        """Read what NCCL's RAS service told, which is understood as a whole."""
        path, place = source.path, place_of(source.path)
        scan = self._new_scan(path, place)
        data = b"".join(itertools.chain([first], scan.counted(source.blocks)))[:MOST_OF_RAS]
        text = data.decode("utf-8", "replace")
        scan.reading.collectives = ras_notes(text, path, place)
        self._thrift.keep(FileFindings(path, place, scan.reading, ()))
        rows = tuple(enumerate(text.rstrip("\n").split("\n"), 1))
        if self._interests.shelf is not None:
            self._interests.shelf.keep(KeptLog(path, (), rows, 0, False, ()))
        return Input(path, "read", None, len(data), len(rows), None, None, place.attempt, False)


def _not_read(source: Source, by_content: bool = False) -> Input:
    status = "unreadable" if source.named else "skipped"
    is_refused = by_content or was_refused(source)
    return Input(source.path, status, source.reason, None, None, None, None, None, is_refused)


def _told_again(given: Input, older: Mapping[str, str]) -> Input:
    newer = older.get(given.path)
    if newer is None:
        return given
    return given._replace(status="skipped", reason="a newer look at it counts: " + newer)


def _beyond(before: Iterator[bytes], blocks: Iterator[bytes]) -> Optional[_Rest]:
    """Find what follows in a file on all that another holds; None where they differ."""
    held = here = b""
    size = lines = 0
    while True:
        held, here = held or next(before, b""), here or next(blocks, b"")
        most = min(len(held), len(here))
        if not most:
            return _Rest(itertools.chain([here], blocks), size, lines)
        if held[:most] != here[:most]:
            return None
        size, lines = size + most, lines + here.count(b"\n", 0, most)
        held, here = held[most:], here[most:]
