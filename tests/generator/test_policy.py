"""The policy in the head of every page."""

import base64
import hashlib
from pathlib import Path

import pytest

from generator.policy import bind, squeezed, with_policy

PAGE = (
    '<!doctype html><html><head><meta charset="utf-8"><title>x</title>'
    '<style>p { color: red }</style><script src="a.js"></script>'
    '<script id="__config" type="application/json">{"a": "</b>"}</script></head>'
    "<body><p>x</p><script>let a = 1 < 2 && 3;</script></body></html>"
)


def digest(text: str) -> str:
    """Write a digest as a policy names it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_a_page_may_run_its_own_scripts_and_nothing_else() -> None:
    """What stands in the page is named by its digest; data in a script element is not run."""
    assert with_policy(PAGE, runs_python=False) == PAGE.replace(
        '<meta charset="utf-8">',
        '<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="'
        "default-src 'none'; script-src 'self' 'sha256-"
        + digest("let a = 1 < 2 && 3;")
        + "'; style-src 'self' 'sha256-"
        + digest("p { color: red }")
        + "'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; worker-src 'self'; "
        "base-uri 'none'; form-action 'none'"
        '">',
    )


def test_only_the_named_pages_may_run_python(tmp_path: Path) -> None:
    """A worker from a text, and what Python is made of, are allowed where they are needed."""
    for name in ("paste/index.html", "index.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(PAGE)

    bind(tmp_path, ["paste/index.html"], ["h1 { color: blue }"])

    plain, python = ((tmp_path / name).read_text() for name in ("index.html", "paste/index.html"))
    assert [text in plain for text in ("wasm-unsafe-eval", "blob:")] == [False, False]
    assert [text in python for text in ("wasm-unsafe-eval", "blob:")] == [True, True]
    assert digest("h1 { color: blue }") in plain


def test_a_page_that_cannot_be_bound_is_refused() -> None:
    """A page without the place for the policy would be published without one."""
    with pytest.raises(ValueError, match="cannot be given a policy"):
        with_policy("<html></html>", runs_python=False)


def test_blanks_go_where_no_text_is_read() -> None:
    """Indents of the theme go; code, and a page with other text that keeps blanks, stay."""
    page = (
        '<nav>\n\n    <a>x</a>  y\n</nav>\n<article class="a b">\n\n  <pre>  a\n\n  b</pre>\n'
        "</article>\n\n\n<p>"
    )
    assert squeezed(page) == (
        '<nav>\n<a>x</a>  y\n</nav>\n<article class="a b"><pre>  a\n\n  b</pre></article>\n<p>'
    )
    for kept in (f"<pre>\n\n  x</pre>{page}", "<p>\n\n  no article</p>"):
        assert squeezed(kept) == kept


def test_an_article_loses_only_what_nobody_sees() -> None:
    """Line ends between blocks go, and marks around the blanks of code; others stay."""
    page = (
        "<article>\n<table>\n<tr>\n<td><em>a</em>\n<b>b</b></td>\n<td>c</td>\n</tr>\n</table>\n"
        '<pre><span></span><code><span class="nb">cd</span><span class="w">  </span>x<span '
        'class="w"> </span><span class="se">\\</span>\n<span class="w">  </span>y\n</code></pre>\n'
        "</article>"
    )
    assert squeezed(page) == (
        "<article><table><tr><td><em>a</em>\n<b>b</b><td>c</table>"
        '<pre><code><span class="nb">cd</span>  x <span class="se">\\</span>\n  y\n</code></pre>'
        "</article>"
    )
