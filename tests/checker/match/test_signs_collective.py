"""The sign that asks for the verdict of the lag table."""

import pytest

from checker.judgement import Truth
from checker.match.scene import build_scene
from checker.match.signs import judge_signs, sign_in_words, what_decides
from checker.scan.observe import observe_texts
from generator.catalogue import compile_rule
from tests.checker.collective.printed import notified, stuck, waits, watchdog, world
from tests.generator.entries import make_entry

pytestmark = pytest.mark.rule("collectives")

LAGGING = [*waits(0, 167), *waits(1, 167), notified(2, 166, 166)]


def judged(verdict: str, lines: list[str], onset: str = "printed", kind: str = "failure") -> Truth:
    """The truth of a sign in these lines."""
    signs = {"it": {"collective": verdict, "onset": onset}}
    detect = {"signs": signs, "signatures": [{"weak": ["it"]}]}
    rule = compile_rule("x", make_entry(detect, kind=kind))
    seen = observe_texts({"console.log": "\n".join(lines) + "\n"}, frozenset(), {}, {})
    return judge_signs(rule, build_scene(seen, ()))["it"]


def test_sighting_is_about_the_rank_that_lags() -> None:
    """Its own line is quoted, and the captures say what the others wait in."""
    truth = judged("straggler", LAGGING)
    (sighting,) = truth.sightings
    assert (truth.value, sighting.rank, sighting.line and sighting.line.number) == (True, 2, 5)
    assert dict(sighting.values) == {
        "group": "0 (default_pg)",
        "numel": 1024,
        "op": "ALLREDUCE",
        "ranks": "rank 2",
        "seq": 167,
        "timeout": 600.0,
        "why": "rank 2 had not enqueued ALLREDUCE 167, in which ranks 0-1 wait",
    }


def test_rank_without_a_line_is_told_by_one_that_waits() -> None:
    """A rank that went on counting has no line about collectives."""
    step = "[rank2]: 2026-08-14 03:09:02,000 INFO train: step 167 loss 2.1"
    (sighting,) = judged("straggler", [world(3), *waits(0, 7), *waits(1, 7), step]).sightings
    assert sighting.rank == 2
    assert sighting.line is not None
    assert sighting.line.writer.rank == 0


def test_where_nobody_is_accused_all_that_wait_are_sighted() -> None:
    """Each rank that waits shows it."""
    truth = judged("nobody_lags", [world(2), *waits(0, 7), *waits(1, 7)])
    assert [sighting.rank for sighting in truth.sightings] == [0, 1]


def test_symptom_of_waiting_is_shown_by_those_that_wait() -> None:
    """Who holds them up does not show it, though its own line is in the table."""
    truth = judged("straggler", LAGGING, kind="symptom")
    assert [sighting.rank for sighting in truth.sightings] == [0, 1]


def test_symptom_of_standing_still_is_shown_by_who_stands_still() -> None:
    """The ranks that wait for it are witnesses, and no places of it."""
    lines = [world(3), *waits(0, 7), *waits(1, 7), stuck(2)]
    (sighting,) = judged("frozen", lines, kind="symptom").sightings
    assert sighting.rank == 2
    assert sighting.line is not None
    assert sighting.line.writer.rank == 2


def test_where_most_stand_still_each_of_them_shows_it() -> None:
    """None of them is accused, and who waits is no place of it either."""
    lines = [world(4), stuck(0), stuck(1), stuck(2), notified(3, 166, 166)]
    truth = judged("frozen", lines, kind="symptom")
    assert [sighting.rank for sighting in truth.sightings] == [0, 1, 2]


def test_another_verdict_is_false_and_says_which() -> None:
    """The table is known, and comes to something else."""
    why = "rank 2 had not enqueued ALLREDUCE 167, in which ranks 0-1 wait"
    assert judged("op_mismatch", LAGGING) == Truth(False, (), why)


def test_undecided_group_leaves_the_others_unknown() -> None:
    """Not to know who lags is not the same as no."""
    lines = [watchdog(0, 5), watchdog(1, 9)]
    why = "the lines name no process group, and counters of different groups say nothing"
    assert judged("straggler", lines) == Truth(None, (), why)
    assert judged("undecided", lines).value is True


def test_without_any_line_it_is_unknown() -> None:
    """No table, no verdict."""
    why = "nothing tells which collectives the ranks were in"
    assert judged("straggler", ["step 1"]) == Truth(None, (), why)


def test_onset_begins_with_the_wait() -> None:
    """The captured timeout is taken off."""
    (sighting,) = judged("straggler", LAGGING, "minus timeout").sightings
    assert sighting.line is not None
    assert sighting.line.moment is not None
    assert sighting.onset is not None
    assert sighting.line.moment.seconds - sighting.onset.seconds == pytest.approx(600.0)


def test_words() -> None:
    """What is missing, and what would tell, can be said to a person."""
    sign = {"kind": "collective", "collective": "op_mismatch"}
    assert sign_in_words(sign) == "process groups with the verdict 'op mismatch'"
    assert what_decides(sign) == (
        "the logs of all ranks, or the flight recorder's dumps of all ranks"
    )
