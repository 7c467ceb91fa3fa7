"""How fast writers count, as reports tell it."""

from checker.match.pace import paces_of
from checker.scan.observe import observe_texts


def told(text: str) -> list[tuple[object, ...]]:
    """Rank, usual pause, number of pauses, last step, its line and time of each writer."""
    seen = observe_texts({"train.log": text}, frozenset({"metric loss"}), {}, {})
    return [
        (
            pace.writer.rank,
            pace.seconds and round(pace.seconds, 3),
            pace.pauses,
            pace.step,
            pace.number,
            pace.moment and pace.moment.seconds % 3600,
        )
        for pace in paces_of(seen.samples)
    ]


def test_steps_with_times_have_a_usual_pause() -> None:
    """The median of the pauses is told, so that one long checkpoint changes nothing."""
    seconds = [0, 2, 4, 6, 200, 202]
    text = "".join(
        f"2026-08-14 03:{at // 60:02d}:{at % 60:02d},000 INFO train: step {step} loss 2.5\n"
        for step, at in enumerate(seconds)
    )
    assert told(text) == [(None, 2.0, 5, 5, 6, 202.0)]


def test_steps_that_are_not_all_printed_are_counted() -> None:
    """Where every tenth step is printed, a pause is a tenth of the time between two lines."""
    text = "".join(
        f"[rank3]: 2026-08-14 03:00:{at:02d},000 INFO train: step {10 * at} loss 2.5\n"
        for at in range(5)
    )
    assert told(text) == [(3, 0.1, 4, 40, 5, 4.0)]


def test_bars_tell_the_pace_of_lines_without_times() -> None:
    """The elapsed time of a bar is a clock of its own; it begins anew with another bar."""
    text = "".join(f" 34%|### | {n}/90 [00:0{2 * n}<01:41, 2.06s/it]\n" for n in range(1, 5))
    assert told(text) == [(None, 2.0, 3, 4, 4, None)]


def test_too_few_steps_have_no_pace() -> None:
    """Two pauses say nothing of the usual one; the last step is told all the same."""
    text = "".join(
        f"2026-08-14 03:00:0{at},000 INFO train: step {at} loss 2.5\n" for at in range(3)
    )
    assert told(text) == [(None, None, 0, 2, 3, 2.0)]
