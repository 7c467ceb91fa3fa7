"""What a line only mentions is no failure; in doubt it is one."""

import pytest

from checker.scan.observe import observe_texts
from checker.scan.quoting import is_mentioned
from tests.checker.observed import line

OOM = "CUDA out of memory"


@pytest.mark.parametrize(
    ("level", "text"),
    [
        (None, 'Namespace(epochs=3, stop_message="CUDA out of memory. Tried", seed=1)'),
        (None, "TrainingArguments(retry_on='CUDA out of memory', lr=1e-4)"),
        (None, "+ grep -c CUDA out of memory train.log"),
        (None, "$ grep -rn 'CUDA out of memory' logs/"),
        (None, "  # CUDA out of memory. Tried to allocate"),
        (None, "# see CUDA out of memory"),
        (None, "me@trn-07:~/work$ grep 'CUDA out of memory' logs/*"),
        (None, 'grep -q "CUDA out of memory" train.log'),
        (None, "1a2b3c4 Fix CUDA out of memory in evaluation"),
        (None, "HEAD is now at 1a2b3c4 Fix CUDA out of memory in evaluation"),
        (None, "[main 1a2b3c4] Fix CUDA out of memory"),
        (None, 'torchrun train.py --retry-on "CUDA out of memory" --seed 1'),
        (None, "torchrun train.py --retry-on=CUDA out of memory"),
        (None, "cmd = ['python', '-u', 'train.py', '--retry-on', 'CUDA out of memory']"),
        (None, "| * 1a2b3c4 Fix CUDA out of memory in evaluation"),
        (None, "- What to do on `RuntimeError: CUDA out of memory`"),
        (None, "  * `CUDA out of memory` means a smaller batch"),
        (None, "If you see `CUDA out of memory` in the log, lower the batch."),
        (None, 'step 3: the model wrote "CUDA out of memory. Tried" and went on'),
        (None, 'answer 7 says the log has "CUDA out of memory".'),
        (None, '{"role": "user", "content": "why CUDA out of memory in it?"}'),
        (None, "sample {'text': 'RuntimeError: CUDA out of memory. Tried', 'label': 1}"),
        (None, '{"level": "info", "prompt": "say \\"no\\" to CUDA out of memory"}'),
        (None, "train.py:12:    raise RuntimeError('CUDA out of memory')"),
        (None, "./train.py:3:MESSAGE = 'CUDA out of memory'"),
        (None, "docs/oom.md-3-- CUDA out of memory"),
        (None, '+    raise RuntimeError("CUDA out of memory")'),
        (None, '        if "CUDA out of memory" in str(error):'),
        (None, "    logger.error(f'CUDA out of memory in {name}')"),
        (None, "PASSED tests/test_a.py::test_says[CUDA out of memory]"),
        (None, "tests/test_a.py::test_says[RuntimeError: CUDA out of memory-1] "),
        (None, "If you see CUDA out of memory here, lower the batch size"),
        (None, "hint: when you get an error: RuntimeError: CUDA out of memory, lower it"),
        (None, "PYTORCH_CUDA_ALLOC_CONF is set to avoid CUDA out of memory"),
        (None, "  keeps 1 GiB free (avoids 'CUDA out of memory')"),
        ("INFO", "batches are skipped on errors like RuntimeError: CUDA out of memory"),
        ("INFO", 'will retry on "CUDA out of memory" once'),
        ("INFO", "config: {'retry_on': 'CUDA out of memory'}"),
        ("INFO", "Received request a1: prompt: 'why CUDA out of memory in it?', n=1"),
        ("DEBUG", 'body={"prompt": "it\'s CUDA out of memory", "n": 1}'),
        (None, "INFO 11-30 09:14:02 [logger.py:39] prompt: 'CUDA out of memory', n=1"),
        ("INFO", "prompt: 'say \\' and CUDA out of memory', n=1"),
        ("INFO", "prompt: 'a long one with CUDA out of memory that was cut"),
    ],
)
def test_a_mention_is_known_by_its_shape(level: str | None, text: str) -> None:
    """Commands, arguments, commits and quotes in information are no failures."""
    assert is_mentioned(line(text, level=level), OOM)


@pytest.mark.parametrize(
    ("level", "text"),
    [
        (None, "RuntimeError: CUDA out of memory. Tried to allocate"),
        (None, "OutOfMemoryError('CUDA out of memory. Tried')"),
        (None, 'TrainError(message="CUDA out of memory")'),
        (None, '{"level": "error", "message": "CUDA out of memory", "rank": 3, "step": 4}'),
        (None, 'time=12 level=error rank=3 msg="CUDA out of memory"'),
        (None, "'CUDA out of memory'"),
        (None, "deadbee CUDA out of memory"),
        (None, "20260814 CUDA out of memory"[:8] + ": CUDA out of memory"),
        (None, "+CUDA out of memory"),
        (None, 'stopped by "CUDA out of memory"'),
        (None, 'rank 3 failed with "CUDA out of memory" and leaves'),
        (None, "worker 3 got an error `CUDA out of memory` and leaves"),
        (None, '{"text": "x | ERROR | CUDA out of memory", "record": {"level": {"no": 40}}}'),
        (None, 'content: "all well", then CUDA out of memory'),
        (None, "train.py:12: CUDA out of memory"),
        (None, "train.py:12:CUDA out of memory"),
        (None, "FAILED tests/test_a.py::test_says - RuntimeError: CUDA out of memory"),
        (None, "FAILED tests/test_a.py::test_says[1] - RuntimeError: CUDA out of memory"),
        (None, "- CUDA out of memory"),
        (None, "`CUDA out of memory`"),
        ("WARNING", "If you see `CUDA out of memory` in the log, lower the batch."),
        ("WARNING", '{"content": "CUDA out of memory"}'),
        ("ERROR", 'stopped by "CUDA out of memory"'),
        ("WARNING", 'stopped by "CUDA out of memory"'),
        ("INFO", "CUDA out of memory. Tried to allocate"),
        ("INFO", "answered 'all well', then CUDA out of memory, and 'no more'"),
        (None, "child failed: OSError('CUDA out of memory')"),
        (None, "stopped when it hit CUDA out of memory"),
        (None, "rank 3 failed to avoid CUDA out of memory"),
        (None, "If you see this, it was: CUDA out of memory"),
        ("WARNING", "set to avoid CUDA out of memory"),
        ("INFO", "it didn't fit: CUDA out of memory, don't try"),
    ],
)
def test_what_may_be_a_failure_is_no_mention(level: str | None, text: str) -> None:
    """Exceptions, structured records and loud lines count."""
    assert not is_mentioned(line(text, level=level), OOM)


@pytest.mark.parametrize("source", ["kernel", "service", "scheduler"])
def test_logs_of_machines_quote_what_they_say_themselves(source: str) -> None:
    """A kubelet's message is a value in quotes."""
    assert not is_mentioned(line(f'"{OOM}" pod="a"', level="INFO", source=source), OOM)


def test_a_mention_is_no_hit() -> None:
    """The line in which a failure is only mentioned is not found, the one below it is."""
    text = f'Namespace(message="{OOM}", seed=1)\nRuntimeError: {OOM}. Tried\n'
    seen = observe_texts({"a.log": text}, frozenset({"log " + OOM}), {}, {})
    assert [hit.line.number for hit in seen.hits] == [2]
