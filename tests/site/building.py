"""What the tests of the site share: the sample entries built as a whole site, and served."""

import http
import http.server
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from generator.build import repository_address, site_address
from generator.load import Collection
from generator.pages import render
from generator.pages.write import read_pages, write_pages
from generator.runtime import runtime_files
from generator.site import render_site

ROOT = Path(__file__).resolve().parents[2]


STAND_IN = "print('a stand-in for the checker')\n"


def build_site(
    folder: Path, collection: Collection, checker: str = STAND_IN, **environment: str
) -> Path:
    """Build the site of a collection in a folder; fail with what MkDocs says."""
    data = ("catalogue.json", "entry.schema.json", "report.schema.json")
    made = {"trainwreck.py": checker, **dict.fromkeys(data, "{}\n")}
    beside = {**read_pages(ROOT / "site_overrides" / "pages"), **made}
    runtime = runtime_files(ROOT) if checker != STAND_IN else {}
    pages = render(
        collection,
        beside,
        bool(runtime),
        site_address(environment),
        repository=repository_address(environment),
    )
    write_pages(folder / "build" / "docs", {**pages, **runtime})
    for name in ("mkdocs.yml", "site_overrides"):
        (folder / name).symlink_to(ROOT / name)
    assert render_site(folder, {"PATH": "/usr/bin:/bin", **environment}) == ""
    return folder / "site"


@contextmanager
def served(site: Path, below: str = "") -> Iterator[str]:
    """Serve a site on this machine, below a path if one is given; yield its address."""
    handler = partial(_Quiet, directory=str(site), below=below)
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}{below}"
        server.shutdown()
        thread.join()


class _Server(http.server.ThreadingHTTPServer):
    """A server that does not mind a browser that hangs up."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report anything else."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that prints nothing and knows only what lies below a path."""

    def __init__(self, *arguments: Any, below: str, **named: Any) -> None:
        """Remember the path."""
        self.below = below
        super().__init__(*arguments, **named)

    def translate_path(self, path: str) -> str:
        """Find the file; what does not lie below the path is not there."""
        if not path.startswith(self.below):
            return super().translate_path("/no-such-page")
        return super().translate_path(path.removeprefix(self.below) or "/")

    def send_error(self, code: int, *said: Any) -> None:
        """Show the site's page for an address without one, as web servers are told to."""
        page = Path(self.directory) / "404.html"
        if code != http.HTTPStatus.NOT_FOUND or not page.exists():
            super().send_error(code, *said)
            return
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page.read_bytes())

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""
