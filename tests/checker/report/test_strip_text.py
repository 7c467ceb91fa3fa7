"""The strip of ranks over time."""

from checker.model import Exit, Moment, RankState
from checker.report.strip_text import strip_rows
from checker.report.tracks import tracks_of
from tests.checker.report_records import (
    EXIT,
    EXIT_LINE,
    KILL_DIAGNOSIS,
    KILL_REPORT,
    KILLED_AT,
    PEER_DIAGNOSIS,
    diagnosis,
    line,
    observations,
    report,
    rule,
    sighting,
    writer,
)


def at(seconds: float, clock: str = "local") -> Moment:
    """A moment so long after the kill."""
    return Moment(KILLED_AT.seconds + seconds, clock, 0.001)


def ended(rank: int, seconds: float, by: str | None, signal: int | None = 15) -> Exit:
    """The end of a rank, so long after the kill."""
    return Exit(EXIT_LINE, rank, rank, None, None, signal, None, by, at(seconds))


def state(rank: int, last: float | None, end: Exit | None = None) -> RankState:
    """A rank that printed its last line so long after the kill."""
    return RankState(rank, None, None, 9, None if last is None else at(last), end)


def strip(*states: RankState, diagnoses: tuple = (KILL_DIAGNOSIS,)) -> str:
    """The strip of these ranks."""
    seen = report(observations(ranks=states), *diagnoses)
    return "\n".join(text for _, text in strip_rows(tracks_of(seen, states, diagnoses)))


KILLED = state(1, -60.0, ended(1, 2.0, None, 9))
STOPPED = [state(rank, -1.0, ended(rank, 4.0, "launcher")) for rank in range(8) if rank != 1]


def test_the_first_failure_stands_on_top() -> None:
    """Eight ranks: one was killed, and the launcher stopped the others, which look alike."""
    assert (
        strip(KILLED, *STOPPED)
        == """\
                      2026-08-14 03:10:52                           03:11:56
  rank 1              -.................................................Xx
  ranks 0, 2-7        --------------------------------------------------...t
  X first failure, x failed, t stopped, - timed lines, . none later"""
    )


def test_8192_ranks_take_no_more_lines() -> None:
    """Alike ranks share a row, whatever their last lines; the odd one is still seen."""
    ranks = [
        state(rank, -60.0 + rank % 50, ended(rank, 4.0, "launcher"))
        for rank in range(8192)
        if rank != 1
    ]
    assert (
        strip(KILLED, *ranks)
        == """\
                      2026-08-14 03:10:52                           03:11:56
  rank 1              ..................................................Xx
  ranks 0, 2-8191     .....................................................t
  X first failure, x failed, t stopped, . none later"""
    )


def test_what_differs_too_much_is_counted() -> None:
    """More groups than fit are summed up, after the earliest failures."""
    ranks = [state(rank, -60.0, ended(rank, float(rank), None, 6)) for rank in range(2, 40)]
    rows = strip(KILLED, *ranks).split("\n")
    assert len(rows) == 10
    assert rows[-2] == "  and 28 ranks that look otherwise"


def test_an_end_that_was_only_noticed_is_put_before_the_teardown() -> None:
    """The launcher ends the others before it reports what it noticed."""
    noticed = KILL_DIAGNOSIS._replace(
        onset=at(5.0),
        evidence=(sighting(EXIT_LINE, "-9", "exit", rank=1, onset=at(5.0), onset_rule="earlier"),),
    )
    assert (
        strip(state(1, -60.0), *STOPPED, diagnoses=(noticed,))
        == """\
                      2026-08-14 03:10:52                           03:11:56
  rank 1              -....................................................X
  ranks 0, 2-7        --------------------------------------------------...t
  X first failure, t stopped, - timed lines, . none later"""
    )


def test_the_end_of_the_first_rank_is_its_mark_where_nothing_else_has_a_time() -> None:
    """A traceback without times is dated by the end of its process."""
    untimed = KILL_DIAGNOSIS._replace(onset=None, evidence=())
    assert (
        strip(KILLED, *STOPPED, diagnoses=(untimed,))
        == """\
                      2026-08-14 03:10:52                           03:11:56
  rank 1              -..................................................X
  ranks 0, 2-7        --------------------------------------------------...t
  X first failure, t stopped, - timed lines, . none later"""
    )


def test_the_last_sign_of_life_is_the_mark_where_nothing_has_a_time() -> None:
    """The first failure is drawn on its rank, no earlier than what the rank printed last."""
    untimed = KILL_DIAGNOSIS._replace(onset=None, evidence=())
    alive = KILLED._replace(exit=None)
    assert (
        strip(alive, *STOPPED, diagnoses=(untimed,))
        == """\
                      2026-08-14 03:10:52                           03:11:56
  rank 1              X
  ranks 0, 2-7        --------------------------------------------------...t
  X first failure, t stopped, - timed lines, . none later"""
    )


def test_clocks_that_nothing_relates_are_not_compared() -> None:
    """A kernel's clock counts from its boot, so its line is not drawn."""
    seen = report(observations(ranks=(KILLED, *STOPPED)), KILL_DIAGNOSIS)
    assert tracks_of(seen, seen.observations.ranks, seen.diagnoses).foreign == 1


def test_no_strip_where_time_tells_nothing() -> None:
    """Without times, with one moment, or without trouble there is none."""
    untimed = [state(rank, None) for rank in range(4)]
    healthy = [state(rank, float(rank)) for rank in range(4)]
    assert [
        strip(*untimed, diagnoses=()),
        strip(*[state(rank, 1.0) for rank in range(4)], diagnoses=()),
        strip(*healthy, diagnoses=()),
    ] == ["", "", ""]


def test_hostile_names_are_shown_as_text() -> None:
    """A host name of a log can hold terminal commands, or be absurdly long."""
    named = sighting(
        line("a.log", 1, "x", writer(None, "kernel", "\x1b[2J" + "h" * 999), at(1.0)), "x"
    )
    shown = strip(*STOPPED, diagnoses=(diagnosis(rule("some"), evidence=(named,)),))
    assert "\x1b" not in shown
    assert max(len(row) for row in shown.split("\n")) <= 80


def test_the_report_of_the_kill_has_it() -> None:
    """The last lines of a report's own ranks are drawn too."""
    seen = KILL_REPORT
    found = tracks_of(seen, seen.observations.ranks, (KILL_DIAGNOSIS, PEER_DIAGNOSIS))
    assert [(track.rank, track.name, track.state) for track in found.tracks] == [
        (0, "", "last step 9"),
        (1, "", "last step 8, ended by signal 9 (SIGKILL)"),
        (2, "", "last step 9"),
        (3, "", "last step 9"),
        (None, "node-a", ""),
    ]
    assert EXIT.signal == 9
