"""The site, from its pages on disk: MkDocs renders them, and each page is bound by its policy."""

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

import generator.policy
from checker.report.page_style import page_style
from generator.pages.paste import PYTHON_PAGES
from generator.policy import bind

# Whose build asks for MkDocs 1 by a range needs no word about a version 2.
_QUIET = {"NO_MKDOCS_2_WARNING": "1"}
_RENDERERS = ("mkdocs", "mkdocs-material", "markdown", "pymdown-extensions", "pygments", "jinja2")
_UNUSED = re.compile(r"/javascripts/(?:lunr|workers)/|\.map$")
_MADE_FROM = "build/site.sha256"


def render_site(folder: Path, environment: Mapping[str, str] = os.environ) -> str:
    """Render the pages below *folder* into its `site`; return what MkDocs complains of, or ''.

    Where the site was made from the very same before, it stays.
    """
    made_from = folder / _MADE_FROM
    digest = _digest(folder, environment.get("SITE_URL", ""))
    if (folder / "site/index.html").exists() and _read(made_from) == digest:
        return ""
    made_from.unlink(missing_ok=True)
    done = subprocess.run(
        # Told to be quiet, it would not count what it complains of.
        [sys.executable, "-m", "mkdocs", "build", "--strict"],
        cwd=folder,
        env={**environment, **_QUIET},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = [one for one in done.stderr.splitlines() if not one.startswith("INFO")]
        return "\n".join(lines) or f"mkdocs ended with status {done.returncode}"
    _without_unused(folder / "site")
    bind(folder / "site", PYTHON_PAGES, [page_style()])
    made_from.write_text(digest, encoding="ascii")
    return ""


def _without_unused(site: Path) -> None:
    """Take away what the theme brings and no page asks for: its own search, and maps of scripts."""
    for path in sorted((site / "assets").rglob("*")):
        if path.is_file() and _UNUSED.search(path.as_posix()):
            path.unlink()


def _read(path: Path) -> str:
    return path.read_text(encoding="ascii") if path.exists() else ""


def _digest(folder: Path, address: str) -> str:
    """Digest all that the site is made from and by."""
    whole = hashlib.sha256()
    for name, content in _parts(folder, address):
        whole.update(b"%d %d " % (len(name), len(content)))
        whole.update(name.encode("utf-8") + content)
    return whole.hexdigest()


def _parts(folder: Path, address: str) -> Iterator[tuple[str, bytes]]:
    yield "address", address.encode("utf-8")
    yield "style of reports", page_style().encode("utf-8")
    yield from ((name, version(name).encode("utf-8")) for name in _RENDERERS)
    code = [Path(__file__), Path(generator.policy.__file__)]
    yield from ((path.name, path.read_bytes()) for path in (*code, folder / "mkdocs.yml"))
    for below in ("build/docs", "site_overrides"):
        for path in sorted((folder / below).rglob("*")):
            if path.is_file():
                yield path.relative_to(folder).as_posix(), path.read_bytes()
