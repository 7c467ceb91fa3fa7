"""Markdown on a terminal."""

from checker.report.prose import prose_rows

MARKDOWN = """\
The first paragraph goes on for so long that it has to be broken into two lines, at
a blank. See [the source](https://example.org/a).

1. A step that is so long that its second line has to hang under its first word, as
   lists do.
2. Another step.

```bash
if true; then
    echo "\x1b[31m"
fi
```
"""


def test_paragraphs_and_lists_are_wrapped_and_code_is_kept() -> None:
    """Links show their address, code its own lines, and nothing commands the terminal."""
    assert prose_rows(MARKDOWN) == [
        ("plain", "  The first paragraph goes on for so long that it has to be broken into two"),
        ("plain", "  lines, at a blank. See the source (https://example.org/a)."),
        ("plain", ""),
        ("plain", "  1. A step that is so long that its second line has to hang under its first"),
        ("plain", "     word, as lists do."),
        ("plain", "  2. Another step."),
        ("plain", ""),
        ("quote", "    if true; then"),
        ("quote", '        echo "\\x1b[31m"'),
        ("quote", "    fi"),
    ]
