"""Lines that come very often are read until they tell nothing new; first and last ones always."""

import pytest

from checker.model import Observations, Traceback
from checker.scan.attention import Attention, care_for
from checker.scan.observe import observe_texts

LITERAL = "collective operation timed out here"
KEYS = frozenset({"log " + LITERAL})


def seen_in(rows: list[str]) -> Observations:
    """Read one log."""
    return observe_texts({"train.log": "\n".join(rows) + "\n"}, KEYS, {}, {})


def exception(kind: str, what: int, prefix: str = "") -> list[str]:
    """Print an exception block."""
    return [
        prefix + row
        for row in (
            "Traceback (most recent call last):",
            f'  File "/workspace/train.py", line {what % 900}, in step',
            "    loss = model(batch)",
            '  File "/workspace/model.py", line 41, in forward',
            "    x = self.table[key]",
            "        ~~~~~~~~~~^^^^^",
            f"{kind}: 'item-{what}'",
        )
    ]


def told(block: Traceback) -> tuple[object, ...]:
    """Line, rank, class and frames of a block, and what it stands for."""
    (part,) = block.parts
    count = len(part.frames)
    return block.line.number, block.line.writer.rank, part.type, count, block.times, block.exact


def test_few_exceptions_are_counted_exactly() -> None:
    """Up to a number every block is read and counted, though only some are kept."""
    rows = [row for what in range(64) for row in exception("KeyError", what)]
    blocks = seen_in(rows).tracebacks
    assert len(blocks) == 16
    assert told(blocks[0]) == (1, None, "KeyError", 2, 1, True)
    assert told(blocks[-1]) == (442, None, "KeyError", 2, 49, True)


def test_exceptions_far_apart_are_read_again() -> None:
    """Where attempt follows attempt in a file, blocks of later ones are read like the first."""
    quiet = [f"all well in part {part}" for part in range(2000)]
    attempt = [row for what in range(8) for row in exception("KeyError", what)] + quiet
    blocks = seen_in(attempt * 20).tracebacks
    assert sum(block.times for block in blocks) == 160
    assert blocks[-1].exact is True


@pytest.mark.parametrize("after", [0, 3000])
@pytest.mark.parametrize("between", [[], ["2026-08-14 03:00:00,123 ERROR train: step failed"]])
def test_storm_of_exceptions_keeps_the_first_and_the_last(after: int, between: list[str]) -> None:
    """Of very many blocks the first and the last are exact, and the count is the least."""
    rows = [row for what in range(3000) for row in between + exception("KeyError", what)]
    number = len(rows) - 6
    quiet = [f"all well in part {part}" for part in range(after)]
    blocks = seen_in(rows + quiet).tracebacks
    assert told(blocks[0]) == (1 + len(between), None, "KeyError", 2, 1, False)
    assert told(blocks[-1])[:4] == (number, None, "KeyError", 2)
    assert blocks[-1].exact is False
    assert 64 <= sum(block.times for block in blocks) < 3000


def test_other_exception_within_a_storm_is_read() -> None:
    """A class that was not seen before is read whole, however many others are around it."""
    rows = [row for what in range(3000) for row in exception("KeyError", what)]
    rows[14000:14000] = exception("ZeroDivisionError", 1)
    found = [told(block) for block in seen_in(rows).tracebacks]
    assert (14001, None, "ZeroDivisionError", 2, 1, False) in found


def test_first_exception_of_every_rank_is_read() -> None:
    """A rank that fails only after very many exceptions of others is known."""
    rows = [
        row for what in range(3000) for row in exception("KeyError", what, f"[rank{what % 3}]: ")
    ]
    rows[14000:14000] = exception("KeyError", 1, "[rank7]: ")
    found = [told(block) for block in seen_in(rows).tracebacks]
    assert (14001, 7, "KeyError", 2, 1, False) in found


def test_first_hit_of_every_rank_is_exact() -> None:
    """Of lines that are only counted, the first one of a rank is still read."""
    rows = [f"[rank{number % 3}]: {LITERAL}, {number}" for number in range(3000)]
    rows[2500] = f"[rank9]: {LITERAL}, 7"
    seen = seen_in(rows)
    assert [hit.line.number for hit in seen.hits if hit.line.writer.rank == 9] == [2501]
    assert [hit.exact for hit in seen.hits if hit.line.writer.rank == 9] == [False]
    assert max(hit.line.number for hit in seen.hits) == 3000


def test_first_line_of_each_rank_within_a_storm_is_read() -> None:
    """Of a shape that was read often enough, the first of each rank and the last one are exact."""
    rows = [f"[rank{row // 900}]: {LITERAL} after {row} ms" for row in range(9000)]
    seen = seen_in(rows)
    first = {}
    for hit in seen.hits:
        first.setdefault(hit.line.writer.rank, hit.line.number)
    assert first == {rank: 900 * rank + 1 for rank in range(10)}
    assert seen.hits[-1].line.number == 9000
    assert {hit.exact for hit in seen.hits} == {False}


def test_first_row_of_each_rank_is_chosen_once_by_prefix_or_words() -> None:
    """Of many rows those are chosen that begin with a new prefix, or name a new rank."""
    attention = Attention(frozenset(), care_for(0))
    rows = [
        b"[1,0]<stdout>: it broke",
        b"[rank7]: it broke 1",
        b"[rank7]: it broke 2",
        b"it broke on Rank 3, 10",
        b"it broke on Rank 3, 11",
        b"it broke on Rank 4, 12",
        b"it broke " + b"x" * 200 + b" Rank 5",
        b"[1,1]<stdout>: it broke",
    ]
    assert attention.new_ranks(frozenset({"it broke"}), rows) == [0, 1, 3, 5, 7]
    assert attention.new_ranks(frozenset({"it broke"}), rows) == []
    assert attention.new_ranks(frozenset({"another"}), rows[1:3]) == [0]
