"""Inputs are read, or refused with a reason; nothing hangs."""

import bz2
import gzip
import lzma
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import checker.scan.read as read_module
from checker.scan.observe import observe
from checker.scan.read import sources
from tests.needs import ROOT

KEYS = frozenset({"log CUDA out of memory"})
TEXT = b"step 1\nRuntimeError: CUDA out of memory. Tried\nlast\n"


def told(path: object) -> "tuple[str, object, bool, int]":
    """Say what became of one path: status, reason, refused, number of hits."""
    seen = observe([str(path)], KEYS)
    given = seen.inputs[-1]
    return given.status, given.reason, given.refused, len(seen.hits)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files_are_read(tmp_path: Path, pack: object) -> None:
    """gzip, bzip2 and xz are told by their first bytes, whatever the name."""
    path = tmp_path / "train.log"
    path.write_bytes(pack(TEXT))  # type: ignore[operator]
    assert told(path) == ("read", None, False, 1)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_file_is_read_in_the_blocks_of_a_plain_one(tmp_path: Path, pack: object) -> None:
    """What is found does not depend on the packing, since blocks are cut alike."""
    text = b"".join(b"step %d of it, %d\n" % (step, step * 7919 % 10007) for step in range(20000))
    plain, packed = tmp_path / "plain.log", tmp_path / "packed.log"
    plain.write_bytes(text)
    packed.write_bytes(pack(text))  # type: ignore[operator]
    blocks = [list(source.blocks) for source in sources([str(plain), str(packed)])]
    assert [len(block) for block in blocks[0]] == [98304] * 4 + [len(text) - 4 * 98304]
    assert blocks[0] == blocks[1]


def test_several_members_are_read_on(tmp_path: Path) -> None:
    """Archives appended to each other are one log."""
    path = tmp_path / "log.gz"
    path.write_bytes(gzip.compress(b"first\n") + gzip.compress(TEXT))
    assert told(path) == ("read", None, False, 1)


def test_a_cut_archive_is_read_to_where_it_is_cut(tmp_path: Path) -> None:
    """What could be read of a cut archive is used, and the input says so."""
    path = tmp_path / "log.gz"
    noise = os.urandom(20000).hex().encode()
    path.write_bytes(gzip.compress(TEXT + noise)[:9000])
    assert told(path) == ("read", "cut gzip archive, read to where it is cut", False, 1)


def test_a_damaged_archive_is_read_up_to_the_damage(tmp_path: Path) -> None:
    """Damage in the middle of an archive keeps what came before it."""
    path = tmp_path / "log.gz"
    packed = bytearray(gzip.compress(TEXT + os.urandom(60000).hex().encode()))
    packed[30000:30400] = b"\xff" * 400
    path.write_bytes(bytes(packed))
    assert told(path) == ("read", "damaged gzip archive, read up to the damage", False, 1)


def test_zstd_is_not_read(tmp_path: Path) -> None:
    """A zstd archive is refused with what to do."""
    path = tmp_path / "log.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"\0" * 20)
    reason = "not read: compressed with zstd, decompress it first"
    assert told(path) == ("unreadable", reason, True, 0)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_other_encodings_are_decoded(tmp_path: Path, encoding: str) -> None:
    """UTF-16 is decoded with and without its mark, and the mark of UTF-8 is dropped."""
    path = tmp_path / "log"
    path.write_bytes(TEXT.decode().encode(encoding))
    assert told(path) == ("read", None, False, 1)


def test_a_log_with_a_few_nuls_is_read(tmp_path: Path) -> None:
    """Holes that a crashed machine leaves in a log do not make it binary."""
    path = tmp_path / "log"
    path.write_bytes(TEXT * 20 + b"\0" * 40 + TEXT)
    assert told(path)[0] == "read"


