"""The command that shows the site while entries are written."""

import argparse
import logging
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

from generator.commands.registry import command
from generator.pages import render
from generator.pages.write import read_pages, write_pages
from generator.preview import Preview
from generator.roots import ROOT
from generator.sources import EntrySource, load_sources

_HOST = "127.0.0.1"
_LOOK_EVERY_S = 0.2
_Times = dict[Path, int]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8000, help="on this machine only")


@command("trainwreck-dev serve --port 8000", _arguments)
def serve(arguments: argparse.Namespace) -> int:
    """Show the site at http://127.0.0.1:8000 and each entry anew when it is saved.

    A draft has a page here, and the problems that lint finds stand on top of it. Lists and hubs are
    those of the start. The first rendering takes a minute, each later one a second. End it with
    Ctrl-C.
    """
    if _answers(arguments.port):
        print(f"port {arguments.port} is taken", file=sys.stderr)
        print(f"  help: choose another, as --port {arguments.port + 1}", file=sys.stderr)
        return 2
    print("rendering the site, which takes a minute", flush=True)
    with tempfile.TemporaryDirectory(prefix="trainwreck-") as folder:
        _serve(arguments.entries, arguments.port, Path(folder))
    return 0


def _serve(sources: list[EntrySource], port: int, folder: Path) -> None:
    # What renders pages is loaded only here, so that other commands begin sooner.
    from mkdocs.config import load_config  # noqa: PLC0415
    from mkdocs.livereload import LiveReloadServer  # noqa: PLC0415

    from generator.live import LiveSite  # noqa: PLC0415

    times = _times(sources)
    collection = load_sources(sources)
    write_pages(folder / "docs", render(collection, read_pages(ROOT / "site_overrides" / "pages")))
    address = f"http://{_HOST}:{port}/"
    logging.getLogger("mkdocs").setLevel(logging.ERROR)
    settings: dict[str, Any] = {
        "docs_dir": str(folder / "docs"),
        "site_dir": str(folder / "site"),
        "site_url": address,
        "strict": False,
    }
    site = LiveSite(load_config(str(ROOT / "mkdocs.yml"), **settings))
    preview = Preview(collection)

    def show(files: list[Path]) -> None:
        for file in files:
            site.write(f"entries/{file.name}", preview.saved(file, file.as_posix()))

    def show_saved() -> None:
        now = _times(sources)
        changed = sorted(file for file, at in now.items() if times.get(file) != at)
        times.update(now)
        show(changed)
        for file in changed:
            print(f"{file.as_posix()}: {address}entries/{file.stem}/", flush=True)

    drafts = [file for file in sorted(times) if not preview.is_published(file.stem)]
    show(drafts)
    server = LiveReloadServer(
        show_saved, _HOST, port, str(folder / "site"), polling_interval=_LOOK_EVERY_S
    )
    for one in sources:
        server.watch(str(one.folder))
    print(f"{address} shows the entries; end with Ctrl-C", flush=True)
    for file in drafts:
        print(f"{file.as_posix()}: {address}entries/{file.stem}/", flush=True)
    try:
        server.serve()  # type: ignore[no-untyped-call]
    except KeyboardInterrupt:
        pass
    finally:
        server.shutdown()


def _answers(port: int) -> bool:
    """Tell whether somebody listens there."""
    try:
        with socket.create_connection((_HOST, port), timeout=1):
            return True
    except OSError:
        return False


def _times(sources: list[EntrySource]) -> _Times:
    found: _Times = {}
    for one in sources:
        for file in one.folder.glob("*.md"):
            try:
                found[file] = file.stat().st_mtime_ns
            except OSError:  # an editor was just putting a new file in its place
                continue
    return found
