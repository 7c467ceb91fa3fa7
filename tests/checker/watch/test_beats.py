"""Pieces of output, and the news in them."""

import pytest

from checker.watch.beats import BeatReader, News


def fed(*pieces: str) -> list[News]:
    """Feed one reader."""
    reader = BeatReader()
    return [reader.feed(piece.encode()) for piece in pieces]


def test_steps_are_read_from_whole_lines_only() -> None:
    """A line may come in two pieces."""
    assert fed("step 1 loss 2.0\nste", "p 2 loss", " 1.9\n") == [
        News((("('unknown', None)", 1),), True),
        News((), True),
        News((("('unknown', None)", 2),), True),
    ]


def test_a_bar_counts_without_line_feeds_and_a_shorter_one_does_not() -> None:
    """An evaluation draws its own bar inside that of the training."""
    bar = "\r{0}%|##   | {0}/100 [00:10<01:00, 1.0it/s]"
    shorter = "\r50%|##   | 5/10 [00:01<00:01, 5.0it/s]\r"

    assert [news.steps for news in fed(bar.format(7), bar.format(8) + shorter, shorter)] == [
        (),
        ((("('unknown', None)"), 8),),
        (),
    ]


def test_ranks_in_one_stream_count_apart() -> None:
    """What torchrun puts before their lines tells them apart."""
    told = fed("".join(f"[default{rank}]:step {4 + rank} loss 1.0\n" for rank in (0, 1)))

    assert told[0].steps == (
        ("('local', 0, None, None)", 4),
        ("('local', 1, None, None)", 5),
    )


@pytest.mark.parametrize(
    ("lines", "quoted"),
    [
        (["loss nan"] * 3, "step 3 loss nan"),
        (["loss inf"] * 3, "step 3 loss inf"),
        (["loss nan", "loss nan", "loss 2.1", "loss nan", "loss nan"], ""),
        (["loss 2.1 grad_norm nan"] * 5, ""),
        (["eval_loss nan"] * 5, ""),
        (["loss 2.1 loss_scale inf"] * 5, ""),
    ],
)
def test_a_loss_is_lost_after_three_records(lines: list[str], quoted: str) -> None:
    """Norms overflow in healthy runs, one loss may do so, and a validation is another series."""
    told = fed(*(f"step {number} {line}\n" for number, line in enumerate(lines, 1)))

    assert [news.nonfinite for news in told if news.nonfinite] == ([quoted] if quoted else [])


def test_a_finite_loss_between_bad_ones_counts() -> None:
    """Also where the pieces are large."""
    good = "".join(f"step {number} loss 1.0\n" for number in range(2, 100))

    assert [
        news.nonfinite for news in fed("step 1 loss nan\n", good, "step 100 loss nan\n" * 2)
    ] == [
        "",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("step 3 loss 1.0", (False, False)),
        ("Traceback (most recent call last):", (True, False)),
        ("torch.OutOfMemoryError: CUDA out of memory.", (True, False)),
        ("failed (exitcode: -9) local_rank: 1", (True, False)),
        ("Training completed. Do not forget to share your model", (False, True)),
        ("100%|#####| 20/20 [00:10<00:00, 1.0it/s]", (False, True)),
    ],
)
def test_what_is_worth_a_closer_look(line: str, expected: tuple[bool, bool]) -> None:
    """Trouble is only suspected here; a regular end is taken for one."""
    (news,) = fed(line + "\n")

    assert (news.trouble, news.finished) == expected


def test_a_step_after_the_end_of_a_bar_begins_the_next_epoch() -> None:
    """The run has not ended then."""
    bar = "{}%|#####| {}/20 [00:10<00:00, 1.0it/s]\n"

    assert [news.finished for news in fed(bar.format(100, 20), bar.format(5, 1))] == [True, False]


def test_no_piece_is_too_much() -> None:
    """Bytes of any kind are survived, and a line without an end is not kept."""
    reader = BeatReader()
    for piece in (b"\0\xff" * 40000, b"step " * 30000, b"\r" * 70000, b"nan" * 50000 + b"\n"):
        assert reader.feed(piece).steps == ()
