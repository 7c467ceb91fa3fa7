"""What grows stale by itself: links, and messages of newer programs."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from generator.build import published
from generator.cli import main
from generator.links import Answer, ask, referenced
from generator.upstream import look_up, pieces
from tests.generator.pages.rendering import sample_collection
from tests.needs import ROOT

GOOD = (ROOT / "tests/lint_samples/good.md").read_text(encoding="utf-8")


def published_sample() -> str:
    """Make the sample an entry that is published."""
    return (
        GOOD.replace("status: draft", "status: published")
        .replace("title: Sample trainer", "title: The trainer")
        .replace("https://example.org/", "https://docs.pytorch.org/")
    )


class Pages(BaseHTTPRequestHandler):
    """Serves /there, knows that /gone is gone, and is always busy at /busy."""

    def do_GET(self) -> None:
        """Answer with the status that the path names."""
        self.send_response({"/there": 200, "/gone": 404}.get(self.path, 503))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """Serve pages on loopback; return the address."""
    served = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=served.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{served.server_address[1]}"
    served.shutdown()
    thread.join()
    served.server_close()


def test_a_page_is_there_gone_or_not_told(server: str) -> None:
    """Only what the server itself calls missing is gone."""
    assert ask(f"{server}/there") == Answer(False, "")
    assert ask(f"{server}/gone") == Answer(True, "status 404")
    assert ask(f"{server}/busy", pause=0) == Answer(False, "status 503")


def test_a_server_that_does_not_answer_is_not_a_page_that_is_gone() -> None:
    """A refused connection says nothing of the page."""
    answer = ask("http://127.0.0.1:9/", pause=0)
    assert not answer.gone
    assert answer.said.startswith("no answer: ")


def test_each_address_is_asked_once() -> None:
    """Anchors are of the page, and several entries may name it."""
    named = referenced(published(sample_collection()))
    assert list(named) == sorted(set(named))
    assert not [url for url in named if "#" in url]


def test_fixed_pieces_of_a_message_are_looked_for() -> None:
    """What stands between placeholders is looked for if it is long enough to be telling."""
    assert pieces("spool <path:spool> has <size> left, checkpoint needs <size:need>") == [
        "left, checkpoint needs"
    ]
    assert pieces("a literal <<unknown> mark") == ["a literal <unknown> mark"]
    assert pieces("short <n>") == []


def test_a_message_is_found_in_sources_and_libraries(tmp_path: Path) -> None:
    """All pieces must be there, even those that overlap with others."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package/a.py").write_text('raise E(f"left, checkpoint needs {n}")\n')
    (tmp_path / "package/b.so").write_bytes(b"\x7fELF\x00the writer is gone now\x00")
    (tmp_path / "package/c.txt").write_text("only in a text file\n")
    messages = {
        "<size> left, checkpoint needs <size>",
        "the writer is gone",
        "writer is gone now",
        "only in a text file",
        "left, checkpoint needs <n> of what is not there",
    }
    assert look_up(messages, tmp_path) == {
        "<size> left, checkpoint needs <size>",
        "the writer is gone",
        "writer is gone now",
    }


def test_a_message_that_was_there_and_is_not_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The baseline tells what was found before; what never was is not missed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("generator.commands.staling.ROOT", tmp_path)
    for name in ("entries", "site-packages", "tests/repro"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "entries/spool-full.md").write_text(published_sample(), encoding="utf-8")
    program = tmp_path / "site-packages/trainer.py"
    program.write_text('print("SampleSpoolError: spool", "left, checkpoint needs")\n')
    assert main(["upstream", "site-packages", "--update"]) == 0
    known = json.loads((tmp_path / "tests/repro/upstream.json").read_text(encoding="utf-8"))
    message = (
        "SampleSpoolError: spool <path:spool> has <size:free> left, checkpoint needs <size:need>"
    )
    assert known == {"spool-full": [message]}
    program.write_text('print("SampleSpoolError: spool", "left; checkpoint needs")\n')
    capsys.readouterr()
    assert main(["upstream", "site-packages", "-o", "stale.md"]) == 1
    assert capsys.readouterr().err == f"spool-full: {message}\n"
    assert (tmp_path / "stale.md").read_text(encoding="utf-8") == (
        f"### Messages that are gone\n\n    spool-full: {message}\n\n"
    )


def test_links_that_are_gone_are_told_with_the_entries_that_name_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The network is stood in for: every page of the entry is gone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "entries").mkdir()
    (tmp_path / "entries/spool-full.md").write_text(published_sample(), encoding="utf-8")

    def say_gone(request: urllib.request.Request, timeout: float) -> None:
        raise urllib.error.HTTPError(request.full_url, 404, "Not Found", Message(), None)

    monkeypatch.setattr("urllib.request.urlopen", say_gone)
    assert main(["links", "-o", "stale.md"]) == 1
    said = capsys.readouterr()
    assert said.out == "3 links: 3 gone, 0 could not be asked\n"
    trainer = "https://docs.pytorch.org/sample-trainer"
    lines = [
        f"{trainer}/blob/v2.3.0/spool.py: status 404 (named by spool-full)\n",
        f"{trainer}/changes: status 404 (named by spool-full)\n",
        f"{trainer}/issues/17: status 404 (named by spool-full)\n",
    ]
    assert said.err == "".join(lines)
    assert (tmp_path / "stale.md").read_text(encoding="utf-8") == (
        "### Links that are gone\n\n" + "".join(f"    {line}" for line in lines) + "\n"
    )


def test_packages_that_are_not_there_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong folder is a mistake of the command line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "entries").mkdir()
    (tmp_path / "entries/spool-full.md").write_text(GOOD, encoding="utf-8")
    assert main(["upstream", "nowhere"]) == 2
    assert capsys.readouterr().err == "nowhere: no such folder\n  help: make .venv-torch/.ready\n"
