"""Exception blocks are read as Python prints them, whoever carries or mixes them."""

import pytest

from checker.model import NOT_BEFORE, Moment, Traceback
from checker.scan.observe import observe_texts


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
        "distributed checkpoint, what each rank raised first",
        HEAD
        + "torch.distributed.checkpoint.api.CheckpointException: "
        + "CheckpointException ranks:dict_keys([0, 3])\n"
        + HEAD.replace("last):", "last): (RANK 0)")
        + "OSError: [Errno 28] No space left on device\n"
        + HEAD.replace("last):", "last): (RANK 3)")
        + "ValueError: bad\n\nstep 2\n",
        [
            [
                ("OSError", "[Errno 28] No space left on device", 1),
                ("ValueError", "bad", 1),
                (
                    "torch.distributed.checkpoint.api.CheckpointException",
                    "CheckpointException ranks:dict_keys([0, 3])",
                    1,
                ),
            ]
        ],
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
        "replica, inner block first",
        HEAD
        + "RuntimeError: Caught RuntimeError in replica 1 on device 1.\n"
        + "Original "
        + HEAD
        + "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x3 and 4x2)\n\n",
        [
            [
                ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (8x3 and 4x2)", 1),
                ("RuntimeError", "Caught RuntimeError in replica 1 on device 1.", 1),
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
    (
        "Ray task by its bare name",
        HEAD
        + "RayTaskError(KeyError): ray::fit() (pid=4, ip=10.1.2.3)\n"
        + "  File \"/w/b.py\", line 1, in g\n    h()\nKeyError: 'x'\n",
        [
            [
                ("KeyError", "'x'", 1),
                ("RayTaskError", "ray::fit() (pid=4, ip=10.1.2.3)", 1),
            ]
        ],
    ),
    (
        "Ray task whose remote stack is cut",
        HEAD
        + "ray.exceptions.RayTaskError(KeyError): ray::fit() (pid=4, ip=10.1.2.3)\n"
        + '  File "/w/b.py", line 1, in g\n    h()\n',
        [
            [
                ("KeyError", "", 1),
                ("ray.exceptions.RayTaskError", "ray::fit() (pid=4, ip=10.1.2.3)", 1),
            ]
        ],
    ),
    (
        "Ray task without its remote stack",
        HEAD + "ray.exceptions.RayTaskError(KeyError): ray::fit() (pid=4, ip=10.1.2.3)\n",
        [
            [
                ("KeyError", "", 0),
                ("ray.exceptions.RayTaskError", "ray::fit() (pid=4, ip=10.1.2.3)", 1),
            ]
        ],
    ),
    (
        "Ray task without the driver's stack",
        "RayTaskError(KeyError): ray::fit() (pid=4, ip=10.1.2.3)\n"
        + "  File \"/w/b.py\", line 1, in g\n    h()\nKeyError: 'x'\nnext trial\n",
        [
            [
                ("KeyError", "'x'", 1),
                ("RayTaskError", "ray::fit() (pid=4, ip=10.1.2.3)", 0),
            ]
        ],
    ),
    (
        "lines of other records below",
        HEAD + "RuntimeError: bad\n[Epoch 3] batch 12\n",
        [[("RuntimeError", "bad", 1)]],
    ),
    (
        "a warning below",
        HEAD + "RuntimeError: bad\n/opt/x/y.py:12: UserWarning: z\n  warn()\n",
        [[("RuntimeError", "bad", 1)]],
    ),
    (
        "anything below an exception of one line",
        HEAD + "KeyError: 'k'\nSaving the state of the loader\n",
        [[("KeyError", "'k'", 1)]],
    ),
    (
        "size mismatch list",
        HEAD
        + "RuntimeError: Error(s) in loading state_dict for Net:\n"
        + "\tsize mismatch for a.weight: copying a param with shape torch.Size([2]).\n"
        + "\tsize mismatch for b.weight: copying a param with shape torch.Size([3]).\n",
        [
            [
                (
                    "RuntimeError",
                    "Error(s) in loading state_dict for Net:\n"
                    "\tsize mismatch for a.weight: copying a param with shape torch.Size([2]).\n"
                    "\tsize mismatch for b.weight: copying a param with shape torch.Size([3]).",
                    1,
                )
            ]
        ],
    ),
    (
        "message of pydantic",
        HEAD
        + "pydantic_core._pydantic_core.ValidationError: 1 validation error for Config\n"
        + "lr\n  Input should be a valid number [type=float_parsing]\n",
        [
            [
                (
                    "pydantic_core._pydantic_core.ValidationError",
                    "1 validation error for Config\n"
                    "lr\n  Input should be a valid number [type=float_parsing]",
                    1,
                )
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
        ("INFO", "[deepspeed] OVERFLOW! Rank 0 Skipping step.", False),
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
    assert block.line.moment == Moment(1796033811.0, "utc", 1.0)
    assert [(part.type, len(part.frames)) for part in block.parts] == [("KeyError", 1)]
    assert [hit.line.text for hit in seen.hits] == ["KeyError: 'x'"]


@pytest.mark.parametrize(
    "above",
    [
        "W1130 10:19:00.951000 16754 torch/multiprocessing/spawn.py:165] "
        "Terminating process 18586 via signal SIGTERM",
        "W1130 10:19:00.951000 16754 torch/utils/cpp_extension.py:2100] "
        "Failed to read the flags, going on without",
        "[W1130 10:19:00.951000000 socket.cpp:200] [c10d] The client socket has failed",
        "2026-11-30 10:14:00,000 WARNING /w/a.py:3: FutureWarning: this fails one day",
        "[2026-11-30 10:14:00,000] [WARNING] [real_accelerator.py:209:get_accelerator] Setting "
        "accelerator to CPU. If you have GPU or other accelerator, we were unable to detect it.",
    ],
)
def test_a_record_that_carries_no_exception_does_not_handle_one(above: str) -> None:
    """Torch gives each line of a logged exception a head, and DeepSpeed logs none."""
    text = above + "\n" + HEAD + "KeyError: 'x'\nstep 3 loss 2.0\n"
    assert [block.handled for block in blocks(text)] == [False]


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (
            "a.errors.GatedRepoError: 401 Client Error. (Request ID: Root=1-0)",
            "401 Client Error. (Request ID: Root=1-0)\n\nCannot access gated repo\nfor url x",
        ),
        (
            "a.errors.HfHubHTTPError: (Request ID: Root=1-0)",
            "(Request ID: Root=1-0)\n\nCannot access gated repo\nfor url x",
        ),
        (
            "huggingface_hub.errors.HfHubHTTPError: ",
            "\n\nCannot access gated repo\nfor url x",
        ),
        ("httpx.HTTPStatusError: Server Error", "Server Error"),
        ("ValueError: 401 Client Error of ours", "401 Client Error of ours"),
    ],
)
def test_an_answer_of_a_server_stands_below_an_empty_line(raised: str, message: str) -> None:
    """The Hub's library prints its status, an empty line, and then what it is about."""
    text = HEAD + raised + "\n\nCannot access gated repo\nfor url x\n\nLeaving.\n"
    (block,) = blocks(text)
    assert block.parts[0].message == message


def test_what_torch_prints_of_an_uncaught_exception_is_none_that_was_handled() -> None:
    """A program that repeats at INFO what its ranks print says nothing of who caught it."""
    head = "2026-10-31 03:11:02,475 - trainer - INFO - "
    rows = ["Traceback (most recent call last):", '  File "a.py", line 1, in f', "ValueError: x"]
    told = [head + "[rank7]: " + row + "\n" for row in rows]
    (block,) = blocks("".join(told))
    assert (block.parts[0].type, block.line.writer.rank, block.handled) == ("ValueError", 7, False)
    logged = "".join(head + row + "\n" for row in rows)
    assert [block.handled for block in blocks(logged)] == [True]


@pytest.mark.parametrize(
    ("after", "handled"),
    [
        ("", False),
        ("E1130 10:14:01.000000 7 torch/distributed/elastic/agent.py:9] failed\n", False),
        (
            "[W1130 10:14:01.0 ProcessGroupNCCL.cpp:9] destroy_process_group() was not called\n",
            False,
        ),
        ("2026-11-30 10:14:01,000 INFO train: next batch\n", True),
        (HEAD + "ValueError: y\n", True),
    ],
)
def test_a_process_that_went_on_handled_its_exception(after: str, handled: bool) -> None:
    """Where the record above says nothing of it, what the writer writes next decides."""
    text = "2026-11-30 10:14:00,000 WARNING data: long sequence\n" + HEAD + "KeyError: 'x'\n"
    assert blocks(text + after)[0].handled == handled


@pytest.mark.parametrize(("code", "handled"), [(1, False), (-15, True)])
def test_no_exception_hides_where_the_writer_is_not_known(code: int, handled: bool) -> None:
    """Lines without a prefix may be of the process that the launcher saw end by itself."""
    text = (
        "2026-11-30 10:14:00,000 WARNING data: could not read\n"
        + HEAD
        + "KeyError: 'x'\nother rank is waiting\n"
        + "E1130 10:14:02.000000 7 torch/distributed/elastic/multiprocessing/api.py:880] "
        + f"failed (exitcode: {code}) local_rank: 1 (pid: 41825) of binary: /usr/bin/python3\n"
    )
    assert [block.handled for block in blocks(text)] == [handled]


def test_steps_below_an_exception_are_read() -> None:
    """A block ends where the steps go on, with a blank line between or not."""
    for blank in ("", "\n"):
        text = HEAD + "KeyError: 'k'\n" + blank + "step 3 loss 2.0\nstep 4 loss 2.0\n"
        seen = observe_texts({"train.log": text}, frozenset(), {}, {})
        assert [block.end for block in seen.tracebacks] == [4]
        assert [sample.step for sample in seen.samples] == [3, 4]


def test_a_task_that_nobody_asked_for_its_exception_ends_no_process() -> None:
    """Python reports it when the task is collected; the process goes on."""
    text = (
        "Task exception was never retrieved\n"
        "future: <Task finished name='Task-2' coro=<log() done> exception=KeyError('x')>\n"
        "Traceback (most recent call last):\n"
        '  File "/workspace/train.py", line 7, in log\n'
        "KeyError: 'x'\n"
    )
    assert [block.handled for block in blocks(text)] == [True]


NOW = HEAD + "KeyError: 'x'\n"
TIME = "2026-11-30 10:00:10,000 "
SECONDS = 1796032810.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TIME + "ERROR train failed\n" + NOW, Moment(SECONDS, "local", 1.0)),
        (TIME + "INFO step 4\n" + NOW, Moment(SECONDS, "local", NOT_BEFORE)),
        (TIME + "ERROR train failed\ncleaning up\n" + NOW, Moment(SECONDS, "local", NOT_BEFORE)),
        (TIME + "ERROR train failed\n" + NOW + "\n" + NOW, Moment(SECONDS, "local", NOT_BEFORE)),
        (TIME + ("\n" + TIME).join(NOW.splitlines()), Moment(SECONDS, "local", 0.001)),
        ("step 4\n" + NOW, None),
        (
            "[rank1]: "
            + TIME
            + "ERROR train failed\n"
            + "[rank2]: "
            + NOW.replace("\n", "\n[rank2]: "),
            None,
        ),
    ],
    ids=["logged", "below", "later", "second", "own", "none", "of another writer"],
)
def test_a_block_is_not_before_the_last_time_above_it(text: str, expected: Moment | None) -> None:
    """A block without a time was printed after its writer's last line that has one."""
    found = blocks(text)[-1]
    assert found.line.moment == expected


