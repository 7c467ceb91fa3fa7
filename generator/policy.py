"""What a page may load and run: a policy in its head, which the browser enforces.

Every script is a file of the site, or stands in the page and is named by its digest. Nothing is
asked of another server, so that even a mistake in a page cannot send a log away.
"""

import base64
import hashlib
from collections.abc import Iterable
from html import escape
from html.parser import HTMLParser
from pathlib import Path

_CHARSET = '<meta charset="utf-8">'
_RUN = {"", "text/javascript", "application/javascript", "module"}


def bind(site: Path, python_pages: Iterable[str], styles: Iterable[str]) -> None:
    """Write the policy into every page of a built site; the named ones may run Python in a worker.

    *styles* are style sheets that stand in what the pages show, as a report does.
    """
    run_python = {site / path for path in python_pages}
    digests = [_digest(style) for style in styles]
    for path in sorted(site.rglob("*.html")):
        page = path.read_text(encoding="utf-8")
        path.write_text(with_policy(page, path in run_python, digests), encoding="utf-8")


def with_policy(page: str, runs_python: bool, style_digests: Iterable[str] = ()) -> str:
    """Return a page with its policy; it stands before all that it binds."""
    found = _Inline()
    found.feed(page)
    scripts = ["'self'", *map(_digest, found.scripts)]
    rules = {
        "default-src": ["'none'"],
        # WebAssembly is what Python is made of there; text is still never run as a script.
        "script-src": [*scripts, *(["'wasm-unsafe-eval'"] if runs_python else [])],
        "style-src": ["'self'", *map(_digest, found.styles), *style_digests],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "worker-src": ["'self'", *(["blob:"] if runs_python else [])],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    text = "; ".join(f"{name} {' '.join(dict.fromkeys(what))}" for name, what in rules.items())
    meta = f'<meta http-equiv="Content-Security-Policy" content="{escape(text)}">'
    before, charset, after = page.partition(_CHARSET)
    if not charset:
        raise ValueError(f"a page without {_CHARSET} cannot be given a policy")
    return before + charset + meta + after


def _digest(text: str) -> str:
    hashed = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(hashed).decode('ascii')}'"


class _Inline(HTMLParser):
    """Collects the scripts and style sheets that stand in a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self._into: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and "src" not in given and (given.get("type") or "") in _RUN:
            self._into = self.scripts
        elif tag == "style":
            self._into = self.styles

    def handle_data(self, data: str) -> None:
        if self._into is not None:
            self._into.append(data)
            self._into = None

    def handle_endtag(self, tag: str) -> None:
        self._into = None
