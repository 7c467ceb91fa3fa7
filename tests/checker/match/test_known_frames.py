"""Frames count where they are those of the exception, and not of what ran when it was told."""

import pytest

from checker.diagnose.diagnosis import diagnose
from checker.judgement import Report
from checker.scan.observe import observe_texts
from tests.checker.failures import catalogue_of

pytestmark = pytest.mark.rule("exceptions")

SAID = ["CUDA error", "DataLoader worker", "got signal"]
SAVE = "torch/serialization.py"
STACK = (
    "Traceback (most recent call last):\n"
    '  File "/workspace/train.py", line 40, in main\n'
    "    torch.save(state, path)\n"
    '  File "/opt/venv/lib/python3.11/site-packages/torch/serialization.py", line 944, in save\n'
    "    _save(obj, opened_zipfile)\n"
)
DEVICE = STACK + "RuntimeError: CUDA error: an illegal memory access was encountered\n"
LATE = (
    "{} kernel errors might be asynchronously reported at some other API call, so the stacktrace "
    "below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
)
HANDLER = (
    '  File "/opt/venv/lib/python3.11/site-packages/torch/utils/data/_utils/signal_handling.py", '
    "line 73, in handler\n    _error_if_any_worker_fails()\n"
)
KILLED = "RuntimeError: DataLoader worker (pid 31373) is killed by signal: Bus error. \n"
STOPPED = (
    '  File "/opt/venv/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/'
    'api.py", line 77, in _terminate_process_handler\n'
    '    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval=sigval)\n'
    "torch.distributed.elastic.multiprocessing.api.SignalException: "
    "Process 31300 got signal: 15\n"
)


def report_of(text: str, **asked: object) -> Report:
    """The report on one log, with an entry about any exception that has these frames."""
    sign = {"traceback": "*", "message": SAID, **asked}
    entry = {"signs": {"it": sign}, "signatures": [{"strong": ["it"]}]}
    known = catalogue_of(save_failed=(entry, {}))
    keys = frozenset(key for entry in known.entries for key in entry.keys)
    return diagnose(known, observe_texts({"rank0.log": text}, keys, {}, {}), traced="save-failed")


def verdict(text: str, **asked: object) -> bool | None:
    """Whether the exception of a log has these frames."""
    (trace,) = report_of(text, **asked).traces
    return trace.truths["it"].value


@pytest.mark.parametrize("device", ["CUDA", "HIP"])
def test_frames_of_an_error_that_the_device_told_late_are_unknown(device: str) -> None:
    """The program had gone on since; what it did when it was told is innocent."""
    assert verdict(DEVICE, frame=SAVE) is True
    assert verdict(DEVICE + LATE.format(device), frame=SAVE) is None
    assert verdict(DEVICE + LATE.format(device), code="library") is None
    assert verdict(DEVICE + LATE.format(device)) is True


def test_frames_below_a_signal_handler_are_unknown() -> None:
    """A worker died while the checkpoint was written, and the checkpoint is not to blame."""
    assert verdict(STACK + KILLED, frame=SAVE) is True
    assert verdict(STACK + HANDLER + KILLED, frame=SAVE) is None
    assert verdict(STACK + HANDLER + KILLED, function="main") is None
    assert verdict(STACK + STOPPED, frame=SAVE) is None


def test_frames_of_the_signal_handler_itself_are_known() -> None:
    """What the handler called is what raised the exception."""
    log = STACK + HANDLER + KILLED
    assert verdict(log, frame="_utils/signal_handling.py", function="handler") is True
    assert verdict(log, frame=SAVE, innermost=True) is False
    assert verdict(log, code="library") is True
    assert verdict(log, code="user") is False


def test_function_of_that_name_elsewhere_is_no_signal_handler() -> None:
    """People call many a function so."""
    own = '  File "/workspace/hooks.py", line 7, in handler\n    check()\n'
    assert verdict(STACK + own + KILLED, frame=SAVE) is True


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (DEVICE, "/workspace/train.py:40 in main"),
        (DEVICE + LATE.format("CUDA"), None),
        (STACK + HANDLER + KILLED, None),
    ],
)
def test_interrupted_frame_is_not_quoted_as_where_it_was_raised(
    text: str, quoted: str | None
) -> None:
    """Nobody is sent to a line that only ran at the time."""
    (found,) = report_of(text).diagnoses
    assert dict(found.evidence[0].values).get("frame") == quoted
