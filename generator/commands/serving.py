"""The command that shows the site while entries are written."""

import argparse
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from generator.commands.registry import command
from generator.pages import render
from generator.pages.write import read_pages, write_pages
from generator.preview import Preview
from generator.roots import ROOT
from generator.sources import EntrySource, load_sources

_LOOK_EVERY_S = 0.2
# MkDocs loses a page that changes while it renders it.
_RENDERS_IN_S = 1.0
_Times = dict[Path, int]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8000, help="on this machine only")


@command("trainwreck-dev serve --port 8000", _arguments)
def serve(arguments: argparse.Namespace) -> int:
    """Show the site at http://127.0.0.1:8000 and each entry anew when it is saved.

    A draft has a page here, and the problems that lint finds stand on top of it. Lists and hubs are
    those of the start. The first rendering takes a minute, each later one some seconds. End it with
    Ctrl-C.
    """
    if _answers(arguments.port):
        print(f"port {arguments.port} is taken", file=sys.stderr)
        print(f"  help: choose another, as --port {arguments.port + 1}", file=sys.stderr)
        return 2
    print("rendering the site, which takes a minute", flush=True)
    collection = load_sources(arguments.entries)
    docs = ROOT / "build" / "docs"
    write_pages(docs, render(collection, read_pages(ROOT / "site_overrides" / "pages")))
    preview = Preview(collection)
    times = _times(arguments.entries)
    for file in times:
        if (
            file.stem not in collection.entries
            or collection.entries[file.stem].entry.status == "draft"
        ):
            _write(preview, file, docs)
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "mkdocs", "serve", "--quiet", "--dirty", "--no-strict"),
            *("--dev-addr", f"127.0.0.1:{arguments.port}"),
        ],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    told = False
    try:
        while server.poll() is None:
            time.sleep(_LOOK_EVERY_S)
            if not told and _answers(arguments.port):
                address = f"http://127.0.0.1:{arguments.port}/"
                print(f"{address} shows the entries; end with Ctrl-C", flush=True)
                told = True
            now = _times(arguments.entries)
            changed = sorted(file for file, at in now.items() if times.get(file) != at)
            for file in changed:
                _write(preview, file, docs)
                print(
                    f"{file.as_posix()}: http://127.0.0.1:{arguments.port}/entries/{file.stem}/",
                    flush=True,
                )
            times = now
            time.sleep(_RENDERS_IN_S if changed else 0)
    except KeyboardInterrupt:
        pass
    finally:
        server.terminate()
        server.wait()
    return 0


def _answers(port: int) -> bool:
    """Tell whether somebody listens there; MkDocs does so when it has rendered all pages."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
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


def _write(preview: Preview, file: Path, docs: Path) -> None:
    page = preview.saved(file, file.as_posix())
    (docs / "entries" / file.name).write_text(page, encoding="utf-8")