@pytest.mark.parametrize("head", [20, 8192, 100000, 98304 * 3 + 1])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_nuls_before_a_log_are_skipped(tmp_path: Path, head: int, encoding: str) -> None:
    """A log that was truncated while a process wrote on begins with a hole."""
    path = tmp_path / "log"
    path.write_bytes(b"\0" * (head // 2 * 2) + TEXT.decode().encode(encoding))
    assert told(path) == ("read", None, False, 1)


def test_nuls_behind_a_short_log_do_not_make_it_binary(tmp_path: Path) -> None:
    """A machine that crashed leaves NULs where the last block was not written."""
    path = tmp_path / "log"
    path.write_bytes(b"step 1 loss 2.5\n" * 56 + b"\0" * 200)
    assert told(path)[:3] == ("read", None, False)


def test_a_file_of_nuls_is_binary(tmp_path: Path) -> None:
    """NULs alone are no log."""
    path = tmp_path / "log"
    path.write_bytes(b"\0" * 300000)
    assert told(path) == ("unreadable", "binary", False, 0)


def test_an_array_is_binary(tmp_path: Path) -> None:
    """The head of a saved array is text, and its zeros are no hole in a log."""
    path = tmp_path / "a.bin"
    path.write_bytes(b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'shape': (9,)}\n" + b"\0" * 72)
    assert told(path) == ("unreadable", "binary: an array", False, 0)


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    """A file of random bytes is no log."""
    path = tmp_path / "model"
    path.write_bytes(bytes(range(256)) * 40)
    assert told(path) == ("unreadable", "binary", False, 0)


def test_an_empty_file_says_so(tmp_path: Path) -> None:
    """An empty file is unreadable but was not refused."""
    path = tmp_path / "log"
    path.write_bytes(b"")
    assert told(path) == ("unreadable", "empty", False, 0)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    """A path that is not there is refused."""
    assert told(tmp_path / "none") == ("unreadable", "no such file or folder", False, 0)


def test_a_cut_character_is_reported(tmp_path: Path) -> None:
    """A log cut in the middle of a character is read, with a remark."""
    path = tmp_path / "log"
    path.write_bytes(TEXT + "é".encode()[:1])
    assert told(path) == ("read", "ends in the middle of a character", False, 1)


def test_a_socket_and_a_device_are_refused(tmp_path: Path) -> None:
    """What is no file is not opened."""
    name = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(name)
        assert told(name) == ("unreadable", "a socket", False, 0)
    assert told("/dev/zero") == ("unreadable", "a device", False, 0)


def test_a_fifo_without_a_writer_did_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A FIFO nobody writes into is given up after the wait."""
    monkeypatch.setattr(read_module, "ANSWER_SECONDS", 0.2)
    path = tmp_path / "fifo"
    os.mkfifo(path)
    assert told(path) == ("unreadable", "did not answer", True, 0)


def test_pipes_are_waited_for_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many FIFOs that nobody writes into cost one wait, and one with a writer is read after it."""
    monkeypatch.setattr(read_module, "ANSWER_SECONDS", 0.5)
    paths = [str(tmp_path / f"fifo{index}") for index in range(12)]
    for path in paths:
        os.mkfifo(path)
    program = "import sys; open(sys.argv[1], 'wb').write(b'CUDA out of memory\\n')"
    writer = subprocess.Popen([sys.executable, "-S", "-c", program, paths[7]])
    began = time.monotonic()
    seen = observe(paths, KEYS)
    took = time.monotonic() - began
    writer.wait()
    assert [given.reason for given in seen.inputs] == [
        None if index == 7 else "did not answer" for index in range(12)
    ]
    assert len(seen.hits) == 1
    assert took < 2


def test_a_folder_tells_what_could_not_be_read(tmp_path: Path) -> None:
    """A dead link, a pipe and what wandb logs of itself are one line each."""
    (tmp_path / "a.log").write_bytes(TEXT)
    (tmp_path / "b.log").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "c.log")
    own = tmp_path / "wandb" / "run-20260814_031152-x1" / "logs"
    own.mkdir(parents=True)
    (own / "debug-internal.log").write_bytes(TEXT)
    (own.parent / "files").mkdir()
    (own.parent / "files" / "output.log").write_bytes(TEXT)
    seen = observe([str(tmp_path)], KEYS)
    folder = len(str(tmp_path)) + 1
    assert [(given.path[folder:], given.reason) for given in seen.inputs] == [
        ("a.log", None),
        ("b.log", "no such file or folder"),
        ("c.log", "not a file"),
        ("wandb/run-20260814_031152-x1/files/output.log", None),
        ("wandb/run-20260814_031152-x1/logs/debug-internal.log", "what wandb logs of itself"),
    ]


def test_a_slow_writer_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that has begun may pause longer than the wait."""
    monkeypatch.setattr(read_module, "ANSWER_SECONDS", 0.3)
    path = tmp_path / "fifo"
    os.mkfifo(path)
    program = (
        "import sys, time; out = open(sys.argv[1], 'wb', buffering=0); out.write(b'step 1\\n');"
        "time.sleep(0.8); out.write(b'CUDA out of memory. Tried\\n')"
    )
    writer = subprocess.Popen([sys.executable, "-S", "-c", program, str(path)])
    monkeypatch.setattr(read_module, "ANSWER_SECONDS", 5)
    thread = threading.Timer(0.7, lambda: monkeypatch.setattr(read_module, "ANSWER_SECONDS", 0.1))
    thread.start()
    try:
        assert told(path) == ("read", None, False, 1)
    finally:
        thread.join()
        writer.wait()


def test_process_substitution_is_read() -> None:
    """`<(command)` of the shell is a FIFO with a writer."""
    program = (
        "import sys; from checker.scan.observe import observe;"
        "seen = observe(sys.argv[1:], frozenset({'log CUDA out of memory'}));"
        "print(seen.inputs[0].status, seen.inputs[0].lines, len(seen.hits))"
    )
    command = '"$0" -c "$1" <(printf "a\\nCUDA out of memory\\n")'
    done = subprocess.run(
        ["bash", "-c", command, sys.executable, program],
        cwd=str(ROOT),
        stdout=subprocess.PIPE,
        check=True,
    )
    assert done.stdout == b"read 2 1\n"


def test_a_folder_is_walked_in_order(tmp_path: Path) -> None:
    """A folder's logs are read sorted, the rest is skipped with a reason."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.log").write_bytes(TEXT)
    (tmp_path / "a.log").write_bytes(TEXT)
    (tmp_path / "model.bin").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "notes.md").write_bytes(TEXT)
    seen = observe([str(tmp_path) + "/"], KEYS)
    names = [
        (given.path[len(str(tmp_path)) :], given.status, given.reason) for given in seen.inputs
    ]
    assert names == [
        ("/a.log", "read", None),
        ("/b/x.log", "read", None),
        ("/model.bin", "skipped", "binary"),
        ("/notes.md", "skipped", "not a log by its name"),
    ]


