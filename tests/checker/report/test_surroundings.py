"""What stands around the diagnoses."""

from checker.model import Input, RankState
from checker.report.surroundings import not_looked_rows, rank_rows, unexplained_rows
from tests.checker.report_records import EXIT, line, observations, read_input, report, writer


def state(rank: int, step: int | None, code: int | None = None) -> RankState:
    """A rank that ended with an exit code, or of which no end is known."""
    ended = None if code is None else EXIT._replace(rank=rank, signal=None, code=code)
    return RankState(rank, None, None, step, None, ended)


def shown(*states: RankState) -> list[str]:
    """The rows of a report on ranks alone."""
    return [text for _, text in rank_rows(report(observations(ranks=states)))]


def test_ranks_that_all_did_the_same_are_not_listed() -> None:
    """A healthy run has no section on its ranks, also if only rank 0 printed steps."""
    assert shown(state(0, 9), state(1, 9)) == []
    assert shown(state(0, 9), state(1, None)) == []


def test_the_rank_that_differs_stands_first() -> None:
    """The smallest group is the odd one out; ranks of which nothing is known are left out."""
    assert shown(state(0, 9), state(1, 9), state(2, 4), state(3, None)) == [
        "  rank 2: last step 4",
        "  ranks 0-1: last step 9",
    ]


def test_ranks_that_failed_are_listed_even_if_all_did() -> None:
    """How they ended is what the person needs."""
    assert shown(state(0, 9, 1), state(1, 9, 1)) == [
        "  ranks 0-1: last step 9, ended with exit code 1"
    ]


def test_many_different_ranks_are_summed_up() -> None:
    """The section does not grow with the number of ranks."""
    rows = shown(*(state(rank, rank) for rank in range(100)))
    assert rows[:2] + rows[5:] == [
        "  rank 0: last step 0",
        "  rank 1: last step 1",
        "  rank 5: last step 5",
        "  and 94 ranks in other states",
    ]


def test_only_the_first_unexplained_lines_are_quoted() -> None:
    """Long lines are shown from where the program speaks."""
    lines = [
        line("a.log", number, "[default0]:[rank0]:" + "E" * 199, writer(0)) for number in range(7)
    ]
    rows = [text for _, text in unexplained_rows(lines, 5)]
    assert rows[:3] + rows[15:] == [
        "  a.log:0  (rank 0)",
        "    | ..." + "E" * 71,
        "    | " + "E" * 51 + "...",
        "  and 2 more lines (--format json has all)",
    ]


def test_what_was_not_looked_at_takes_a_line_for_each_reason() -> None:
    """A flood of skipped files or entries does not bury the rest."""
    skipped = [
        Input(f"f{number}", "skipped", "binary", None, None, None, None, None, False)
        for number in range(9)
    ]
    cut = read_input("z.gz", reason="cut gzip archive, read to where it is cut")
    found = report(
        observations(read_input("a"), cut, *skipped),
        not_checked=(("one", "no kernel log"), ("two", "no kernel log")),
    )
    assert [text for _, text in not_looked_rows(found)] == [
        "  - 9 inputs: binary (f0, f1, f2, f3, ...)",
        "  - 1 input: cut gzip archive, read to where it is cut (z.gz)",
        "  - 2 entries: no kernel log (one, two)",
    ]
