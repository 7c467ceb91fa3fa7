"""Any bytes, cut and mixed anyhow, are read and diagnosed: nothing raises, hangs or swells."""

import functools
import gzip
import io
import json
import random
import tarfile
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checker.catalogue import Catalogue, read_catalogue
from checker.pipeline import diagnose_paths
from checker.report.render_json import render_json
from checker.report.render_text import render_text
from checker.scan.observe import observe, observe_texts
from generator.build import published
from generator.catalogue import compile_catalogue
from generator.load import load

ROOT = Path(__file__).parents[2]
# The same cases at every run; a failing one is shrunk and printed.
FUZZ = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=list(HealthCheck),
)
LOGS = sorted(path for path in (ROOT / "tests" / "logs").rglob("*.*") if path.stat().st_size)
KEYS = frozenset({"log Connection closed by peer", "log exitcode", "metric loss", "log -9"})
MOST_BYTES = 32 * 2**20
MOST_SECONDS = 20
PIECES = [
    b"Traceback (most recent call last):\n",
    b'  File "x.py", line 3, in f\n',
    b"KeyError: 'x'\n",
    b"During handling of the above exception, another exception occurred:\n\n",
    b"Original Traceback (most recent call last):\n",
    b"  | ",
    b"  + Exception Group Traceback (most recent call last):\n",
    b"Exception ignored in: <x>\n",
    b"Root Cause (first observed failure):\n",
    b"[0]:\n  rank      : 2 (local_rank: 2)\n  exitcode  : -9 (pid: 1)\n",
    b"  traceback : Traceback (most recent call last):\n",
    b'{"log":"',
    b'{"message": {"message": "',
    b"{'loss': nan, 'step': 3}\n",
    b"{'loss': -1e999, 'step': -7}\n",
    b"step 99999999999999999999 loss 0.0\n",
    b" 12%|#2        | 5/40 [00:01<00:09,  3.5it/s]\r",
    b"[rank3]:",
    b"[default3]:",
    b"[rank-1]:",
    b"0: ",
    b"Aug 14 03:02:03 node-b kernel: ",
    b"[99999999999.000001] ",
    b"9999-99-99 99:99:99,999 ",
    b"[E814 03:11:52.123 x.cpp:6] ",
    b"Thread 0x00007f12 (most recent call first):\n",
    b'Process 7: python\nThread 7 (idle): "MainThread"\n    wait (x.py:1)\n',
    b'    "pid": 7,\n    "thread_name": "MainThread",\n        "line": 3,\n',
    b"Thread 2 (Thread 0x7f (LWP 44)):\n#0  f (a=<x>) at a.c:3\n",
    b"[<0>] p9_client_rpc+0x1c3/0x3f0\n",
    b"Call Trace:\n",
    b"Killed\n",
    b"srun: error: a: tasks 0-99999999: Killed\n",
    b"SyntaxError: x\n",
    b"\x1b[31m",
    b"\x1b]0;",
    b"\r",
    b"\b\b",
    b"\0",
    b"\xff\xfe",
    b"\xe2\x96",
    b"9" * 400,
    b"(" * 400,
    b"-" + b"9" * 30 + b" GiB",
    b"[PG ID 0 PG GUID 0(default_pg) Rank 1] at work: 7, last enqueued work: 7, last completed w",
    b"[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=SEND, ",
    b"Timeout(ms)=1)",
    b"ranks [0, 1] are the lagging ranks that caused this timeout\n",
    b"Ranks 1, 2 failed to pass monitoredBarrier in 3 ms\n",
    b"Detected mismatch between collectives on ranks. Rank 1 is running collective: ",
    b"CollectiveFingerPrint(SequenceNumber=1OpType=BARRIER)",
    b"\x80\x02}(X\t\x00\x00\x00pg_config",
    b"\n\n",
    b"srun: error: a: tasks 0-99: Killed\n",
    b'{"log":"x\\u003c\\r\\n","stream":"stderr","time":"2026-08-14T03:11:52Z"}\n',
    b'{"log":"cut","stream":"stderr","time":"2026-08-14T03:11:52Z"}\n',
    b'{"MESSAGE":[67,85,999,-1],"_PID":"x"}\n',
    b"2026-08-14T03:11:52.481920331Z stdout P half",
    b"2026-08-14T03:11:52.481920331Z stdout F \n",
    b"4,1,99999999999999999,-;x\n",
    b"[Dec10 23:30] x\n[  +1.000000] y\n",
    b"(PPO(env=x; y) pid=1, ip=10.0.0.1) ",
    b"> ",
    b"```\n",
    b"x" * 80 + b"\n" + b"y" * 79 + b"\n",
    b"\x1b[A\x1b[2K\x1b[3C",
    b"FAILED FIRST (certain), rank 1: x\n",
    b"More about it: python3 trainwreck.py explain x\n",
]


