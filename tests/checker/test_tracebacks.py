"""Exception blocks are read as Python prints them, whoever carries or mixes them."""

import pytest

from checker.model import Traceback
from checker.scan import observe_texts


def blocks(text: str) -> tuple[Traceback, ...]:
    """Read the exception blocks of one log."""
    return observe_texts({"train.log": text}, frozenset(), {}, {}).tracebacks


def parts(text: str) -> list[list[tuple[str, str, int]]]:
    """Name type, message and number of frames of all parts of all blocks."""
    return [
        [(part.type, part.message, len(part.frames)) for part in block.parts]
        for block in blocks(text)
    ]


HEAD = 'Traceback (most recent call last):\n  File "/w/train.py", line 9, in main\n    run()\n'

CASES = [
    ("plain", HEAD + "KeyError: 'x'\nstep 2\n", [[("KeyError", "'x'", 1)]]),
    (
        "carets and repeats",
        HEAD + "    ^^^^^\n  [Previous line repeated 96 more times]\nRecursionError: deep\n",
        [[("RecursionError", "deep", 1)]],
    ),
    (
        "chain, origin first",
        HEAD
        + "KeyError: 'x'\n\n"
        + "The above exception was the direct cause of the following exception:\n\n"
        + HEAD
        + "ValueError: bad\n",
        [[("KeyError", "'x'", 1), ("ValueError", "bad", 1)]],
    ),
    (
        "during handling",
        HEAD
        + "KeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\n"
        + HEAD
        + "ValueError: bad\n",
        [[("KeyError", "'x'", 1), ("ValueError", "bad", 1)]],
    ),
    (
        "loader worker, inner block first",
        HEAD
        + "KeyError: Caught KeyError in DataLoader worker process 0.\n"
        + "Original "
        + HEAD
        + "KeyError: 'x'\n\n",
        [
            [
                ("KeyError", "'x'", 1),
                ("KeyError", "Caught KeyError in DataLoader worker process 0.", 1),
            ]
        ],
    ),
    (
        "pool, remote block first",
        'multiprocessing.pool.RemoteTraceback: \n"""\n'
        + HEAD
        + 'KeyError: \'x\'\n"""\n\n'
        + "The above exception was the direct cause of the following exception:\n\n"
        + HEAD
        + "KeyError: 'x'\n",
        [[("KeyError", "'x'", 1), ("KeyError", "'x'", 1)]],
    ),
    (
        "spawn",
        HEAD
        + "torch.multiprocessing.spawn.ProcessRaisedException: \n\n"
        + "-- Process 1 terminated with the following error:\n"
        + HEAD
        + "KeyError: 'x'\n",
        [[("KeyError", "'x'", 1), ("torch.multiprocessing.spawn.ProcessRaisedException", "", 1)]],
    ),
    (
        "exception group",
        "  + Exception Group Traceback (most recent call last):\n"
        '  |   File "/w/a.py", line 1, in main\n  |     run()\n'
        "  | ExceptionGroup: two (2 sub-exceptions)\n"
        "  +-+---------------- 1 ----------------\n"
        "    | Traceback (most recent call last):\n"
        '    |   File "/w/a.py", line 2, in one\n    |     f()\n'
        "    | KeyError: 'x'\n"
        "    +---------------- 2 ----------------\n"
        "    | ValueError: y\n"
        "    +------------------------------------\n",
        [
            [
                ("KeyError", "'x'", 1),
                ("ValueError", "y", 0),
                ("ExceptionGroup", "two (2 sub-exceptions)", 1),
            ]
        ],
    ),
    (
        "syntax error of the program itself",
        '  File "/w/train.py", line 3\n    foo bar\n        ^^^\nSyntaxError: invalid syntax\n',
        [[("SyntaxError", "invalid syntax", 1)]],
    ),
    (
        "syntax error while importing",
        HEAD + '  File "/w/b.py", line 3\n    foo bar\n        ^^^\nSyntaxError: invalid syntax\n',
        [[("SyntaxError", "invalid syntax", 2)]],
    ),
    (
        "behind a progress bar",
        " 10%|#  | 1/10 [00:01<00:09, 1.0it/s]" + HEAD + "KeyError: 'x'\n",
        [[("KeyError", "'x'", 1)]],
    ),
    (
        "Ray task, remote stack first",
        HEAD
        + "ray.exceptions.RayTaskError(KeyError): ray::Trainer.fit() (pid=4, ip=10.1.2.3)\n"
        + "  File \"/w/b.py\", line 1, in g\n    h()\nKeyError: 'x'\n",
        [
            [
                ("KeyError", "'x'", 1),
                (
                    "ray.exceptions.RayTaskError",
                    "ray::Trainer.fit() (pid=4, ip=10.1.2.3)",
                    1,
                ),
            ]
        ],
    ),
    ("cut at the end of the file", HEAD, [[("", "", 1)]]),
    (
        "message of several lines, ended by a log record",
        HEAD + "RuntimeError: CUDA error: bad\nFor debugging\n2026-08-14 03:11:52,123 INFO a b\n",
        [[("RuntimeError", "CUDA error: bad\nFor debugging", 1)]],
    ),
    (
        "mixed writers without prefixes",
        "Traceback (most recent call last):\nTraceback (most recent call last):\n"
        '  File "/w/a.py", line 2, in one\n  File "/w/a.py", line 2, in one\n    f()\n    f()\n'
        "KeyError: 'x'\nValueError: y\n",
        [[("KeyError", "'x'", 0)], [("ValueError", "y", 0)]],
    ),
    (
        "writers told apart by prefix",
        "[rank0]: Traceback (most recent call last):\n[rank1]: Traceback (most recent call last):\n"
        '[rank0]:   File "/w/a.py", line 2, in one\n[rank1]:   File "/w/a.py", line 2, in one\n'
        "[rank1]: ValueError: y\n[rank0]: KeyError: 'x'\n",
        [[("KeyError", "'x'", 1)], [("ValueError", "y", 1)]],
    ),
]


