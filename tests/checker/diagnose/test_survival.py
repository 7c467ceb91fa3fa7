"""What the run as a whole survived: the steps of one rank speak for those that count nothing."""

from typing import Any

import pytest

from tests.checker.failures import catalogue_of, diagnosed

pytestmark = pytest.mark.rule("recovery")

LOADER: tuple[dict[str, Any], dict[str, Any]] = (
    {
        "signs": {"died": "DataLoader worker (pid <pid>) is killed by signal"},
        "signatures": [{"decisive": ["died"]}],
    },
    {},
)
LIMIT: tuple[dict[str, Any], dict[str, Any]] = (
    {
        "signs": {"limit": {"log": "DUE TO TIME LIMIT ***", "source": "scheduler"}},
        "signatures": [{"decisive": ["limit"]}],
    },
    {"kind": "stop"},
)
CATALOGUE = catalogue_of("peer-connection-lost", loader=LOADER, limit=LIMIT)
DIED = "[rank3]: WARNING rebuilding: DataLoader worker (pid 29361) is killed by signal: Bus error\n"
PEER = "[rank0]: RuntimeError: Connection closed by peer\n"
CANCEL = (
    "slurmstepd: error: *** STEP 88.0 ON node-a CANCELLED AT 2026-08-14T05:00:00 "
    "DUE TO TIME LIMIT ***\n"
)
RAISED = (
    "[rank1]: Traceback (most recent call last):\n"
    '[rank1]:   File "/workspace/train.py", line 7, in step\n'
    "[rank1]: KeyError: 'labels'\n"
)


def steps(first: int, last: int, rank: int = 0) -> str:
    """Steps that a rank prints."""
    return "".join(f"[rank{rank}]: step {n} loss 2.5\n" for n in range(first, last + 1))


def found(**files: str) -> tuple[list[str], list[str]]:
    """Name the entries that stand, and those that are recovered."""
    report = diagnosed(CATALOGUE, {f"{name}.log": text for name, text in files.items()})
    return [d.rule["id"] for d in report.diagnoses], [d.rule["id"] for d in report.recovered]


def test_many_steps_of_another_rank_show_that_a_silent_one_went_on() -> None:
    """A rank may be some steps ahead of one that failed, but not ten."""
    assert found(a=steps(1, 3) + DIED + steps(4, 13)) == ([], ["loader"])
    assert found(a=steps(1, 3) + DIED + steps(4, 12)) == (["loader"], [])
    assert found(a=steps(1, 3) + DIED) == (["loader"], [])


def test_epochs_and_steps_that_are_not_all_printed_count_too() -> None:
    """Whoever prints every hundredth step made a hundred."""
    far = "[rank0]: step 100 loss 2.5\n[rank0]: step 200 loss 2.4\n"
    assert found(a=DIED + far) == ([], ["loader"])
    epochs = "".join(f"[rank0]: {{'loss': 1.9, 'epoch': 0.{n:02}}}\n" for n in range(10))
    assert found(a=DIED + epochs) == ([], ["loader"])


def test_end_of_the_training_counts_as_well() -> None:
    """Nobody trains to the end without the others."""
    assert found(a=DIED + steps(4, 5) + "[rank0]: Training completed\n") == ([], ["loader"])


def test_own_steps_decide_where_a_rank_counts_itself() -> None:
    """The others may go on where one that printed its steps no longer does."""
    assert found(a=steps(1, 3, 3) + DIED + steps(4, 40)) == (["loader"], [])
    assert found(a=steps(1, 3, 3) + DIED + steps(4, 5, 3)) == ([], ["loader"])


@pytest.mark.parametrize(
    ("trouble", "standing"),
    [
        (PEER, ["loader", "peer-connection-lost"]),
        (RAISED, ["loader"]),
        ("srun: error: node-a: task 3: Exited with exit code 1\n", ["loader"]),
    ],
)
def test_what_failed_later_may_follow_from_it(trouble: str, standing: list[str]) -> None:
    """Steps between are no proof then: some failures of a child show late."""
    assert found(a=DIED + steps(4, 40) + trouble)[0] == standing


def test_what_followed_may_have_passed_too() -> None:
    """A symptom that the run went on after is no sign that its cause lasted."""
    lost = PEER.replace("rank0", "rank3")
    assert found(a=DIED + lost + steps(4, 13)) == ([], ["loader", "peer-connection-lost"])
    assert found(a=DIED + steps(4, 13) + lost) == (["loader", "peer-connection-lost"], [])


def test_exception_that_the_run_outlived_was_handled() -> None:
    """Whoever printed its frames and went on has no word for it where others count."""
    known = catalogue_of("user-code-error", loader=LOADER)
    for text, standing in (
        (RAISED + steps(4, 13), []),
        (RAISED + steps(4, 12), ["user-code-error"]),
        (RAISED.replace("rank1", "rank0") + steps(4, 5), []),
        (DIED + RAISED + steps(4, 13), []),
        (DIED + steps(4, 13) + RAISED, ["loader", "user-code-error"]),
    ):
        report = diagnosed(known, {"a.log": steps(1, 3) + text})
        assert [d.rule["id"] for d in report.diagnoses] == standing


def test_stop_after_many_steps_has_another_reason() -> None:
    """A run that counted on for long did not hang when its time was over."""
    assert found(a=DIED + steps(4, 40) + CANCEL) == (["limit"], ["loader"])
    assert found(a=DIED + steps(4, 9) + CANCEL) == (["loader", "limit"], [])


def timed(text: str) -> str:
    """Give each line a time, a second after the one before."""
    rows = text.splitlines(True)
    return "".join(f"2026-08-14 03:02:{at:02} {row}" for at, row in enumerate(rows))


def test_files_of_two_ranks_are_compared_by_their_times() -> None:
    """Without times nothing shows which came first."""
    message = "2026-08-14 03:02:01 " + DIED
    assert found(a=message, b=timed(steps(1, 20))) == ([], ["loader"])
    assert found(a=message, b=timed(steps(1, 11))) == (["loader"], [])
    assert found(a=DIED, b=timed(steps(1, 20))) == (["loader"], [])
    assert found(a=message, b=steps(1, 20)) == (["loader"], [])


def test_steps_of_nobody_are_the_runs_if_they_stand_around_the_message_alone() -> None:
    """NCCL writes to files of its own; a run that begins later, or beside others, is another."""
    message = "2026-08-14 03:02:04 " + DIED
    nameless = timed(steps(1, 20).replace("[rank0]: ", ""))
    assert found(a=message, b=nameless) == ([], ["loader"])
    assert found(a=message.replace(":04", ":00"), b=nameless) == (["loader"], [])
    assert found(a=message, b=nameless, c=nameless) == (["loader"], [])