@functools.cache
def catalogue() -> Catalogue:
    """All published entries."""
    return read_catalogue(*compile_catalogue(published(load(ROOT / "entries"))))


@functools.cache
def real_lines() -> list[bytes]:
    """The lines of all stored logs and of the examples of all entries."""
    texts = [path.read_bytes() for path in LOGS]
    for entry in catalogue().entries:
        for example in entry.rule()["examples"]:
            texts += [text.encode() for text in example["files"].values()]
    return sorted({line + b"\n" for text in texts for line in text.split(b"\n")})


CHUNKS = st.one_of(
    st.deferred(lambda: st.sampled_from(real_lines())),
    st.sampled_from(PIECES),
    st.binary(max_size=24),
    st.integers().map(lambda number: str(number).encode()),
)
CUT = st.tuples(st.integers(0, 40), st.integers(0, 40))
MIXED = st.builds(
    lambda chunks, cut: b"".join(chunks)[cut[0] :][: -cut[1] or None],
    st.lists(CHUNKS, max_size=120),
    CUT,
)
NAMES = st.sampled_from(["console.log", "rank3.log", "dmesg.log", "attempt_1/0/stderr.log", "x.gz"])
FILES = st.dictionaries(NAMES, MIXED, min_size=1, max_size=3)


def write(folder: Path, files: dict[str, bytes]) -> list[str]:
    """Write the files into a folder; return their paths."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return [str(folder / name) for name in files]


@FUZZ
@given(files=FILES)
def test_mixed_lines_are_diagnosed(
    files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Lines of everything that is known, mixed and cut, give a report in either form."""
    folder = tmp_path_factory.mktemp("fuzz")
    begun = time.process_time()
    report = diagnose_paths(catalogue(), write(folder, files), None)
    assert len(report.observations.inputs) == len(files)
    assert render_text(report, catalogue(), False).endswith("\n")
    assert render_json(report, catalogue()).endswith("\n")
    assert time.process_time() - begun < MOST_SECONDS


@FUZZ
@given(
    data=st.data(),
    changes=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=30
    ),
)
def test_damaged_logs_are_diagnosed(
    data: st.DataObject, changes: list[tuple[float, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Real logs with bytes changed, cut anywhere, are diagnosed."""
    damaged = bytearray(data.draw(st.sampled_from(LOGS)).read_bytes())
    for place, byte in changes:
        damaged[int(place * len(damaged))] = byte
    end = data.draw(st.integers(0, len(damaged)))
    folder = tmp_path_factory.mktemp("fuzz")
    report = diagnose_paths(catalogue(), write(folder, {"console.log": bytes(damaged[:end])}), None)
    assert render_text(report, catalogue(), False).endswith("\n")


@settings(FUZZ, max_examples=12)
@given(line=CHUNKS, before=CHUNKS)
def test_repeated_lines_do_not_swell(line: bytes, before: bytes) -> None:
    """A line that comes thousands of times or is a megabyte long costs bounded memory and time."""
    keys = frozenset(key for entry in catalogue().entries for key in entry.keys)
    flat = line.replace(b"\n", b" ")
    texts = {
        "many.log": before + line * 4000,
        "long.log": before + flat * (2**20 // (len(flat) + 1)),
    }
    begun = time.process_time()
    tracemalloc.start()
    observe_texts({n: t.decode("utf-8", "replace") for n, t in texts.items()}, keys, {}, {})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_BYTES
    assert time.process_time() - begun < 2 * MOST_SECONDS


def test_the_same_input_gives_the_same_observations() -> None:
    """Scanning twice gives equal records."""
    texts = {str(path): path.read_text(errors="replace") for path in LOGS}
    first, second = (observe_texts(texts, KEYS, {}, {}) for _ in range(2))
    # As text, since a loss that is no number does not equal itself.
    assert repr(first) == repr(second)


def packed() -> bytes:
    """Make an archive with a log, a packed log and a notebook."""
    cell = {"outputs": [{"text": "step 1\n"}, {"ename": "KeyError", "traceback": ["a\nb"]}]}
    notebook = json.dumps({"cells": [cell], "nbformat": 4}).encode()
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in (
            ("a" * 120 + ".log", b"".join(PIECES)),
            ("b.log.gz", gzip.compress(b"step 1\n" * 99)),
            ("c.ipynb", notebook),
        ):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


@pytest.mark.parametrize("seed", range(60))
def test_damaged_archives_and_notebooks_are_read(seed: int, tmp_path: Path) -> None:
    """Archives with bytes changed and cut anywhere end, with or without something read."""
    choice = random.Random(seed)
    data = bytearray(packed())
    for _ in range(choice.randint(0, 30)):
        data[choice.randrange(len(data))] = choice.randrange(256)
    path = tmp_path / "logs.tar"
    path.write_bytes(bytes(data[: choice.randrange(len(data))]))
    assert observe([str(path)], KEYS).inputs