@pytest.mark.parametrize(("name", "text", "expected"), CASES, ids=[case[0] for case in CASES])
def test_block_is_read(name: str, text: str, expected: object) -> None:
    """Types, messages and frames come out, the origin first."""
    assert parts(text) == expected


def test_mixed_blocks_are_marked() -> None:
    """Blocks of several writers without prefixes say that their frames are not known."""
    text = next(case[1] for case in CASES if case[0] == "mixed writers without prefixes")
    assert [block.separated for block in blocks(text)] == [False, False]


def test_an_ignored_exception_is_marked() -> None:
    """What stands under `Exception ignored in` is noise of a shutdown."""
    text = "Exception ignored in: <function X.__del__ at 0x7f>\n" + HEAD + "KeyError: 'x'\n"
    assert [block.ignored for block in blocks(text)] == [True]


@pytest.mark.parametrize(
    ("level", "words", "handled"),
    [
        ("WARNING", "attempt 1 of 5 failed", True),
        ("INFO", "retrying after an error", True),
        ("INFO", "step 3 loss 2.1", False),
        ("ERROR", "training failed", False),
    ],
)
def test_a_logged_exception_is_handled_below_error(level: str, words: str, handled: bool) -> None:
    """The record directly above a block tells whether the program went on."""
    text = f"2026-08-14 03:11:52,123 {level} {words}\n" + HEAD + "KeyError: 'x'\n"
    assert [block.handled for block in blocks(text)] == [handled]


def test_the_frames_are_outermost_first() -> None:
    """File, line, function and code of each frame are kept in Python's order."""
    text = HEAD + '  File "/w/b.py", line 3, in run\n    x["a"]\n    ~^^^^^\nKeyError: \'a\'\n'
    frames = blocks(text)[0].parts[0].frames
    assert [tuple(frame) for frame in frames] == [
        ("/w/train.py", 9, "main", "run()"),
        ("/w/b.py", 3, "run", 'x["a"]'),
    ]


def test_an_error_file_is_an_exception_with_its_time() -> None:
    """Torchelastic's error.json gives the exception, its stack, its time and its rank."""
    text = (
        '{"message": {"message": "KeyError: \'x\'", "extraInfo": {"py_callstack": '
        '"Traceback (most recent call last):\\n  File \\"/w/a.py\\", line 2, in f\\n    g()\\n'
        'KeyError: \'x\'\\n", "timestamp": "1796033811"}}}'
    )
    path = "logs/run_x/attempt_1/2/error.json"
    seen = observe_texts({path: text}, frozenset({"log KeyError"}), {}, {})
    block = seen.tracebacks[0]
    assert block.line.writer[:3] == ("rank", 2, 2)
    assert block.line.writer.attempt == 1
    assert block.line.moment == (1796033811.0, "utc", 1.0)
    assert [(part.type, len(part.frames)) for part in block.parts] == [("KeyError", 1)]
    assert [hit.line.text for hit in seen.hits] == ["KeyError: 'x'"]
