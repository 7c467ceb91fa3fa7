"""How far the reading is, on a terminal."""

import contextlib
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checker.progress import progress_on, progress_text
from checker.scan.read import never_far
from tests.needs import ROOT


class Terminal:
    """Keeps what is written, and has a clock that goes by a tenth of a second at each look."""

    def __init__(self, tick: float = 0.1) -> None:
        self.written: list[str] = []
        self.now, self.tick = 0.0, tick

    def clock(self) -> float:
        """Tell the time."""
        self.now += self.tick
        return self.now


def log_of(folder: Path, name: str, size: int) -> str:
    """Write a file of so many bytes."""
    (folder / name).write_bytes(b"x" * size)
    return str(folder / name)


def test_bytes_and_files_are_counted(tmp_path: Path) -> None:
    """Each file counts whole when the next one is opened, even if it was not read to its end."""
    paths = [log_of(tmp_path, "a.log", 3_000_000), log_of(tmp_path, "b.log", 1_000_000)]
    log_of(tmp_path, "train.py", 9_000_000)
    terminal = Terminal(0.5)
    progress, _ = progress_on(terminal.written.append, terminal.clock, 80)
    reading = progress([str(tmp_path)], never_far)
    for path, size in ((paths[0], 0), (paths[0], 1_000_000), (paths[1], 0), (paths[1], 500_000)):
        reading(path, size)
    assert [text.strip() for text in terminal.written] == [
        "trainwreck: [....................] 0% of 4.0 MB, file 1 of 2, 0 s",
        "trainwreck: [#####...............] 25% of 4.0 MB, file 1 of 2, 1 s",
        "trainwreck: [###############.....] 75% of 4.0 MB, file 2 of 2, 2 s",
        "trainwreck: [#################...] 87% of 4.0 MB, file 2 of 2, 2 s",
    ]


@pytest.mark.parametrize("far", ["", "/deep", "/deep/b.log"])
def test_the_whole_is_unknown_where_a_size_could_be_long_in_coming(
    tmp_path: Path, far: str
) -> None:
    """Nothing on a mount that others serve is asked for its size, wherever in the folder it is."""
    (tmp_path / "deep").mkdir()
    paths = [log_of(tmp_path, "a.log", 2_000_000), log_of(tmp_path, "deep/b.log", 2_000_000)]
    terminal = Terminal(1.0)
    progress, _ = progress_on(terminal.written.append, terminal.clock, 80)
    progress([str(tmp_path)], lambda path: path.startswith(f"{tmp_path}{far}"))(paths[0], 1_000_000)

    assert [text.strip() for text in terminal.written] == ["trainwreck: 1.0 MB read, file 0, 1 s"]


def test_it_is_shown_after_half_a_second_and_ten_times_a_second(tmp_path: Path) -> None:
    """What is done at once shows nothing, and the line is not written for each block."""
    path = log_of(tmp_path, "a.log", 1_000_000)
    terminal = Terminal(0.01)
    progress, clear = progress_on(terminal.written.append, terminal.clock, 80)
    reading = progress([path], never_far)
    for number in range(49):
        reading(path, 100 if number else 0)
    assert terminal.written == []
    clear()
    assert terminal.written == []
    for _ in range(100):
        reading(path, 100)
    assert 9 <= len(terminal.written) <= 11


def test_the_line_fits_and_is_cleared(tmp_path: Path) -> None:
    """It never wraps, and is written over with blanks at the end."""
    terminal = Terminal(1.0)
    progress, clear = progress_on(terminal.written.append, terminal.clock, 30)
    progress([str(tmp_path)], never_far)(log_of(tmp_path, "a.log", 10), 0)
    clear()
    clear()
    assert terminal.written == ["\rtrainwreck: [................", "\r" + " " * 29 + "\r"]


@pytest.mark.parametrize(
    ("amounts", "text"),
    [
        ((0, 0, 1, 0, 3.2), "trainwreck: 0 kB read, file 1, 3 s"),
        ((2_500_000_000, 0, 1, 0, 9), "trainwreck: 2.5 GB read, file 1, 9 s"),
        ((300, 200, 3, 2, 9), "trainwreck: 0 kB read, file 3, 9 s"),
        (
            (1, 2, 1024, 8192, 9),
            "trainwreck: [##########..........] 50% of 0 kB, file 1,024 of 8,192, 9 s",
        ),
    ],
)
def test_without_a_whole_there_is_no_share(
    amounts: tuple[int, int, int, int, float], text: str
) -> None:
    """Of a stream, and of what is read again, only what was read is told."""
    assert progress_text(*amounts) == text


def stderr_of_a_run(folder: Path, terminal: str, patience: float) -> bytes:
    """Give the checker lines until its terminal shows something, or so many seconds."""
    ours, theirs = pty.openpty()
    catalogue = folder / "catalogue.json"
    catalogue.write_text('{"entries": [], "sha256": "", "date": "2026-08-01"}', encoding="ascii")
    with subprocess.Popen(
        [sys.executable, "-m", "checker", "--catalogue", str(catalogue), "-"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": terminal, "NO_COLOR": "1"},
    ) as checker:
        os.close(theirs)
        assert checker.stdin
        end = time.monotonic() + patience
        while time.monotonic() < end and not select.select([ours], [], [], 0.2)[0]:
            checker.stdin.write(b"step 1 loss 2.3\n")
            checker.stdin.flush()
        checker.stdin.close()
        assert checker.wait(60) == 0
    shown = b""
    # A terminal that nobody writes to any more ends with an error, not with nothing.
    with contextlib.suppress(OSError):
        while chunk := os.read(ours, 65536):
            shown += chunk
    os.close(ours)
    return shown


def test_a_terminal_shows_it_and_nothing_remains(tmp_path: Path) -> None:
    """Plain characters, one line, blank at the end."""
    shown = stderr_of_a_run(tmp_path, "xterm", patience=60)
    assert shown.startswith(b"\rtrainwreck: 0 kB read, file 1, ")
    assert shown.endswith(b" \r")
    assert b"\n" not in shown
    assert b"\x1b" not in shown


def test_a_dumb_terminal_shows_nothing(tmp_path: Path) -> None:
    """It cannot go back to the beginning of a line."""
    assert stderr_of_a_run(tmp_path, "dumb", patience=4) == b""