HEADED = [
    (
        "INFO 08-14 03:02:08 [core.py:58] ",
        "ERROR 08-14 03:02:09 [core.py:708] ",
        "WARNING 08-14 03:02:09 [core.py:708] ",
    ),
    (
        "2026-08-14 03:02:08 INFO train: ",
        "2026-08-14 03:02:09 ERROR train: ",
        "2026-08-14 03:02:09 WARNING train: ",
    ),
    (
        "2026-08-14 03:02:08,123 INFO ",
        "2026-08-14 03:02:09,123 ERROR ",
        "2026-08-14 03:02:09,123 WARNING ",
    ),
    (
        "2026-08-14 03:02:08,123 INFO     ",
        "2026-08-14 03:02:09,123 ERROR    ",
        "2026-08-14 03:02:09,123 WARNING  ",
    ),
    (
        "2026-08-14 03:02:08.123 | INFO     | __main__:main:29 - ",
        "2026-08-14 03:02:09.123 | ERROR    | __main__:main:30 - ",
        "2026-08-14 03:02:09.123 | WARNING  | __main__:main:30 - ",
    ),
    (
        "[2026-08-14 03:02:08,123] [INFO] [train.py:12] ",
        "[2026-08-14 03:02:09,123] [ERROR] [train.py:12] ",
        "[2026-08-14 03:02:09,123] [WARNING] [train.py:12] ",
    ),
    (
        "[2026-08-14 03:02:08,123][__main__][INFO] - ",
        "[2026-08-14 03:02:09,123][__main__][ERROR] - ",
        "[2026-08-14 03:02:09,123][__main__][WARNING] - ",
    ),
    (
        "[INFO] 2026-08-14 03:02:08,123 train.py:12: ",
        "[ERROR] 2026-08-14 03:02:09,123 train.py:12: ",
        "[WARNING] 2026-08-14 03:02:09,123 train.py:12: ",
    ),
    ("03:02:08 INFO train: ", "03:02:09 ERROR train: ", "03:02:09 WARNING train: "),
    ("INFO:train:", "ERROR:train:", "WARNING:train:"),
    ("<train INFO> ", "<train ERROR> ", "<train WARNING> "),
]


@pytest.mark.parametrize(("info", "error", "warning"), HEADED)
def test_a_head_before_every_line_of_a_block_is_taken_off(
    info: str, error: str, warning: str
) -> None:
    """Frames and exceptions are read behind a logger's head, whose level tells who handled them."""
    chain = [
        "Traceback (most recent call last):",
        '  File "/app/train.py", line 42, in main',
        "    save(state)",
        "OSError: [Errno 28] No space left on device",
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        "Traceback (most recent call last):",
        '  File "/app/train.py", line 44, in main',
        "    close()",
        "KeyError: 'x'",
    ]
    steps = [info + f"step {step} done" for step in range(6)]
    for head, handled in ((error, False), (warning, True)):
        rows = [*steps, *((head + row).rstrip() for row in chain), *steps]
        found = blocks("\n".join(rows) + "\n")
        told = [
            [
                (part.type, part.message, [frame.code for frame in part.frames])
                for part in block.parts
            ]
            for block in found
        ]
        assert told == [
            [
                ("OSError", "[Errno 28] No space left on device", ["save(state)"]),
                ("KeyError", "'x'", ["close()"]),
            ]
        ]
        assert [block.handled for block in found] == [handled]
