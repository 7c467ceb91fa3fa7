"""The last work on a page: what it may load and run, which the browser enforces, and its blanks.

Every script is a file of the site, or stands in the page and is named by its digest. Nothing is
asked of another server, so that even a mistake in a page cannot send a log away.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from html import escape
from pathlib import Path

_CHARSET = '<meta charset="utf-8">'
# The theme writes these elements: what an entry says has no bracket that is not escaped. To read
# whole pages as HTML would take a fifth of the time that all of the build takes.
_INLINE = re.compile(r"<(script|style)\b([^>]*)>(.*?)</\1\s*>", re.DOTALL)
_SOURCE = re.compile(r"\ssrc\s*=")
_TYPE = re.compile(r"\stype\s*=\s*[\"']?([^\"'\s]*)")
_BLANKS = re.compile(r"\s*\n\s*")
# In code, texts are escaped, and no block of these begins or ends.
_BLOCK_END = re.compile(
    r"(</?(?:t[dhr]|thead|tbody|table|[uod]l|li|d[td]|div|p|h\d)\b[^>]*>)\s+(?=<|$)"
)
_BLANK_MARK = re.compile(r'<span class="w">(\s*)</span>')
# HTML ends these by itself at the next of their kind, or at the end of what holds them.
_OPTIONAL_END = re.compile(r"</(?:li|d[td]|t[dhr]|tbody)>")
_EMPTY_MARK = "<pre><span></span>"
_ARTICLE = re.compile(r"(.*?<article\b[^>]*>)(.*)(</article>.*)", re.DOTALL)
_KEEPS_BLANKS = re.compile(r"<(?:pre|textarea)\b[^>]*>(?!</)")
_RUN = {"", "text/javascript", "application/javascript", "module"}


def bind(site: Path, python_pages: Iterable[str], styles: Iterable[str]) -> None:
    """Write the policy into every page of a built site; the named ones may run Python in a worker.

    *styles* are style sheets that stand in what the pages show, as a report does.
    """
    run_python = {site / path for path in python_pages}
    digests = [_digest(style) for style in styles]
    for path in sorted(site.rglob("*.html")):
        page = path.read_text(encoding="utf-8")
        bound = with_policy(squeezed(page), path in run_python, digests)
        path.write_text(bound, encoding="utf-8")


def squeezed(page: str) -> str:
    """Return a page without what nobody sees, a tenth of it.

    Blank lines and indents stand around the article, line ends between its blocks, marks of the
    highlighter around every blank of its code, and ends of what HTML ends by itself.
    """
    around = _ARTICLE.fullmatch(page)
    if not around or _KEEPS_BLANKS.search(around[1] + around[3]):
        return page
    before, article, after = around.groups()
    before, after = (_OPTIONAL_END.sub("", part) for part in (before, after))
    within = _BLOCK_END.sub(r"\1", _BLANK_MARK.sub(r"\1", article).replace(_EMPTY_MARK, "<pre>"))
    within = _OPTIONAL_END.sub("", within)
    return _BLANKS.sub("\n", before) + within.strip() + _BLANKS.sub("\n", after)


def with_policy(page: str, runs_python: bool, style_digests: Iterable[str] = ()) -> str:
    """Return a page with its policy; it stands before all that it binds."""
    inline = list(_inline(page))
    scripts, styles = (
        ["'self'", *(_digest(text) for name, text in inline if name == which)]
        for which in ("script", "style")
    )
    rules = {
        "default-src": ["'none'"],
        # WebAssembly is what Python is made of there; text is still never run as a script.
        "script-src": [*scripts, *(["'wasm-unsafe-eval'"] if runs_python else [])],
        "style-src": [*styles, *style_digests],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "worker-src": ["'self'", *(["blob:"] if runs_python else [])],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    text = "; ".join(f"{name} {' '.join(dict.fromkeys(what))}" for name, what in rules.items())
    meta = f'<meta http-equiv="Content-Security-Policy" content="{escape(text, quote=False)}">'
    before, charset, after = page.partition(_CHARSET)
    if not charset:
        raise ValueError(f"a page without {_CHARSET} cannot be given a policy")
    return before + charset + meta + after


def _inline(page: str) -> Iterator[tuple[str, str]]:
    """Give the scripts and style sheets that stand in a page: the element's name, and its text."""
    for name, attributes, text in _INLINE.findall(page):
        kind = _TYPE.search(attributes)
        is_data = name == "script" and (kind[1] if kind else "") not in _RUN
        if text and not is_data and not _SOURCE.search(attributes):
            yield name, text


@cache
def _digest(text: str) -> str:
    hashed = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(hashed).decode('ascii')}'"
