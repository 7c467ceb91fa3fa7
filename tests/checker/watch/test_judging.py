"""Runs that are told second by second, and what the watch makes of them."""

from collections.abc import Iterable

from checker.watch.beats import News
from checker.watch.judging import BUSY, IDLE, LOOK, NONFINITE, STALL, STUCK, Demand, Watchman
from checker.watch.messages import Heard

Told = tuple[float, News]


def step(at: float, number: int) -> Told:
    """Tell of a step at a time."""
    return at, News((("w", number),), True)


def steps(begin: float, count: int, every: float, first: int = 0) -> list[Told]:
    """Tell of steps in an even beat."""
    return [step(begin + every * index, first + index) for index in range(count)]


def watched(
    told: Iterable[Told], until: float, fixed: float | None = None, look: str = ""
) -> list[tuple[float, Demand]]:
    """Let a run go on until a time; list what was demanded and when, looks answered by *look*."""
    man = Watchman(0.0, fixed, has_processes=bool(look), from_logs=True)
    waiting = sorted(told, key=lambda one: one[0])
    found: list[tuple[float, Demand]] = []
    for now in range(int(until) + 1):
        while waiting and waiting[0][0] <= now:
            at, news = waiting.pop(0)
            man.hear(Heard(news, now - at, 10), now)
        demand = man.due(now)
        if demand is not None and demand.what == LOOK:
            demand = man.looked(look, "rank 1 is stopped" if look == STUCK else "", now)
        if demand is not None:
            found.append((now, demand))
    return found


def test_a_run_that_stops_is_called_stalled_after_five_minutes() -> None:
    """The report says how that was decided: by the pace, and by the longest pause before."""
    told = [*steps(20, 100, 3.2), *steps(435.2, 10, 3.2, 100)]

    assert watched(told, 1200) == [
        (
            764,
            Demand(
                STALL,
                "no step for 5 min; steps came every 3.2 s, the longest pause so far was 98 s",
                300.0,
            ),
        )
    ]


def test_a_stall_is_told_once_and_again_after_steps_came() -> None:
    """Whoever is silent for long is not reported each second."""
    told = [*steps(10, 20, 2), *steps(1000, 20, 2, 20)]

    assert [now for now, _ in watched(told, 4600)] == [348, 1038 + 2856]


def test_pauses_for_checkpoints_and_evaluations_are_no_stall() -> None:
    """A pause may be three times as long as the longest one before, and never less than 5 min."""
    told: list[Told] = []
    at, number = 40.0, 0
    for pause in (90, 280, 400, 390, 900):
        told += steps(at, 50, 2, number)
        at, number = at + 100 + pause, number + 50

    assert watched(told, at - 20) == []


def test_a_long_start_and_a_first_step_that_compiles_are_no_stall() -> None:
    """Before the first step half an hour is allowed, and such a pause later on as well."""
    told = [step(1500, 0), *steps(1790, 20, 1, 1), *steps(1810 + 1400, 20, 1, 21)]

    assert watched([(5, News((), True)), *told], 3200) == []


def test_a_run_that_never_counts_is_judged_by_its_lines() -> None:
    """Its silence is measured from the last line of any kind."""
    told = [(float(at), News((), True)) for at in range(0, 3000, 60)]

    assert watched(told, 5000) == [
        (
            4740,
            Demand(
                STALL,
                "no line for 30 min; lines came every 60 s, the longest pause so far was 60 s",
                1800.0,
            ),
        )
    ]


def test_who_prints_other_lines_gets_more_time() -> None:
    """An evaluation prints lines and no step; half an hour of them is too much for steps of 2 s."""
    told = [*steps(10, 50, 2), *((120.0 + at, News((), True)) for at in range(0, 3000, 10))]

    assert [(now, demand.text) for now, demand in watched(told, 3000)] == [
        (
            1908,
            "no step for 30 min, the last line of any kind came 8 s ago; steps came every 2 s, "
            "the longest pause so far was 2 s",
        )
    ]


def test_output_that_comes_in_bursts_is_no_stall() -> None:
    """A buffer hands over many steps at once, every few minutes."""
    told = [
        (at, News((("w", number),), True))
        for number, at in zip(range(0, 900, 90), range(280, 9999, 280), strict=False)
    ]

    assert watched(told, 2900) == []


def test_who_is_stuck_in_two_looks_is_reported_at_once() -> None:
    """The processes are looked at after a minute without a step, and once more a minute later."""
    assert watched(steps(10, 20, 2), 400, look=STUCK) == [
        (
            168,
            Demand(
                STALL,
                "no step for 2 min; steps came every 2 s, the longest pause so far was 2 s; "
                "rank 1 is stopped",
                120.0,
            ),
        )
    ]


def test_who_writes_a_checkpoint_gets_more_time() -> None:
    """Six times the limit, but not for ever."""
    assert [now for now, _ in watched(steps(10, 20, 2), 4000, look=BUSY)] == [48 + 1800]
    assert [now for now, _ in watched(steps(10, 20, 2), 4000, look=IDLE)] == [48 + 300]


def test_a_person_can_give_the_limit() -> None:
    """Then neither pace nor start count."""
    assert [now for now, _ in watched(steps(10, 20, 2), 400, 30)] == [78]
    assert [now for now, _ in watched([], 400, 30)] == [30]


def test_a_loss_that_stays_nonfinite_is_told_once() -> None:
    """The record is quoted."""
    bad = News((("w", 9),), True, "step 9 loss nan")

    assert watched([*steps(1, 5, 1), (7.0, bad), (8.0, bad)], 20) == [
        (7, Demand(NONFINITE, "the loss is no finite number any more: step 9 loss nan", 0.0))
    ]


def test_time_in_which_the_watch_did_not_run_is_no_silence() -> None:
    """Ctrl-Z stops the watch with the run."""
    man = Watchman(0.0, None, has_processes=False, from_logs=False)
    for at, news in steps(0, 20, 2):
        man.hear(Heard(news, 0.0, 10), at)
    man.forgive(4000)

    assert man.due(4100) is None
    assert man.due(4340) is not None


def test_a_line_of_trouble_is_checked_once_it_is_quiet_and_then_more_rarely() -> None:
    """Reading everything again costs, and some print errors all the time."""
    man = Watchman(0.0, None, has_processes=False, from_logs=True)
    checked = []
    for now in range(600):
        man.hear(Heard(News((("w", now),), True, "", now % 7 == 0), 0.0, 10), now)
        demand = man.due(now)
        if demand is not None:
            checked.append((now, demand.what))
            man.checked(0.5, now)

    assert checked == [(60, "check"), (123, "check"), (243, "check"), (483, "check")]