def test_a_folder_without_logs_is_refused(tmp_path: Path) -> None:
    """A folder in which nothing can be read is unreadable itself."""
    assert told(tmp_path) == ("unreadable", "a folder without logs", False, 0)


def test_a_file_given_twice_is_read_once(tmp_path: Path) -> None:
    """The second time it is skipped."""
    path = tmp_path / "log"
    path.write_bytes(TEXT)
    seen = observe([str(path), str(tmp_path)], KEYS)
    assert len(seen.hits) == 1
    assert ("skipped", "already read") in {(given.status, given.reason) for given in seen.inputs}


@pytest.mark.parametrize("filler", [b"x" * 1000, b" 10%|#  | 1/10 [00:01<00:09, 1.0it/s]\r"])
def test_a_very_long_line_is_read_in_parts(tmp_path: Path, filler: bytes) -> None:
    """A line of megabytes is one line, and a literal in it is found."""
    path = tmp_path / "log"
    long = filler * (3_000_000 // len(filler))
    path.write_bytes(b"a\n" + long + b"CUDA out of memory" + long + b"\nCUDA out of memory\n")
    seen = observe([str(path)], KEYS)
    assert sorted({hit.line.number for hit in seen.hits}) == [2, 3]
    assert seen.inputs[0].lines == 3


def test_job_of_github_is_not_read_beside_its_steps(tmp_path: Path) -> None:
    """The archive of a run holds each step twice; one that has no folder is read."""
    for name in ("0_train.txt", "train/1_Set up job.txt", "train/2_Run.txt", "1_lint.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(TEXT)
    seen = observe([str(tmp_path)], KEYS)
    found = {given.path[len(str(tmp_path)) + 1 :]: given.reason for given in seen.inputs}
    assert found == {
        "0_train.txt": "a job whose steps are read one by one",
        "1_lint.txt": None,
        "train/1_Set up job.txt": None,
        "train/2_Run.txt": None,
    }
