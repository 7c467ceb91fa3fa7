"""The live preview: a saved entry is seen at once."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import ROOT

PARTS = ("checker", "generator", "site_overrides", "mkdocs.yml")
KEPT = ("host-oom-killer", "user-code-error", "gloo-connection-closed-by-peer")
# A quiet machine takes one; tests have others beside them.
MOST_SECONDS = 20


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Serve a copy of the project with few entries; give its folder and its address."""
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, tmp_path / part)
        else:
            shutil.copy(ROOT / part, tmp_path / part)
    (tmp_path / "entries").mkdir()
    for name in KEPT:
        shutil.copy(ROOT / f"entries/{name}.md", tmp_path / "entries")
    shutil.copy(ROOT / "tests/lint_samples/good.md", tmp_path / "entries/begun.md")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (tmp_path / "printed.txt").open("wb") as printed:
        server = subprocess.Popen(
            [sys.executable, "-m", "generator", "serve", "--port", str(port)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            stdout=printed,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    yield tmp_path, f"http://127.0.0.1:{port}/"
    os.killpg(server.pid, signal.SIGINT)
    assert server.wait(timeout=30) == 0


def until(url: str, text: str) -> bool:
    """Ask for a page until it holds a text, or for too long."""
    limit = time.monotonic() + MOST_SECONDS * 3
    while time.monotonic() < limit:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                if text in answer.read().decode("utf-8"):
                    return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(0.1)
    return False


def test_a_saved_entry_is_shown_with_its_problems(served: tuple[Path, str]) -> None:
    """The page is there, changes when the file does, and says what lint says."""
    folder, address = served
    page = f"{address}entries/host-oom-killer/"
    assert until(page, "</html>")
    printed = (folder / "printed.txt").read_text(encoding="utf-8")
    assert printed.split("\n")[1:] == [
        f"{address} shows the entries; end with Ctrl-C",
        f"entries/begun.md: {address}entries/begun/",
        "",
    ]
    file = folder / "entries/host-oom-killer.md"
    file.write_text(file.read_text(encoding="utf-8").replace("kind: failure", "kind: failur"))
    begin = time.monotonic()
    assert until(page, "unknown-value")
    assert time.monotonic() - begin < MOST_SECONDS
    shutil.copy(ROOT / "tests/lint_samples/good.md", folder / "entries/spool-full.md")
    assert until(f"{address}entries/spool-full/", "This is a draft")
