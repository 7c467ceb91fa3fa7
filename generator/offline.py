"""The site as one file that works from a file system, for machines without a network."""

import io
import posixpath
import re
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path

from generator.pages.write import write_pages
from generator.roots import ROOT
from generator.site import render_site

NAME = "trainwreck-site"
"""The folder that the archive unpacks to."""
# All members have one time, so that the same site is the same bytes.
_WHEN = (1980, 1, 1, 0, 0, 0)
_MODE = 0o644 << 16
_LINK = re.compile(r'( href="| content="0; url=)([^"#?:]+)(?=["#?])')
# What a server or a search engine asks for.
_ONLINE = re.compile(r"404\.html|sitemap\.xml(\.gz)?")


def offline_site(
    folder: Path, pages: Mapping[str, str], environment: Mapping[str, str]
) -> bytes | str:
    """Build the site of *pages* in a folder and pack it; return a text if MkDocs complains.

    The pages must be those of a site without an address, since nobody knows where it will lie.
    """
    write_pages(folder / "build/docs", pages)
    for name in ("mkdocs.yml", "site_overrides"):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
    complaint = render_site(folder, {**environment, "SITE_URL": ""})
    return complaint or _packed(_on_disk(_read(folder / "site")))


def _read(site: Path) -> dict[str, bytes]:
    """Read what a copy on a disk needs of a built site, by the paths below its folder."""
    paths = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in paths.items() if not _ONLINE.fullmatch(name)}


def _on_disk(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Name the page where a link names a folder, which a browser would list instead."""
    return {
        path: _naming_pages(path, content.decode("utf-8"), files.keys()).encode("utf-8")
        if path.endswith(".html")
        else content
        for path, content in files.items()
    }


def _naming_pages(path: str, page: str, known: Collection[str]) -> str:
    def named(found: "re.Match[str]") -> str:
        begin, target = found.groups()
        its_page = posixpath.join(target, "index.html")
        there = posixpath.normpath(posixpath.join(posixpath.dirname(path), its_page))
        return begin + (its_page if there in known else target)

    return _LINK.sub(named, page)


def _packed(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in sorted(files.items()):
            member = zipfile.ZipInfo(f"{NAME}/{path}", _WHEN)
            member.external_attr = _MODE
            archive.writestr(member, content, zipfile.ZIP_DEFLATED, compresslevel=9)
    return packed.getvalue()
