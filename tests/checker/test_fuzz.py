"""Any bytes, cut anywhere, are read without an exception."""

import gzip
import io
import json
import random
import tarfile
from pathlib import Path

import pytest

from checker.scan.observe import observe, observe_texts

LOGS = [
    path
    for path in sorted(Path(__file__).parent.parent.joinpath("logs").rglob("*.log"))
    if path.stat().st_size
]
KEYS = frozenset({"log Connection closed by peer", "log exitcode", "metric loss", "log -9"})
PIECES = [
    b"Traceback (most recent call last):\n",
    b'  File "x.py", line 3, in f\n',
    b"KeyError: 'x'\n",
    b"Original Traceback (most recent call last):\n",
    b"  | ",
    b"  + Exception Group Traceback (most recent call last):\n",
    b"Root Cause (first observed failure):\n",
    b"[0]:\n  rank      : 2 (local_rank: 2)\n  exitcode  : -9 (pid: 1)\n",
    b"  traceback : Traceback (most recent call last):\n",
    b"\x1b[31m",
    b"\x1b]0;",
    b"\r",
    b"\b\b",
    b"\0",
    b"\xff\xfe",
    b"\xe2\x96",
    b'{"log":"',
    b'{"message": {"message": "',
    b"{'loss': nan, 'step': 3}\n",
    b"[rank3]:",
    b"[default3]:",
    b"[E814 03:11:52.123 x.cpp:6] ",
    b"Thread 0x00007f12 (most recent call first):\n",
    b"Killed\n",
    b"srun: error: a: tasks 0-99: Killed\n",
    b"SyntaxError: x\n",
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
    b"9" * 400,
    b"[PG ID 0 PG GUID 0(default_pg) Rank 1] at work: 7, last enqueued work: 7, last completed w",
    b"[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=SEND, ",
    b"Timeout(ms)=1)",
    b"ranks [0, 1] are the lagging ranks that caused this timeout\n",
    b"Ranks 1, 2 failed to pass monitoredBarrier in 3 ms\n",
    b"Detected mismatch between collectives on ranks. Rank 1 is running collective: ",
    b"CollectiveFingerPrint(SequenceNumber=1OpType=BARRIER)",
    b"\x80\x02}(X\x09\x00\x00\x00pg_config",
    b"\n\n",
]


@pytest.mark.parametrize("seed", range(80))
def test_mixed_pieces_are_read(seed: int, tmp_path: Path) -> None:
    """Fragments of everything that is recognized, in any order, are read."""
    choice = random.Random(seed)
    data = b"".join(choice.choice(PIECES) for _ in range(choice.randint(1, 200)))
    path = tmp_path / "log"
    path.write_bytes(data[choice.randint(0, 3) :])
    assert len(observe([str(path)], KEYS).inputs) == 1


@pytest.mark.parametrize("seed", range(30))
def test_damaged_logs_are_read(seed: int, tmp_path: Path) -> None:
    """Real logs with bytes changed and cut anywhere are read."""
    choice = random.Random(seed)
    data = bytearray(choice.choice(LOGS).read_bytes())
    for _ in range(30):
        data[choice.randrange(len(data))] = choice.randrange(256)
    path = tmp_path / "log"
    path.write_bytes(bytes(data[: choice.randrange(len(data))]))
    assert len(observe([str(path)], KEYS).inputs) == 1


def test_the_same_input_gives_the_same_observations() -> None:
    """Scanning twice gives equal records."""
    texts = {path.name + str(index): path.read_text() for index, path in enumerate(LOGS)}
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
