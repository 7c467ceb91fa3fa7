"""The rows of the lag table: what all lines tell enters; for each group, rank by rank, leaves."""

from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from checker.collective.records import (
    BARRIER,
    DEFAULT_DESCRIBED,
    DEFAULT_GROUP,
    DESYNC,
    DETAIL,
    RAS,
    UNTOLD,
    Call,
    CollectiveNote,
    RankLag,
    Telling,
)
from checker.model import Line
from checker.packed import packed_records, sorted_records
from checker.picked import grouped_records

REPORTS = (DESYNC, BARRIER, DETAIL, RAS)
_AuthorKey = Tuple[object, ...]


class GroupTable(NamedTuple):
    """The ranks of one group in one attempt."""

    attempt: Optional[int]
    group: str
    described: str
    rows: Tuple[RankLag, ...]
    members: Tuple[int, ...]
    """Empty where no dump lists them."""
    whole: bool
    """Whether it is the group of all ranks."""
    muddled: bool
    """Whether lines of more than one group may be in it."""
    unplaced: int
    """Lines whose rank is not known."""
    lines: Sequence[Line]
    """Those that tell most of each rank."""


def group_tables(notes: Sequence[CollectiveNote]) -> List[GroupTable]:
    """Sort what was told by attempt and group."""
    told = sorted_records(_with_groups(notes), _note_place)
    numbers = {note.line.writer.attempt for note in told} - {None}
    # What tells no attempt, such as a dump, is of the last one.
    last = max((number for number in numbers if number is not None), default=None)

    def _group_of(note: CollectiveNote) -> Iterable[Tuple[Optional[int], str]]:
        attempt = note.line.writer.attempt
        return ((last if attempt is None else attempt, note.group),)

    by_group = grouped_records(told, _group_of)
    partial = {
        attempt
        for (attempt, _), own in by_group.items()
        if any(_is_named(note) and not _is_whole(note) for note in own)
    }
    return [
        _group_table(attempt, group, by_group[(attempt, group)], attempt in partial)
        for attempt, group in sorted(by_group, key=lambda k: (-1 if k[0] is None else k[0], k[1]))
    ]


def _note_place(note: CollectiveNote) -> Tuple[str, int, str]:
    return note.line.path, note.line.number, note.line.text


def _is_named(note: CollectiveNote) -> bool:
    return note.group != UNTOLD and note.group not in REPORTS


def _is_whole(note: CollectiveNote) -> bool:
    return note.group == DEFAULT_GROUP or note.described == DEFAULT_DESCRIBED


def _with_groups(notes: Sequence[CollectiveNote]) -> Sequence[CollectiveNote]:
    """Give a timeout without a group the one that its writer names beside the same number."""
    if not any(note.group == UNTOLD for note in notes) or not any(map(_is_named, notes)):
        return notes
    named: Dict[Tuple[_AuthorKey, int], Set[Tuple[str, str]]] = {}
    for note in notes:
        if _is_named(note):
            seq = note.at_seq
            calls = [told.waits_in for told in note.tellings if told.waits_in is not None]
            for number in [call.seq for call in calls] + ([seq] if seq is not None else []):
                key = (_author_of(note), number)
                named.setdefault(key, set()).add((note.group, note.described))
    return packed_records(_grouped_note(note, named) for note in notes)


def _author_of(note: CollectiveNote) -> _AuthorKey:
    return (note.line.path, *note.line.writer)


def _grouped_note(
    note: CollectiveNote, named: Dict[Tuple[_AuthorKey, int], Set[Tuple[str, str]]]
) -> CollectiveNote:
    call = note.tellings[0].waits_in if note.tellings else None
    if note.group != UNTOLD or call is None:
        return note
    groups = named.get((_author_of(note), call.seq), set())
    if len(groups) != 1:
        return note
    group, described = next(iter(groups))
    return note._replace(group=group, described=described)


def _group_table(
    attempt: Optional[int], group: str, notes: Sequence[CollectiveNote], partial: bool
) -> GroupTable:
    whole = any(_is_whole(note) for note in notes)
    rows: Dict[int, RankLag] = {}
    numbered: Dict[int, int] = {}
    alike: Dict[Telling, Telling] = {}
    unplaced, muddled = 0, group in REPORTS and group != RAS and partial
    for number, note in enumerate(notes):
        for told in note.tellings:
            rank = _rank_of(note, told, whole)
            if rank is None:
                unplaced += 1
                continue
            muddled = muddled or _is_of_another_group(note, told, rank)
            if told.rank is not None and numbered.setdefault(told.rank, rank) != rank:
                # Two groups of one name: each has one rank of a number.
                muddled = True
            line = note.line
            row = RankLag(rank, number, line.writer.rank == rank, line.moment, told)
            row = _joined_row(rows[rank], row) if rank in rows else row
            plain = row.told._replace(rank=None)
            rows[rank] = row._replace(told=alike.setdefault(plain, plain))
    members = sorted({rank for note in notes for rank in note.members})
    described = next((note.described for note in notes if note.described), "")
    places = {at: place for place, at in enumerate(sorted({row.at for row in rows.values()}))}
    return GroupTable(
        attempt,
        group,
        described,
        tuple(rows[rank]._replace(at=places[rows[rank].at]) for rank in sorted(rows)),
        tuple(members),
        whole,
        muddled,
        unplaced,
        packed_records(notes[at].line for at in places),
    )


def _rank_of(note: CollectiveNote, told: Telling, whole: bool) -> Optional[int]:
    """Name the rank of the run; in the group of all, and in reports, the lines number it."""
    if told.rank is not None and (whole or told.other):
        return told.rank
    known = note.line.writer.rank
    return known if known is not None or note.group != UNTOLD else told.rank


def _is_of_another_group(note: CollectiveNote, told: Telling, rank: int) -> bool:
    """Tell whether a line of an unnamed group numbers its rank as a part of the run does."""
    return note.group == UNTOLD and told.rank is not None and told.rank != rank


def _joined_row(known: RankLag, more: RankLag) -> RankLag:
    """Join two tellings of one rank: the first call that did not end, the highest counters.

    A dump knows better than a line, whose counters may be those of sends and receives.
    """
    one, other = known.told, more.told
    if other.recorded and not one.recorded:
        one, other = other, one
    differ = one.recorded and not other.recorded
    told = one._replace(
        other=one.other and other.other,
        waits_in=one.waits_in
        if differ and one.waits_in is not None
        else _earlier_call(one.waits_in, other.waits_in),
        timeout=one.timeout if one.timeout is not None else other.timeout,
        enqueued=_highest(one.enqueued, other.enqueued, differ),
        started=_highest(one.started, other.started, differ),
        completed=_highest(one.completed, other.completed, differ),
        missing=one.missing or other.missing,
        stuck=one.stuck or other.stuck,
        calls=one.calls or other.calls,
        unreachable=one.unreachable or other.unreachable,
    )
    return (more if _worth(more) > _worth(known) else known)._replace(told=told)


def _worth(row: RankLag) -> Tuple[bool, bool, bool]:
    return row.told.waits_in is not None, row.own, row.moment is not None


def _earlier_call(one: Optional[Call], other: Optional[Call]) -> Optional[Call]:
    if one is None or other is None:
        return one if other is None else other
    if one.seq != other.seq:
        return min(one, other, key=lambda call: call.seq)
    return one if one.op else other


def _highest(one: Optional[int], other: Optional[int], first_knows: bool) -> Optional[int]:
    if one is None or other is None:
        return one if other is None else other
    return one if first_knows else max(one, other)
