"""Any bytes, cut anywhere, are read without an exception."""

import random
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
    b"9" * 400,
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
