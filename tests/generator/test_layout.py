"""The layout of entries: parts move, and nothing is lost."""

from generator.layout import laid_out
from tests.needs import ROOT

ENTRY = """---
layer: host
title: "One: two"   # a remark
summary:
  fix: Do it.
  # why
  symptom: It stops.


  cause: It is full.
references:
  - title: A page
    says: |
      cause: no key

      title: none either
    url: https://example.org/a
  - {title: Another, url: https://example.org/b}
# of the last part
phase: launch
---

## One
text


## Two
"""

TIDY = """---
title: "One: two"   # a remark
# of the last part
phase: launch
layer: host

summary:
  symptom: It stops.
  # why
  cause: It is full.
  fix: Do it.

references:
  - url: https://example.org/a
    title: A page
    says: |
      cause: no key

      title: none either
  - {title: Another, url: https://example.org/b}
---

## One
text

## Two
"""


def test_keys_stand_in_the_order_of_the_model() -> None:
    """Keys move with their lines and the remarks above them; blank lines part what is long."""
    assert laid_out(ENTRY) == TIDY.replace(
        "  symptom: It stops.\n  # why\n  cause: It is full.\n",
        "  # why\n  symptom: It stops.\n  cause: It is full.\n",
    )


def test_a_tidy_entry_stays_as_it_is() -> None:
    """A second run changes nothing."""
    assert laid_out(laid_out(ENTRY)) == laid_out(ENTRY)


def test_what_cannot_be_read_stays_as_it_is() -> None:
    """A file without front matter, or with broken YAML, is not touched."""
    for text in ("", "no entry\n", "---\ntitle: [\nlayer: x\n---\n"):
        assert laid_out(text) == text


def test_a_text_over_several_lines_is_not_torn() -> None:
    """Quoted texts may go on at any indent; where moving would change them, nothing moves."""
    text = '---\nlayer: "a\ntitle: b"\nkind: x\n---\n'
    assert laid_out(text) == text


def test_unknown_keys_are_kept_at_the_end() -> None:
    """A misspelled key is still there for lint to name."""
    assert laid_out("---\ntitel: x\nlayer: y\n---\n") == "---\nlayer: y\ntitel: x\n---\n"


def test_all_entries_have_the_layout() -> None:
    """The collection is laid out as `fmt` would do it."""
    wrong = [
        file.name
        for file in sorted((ROOT / "entries").glob("*.md"))
        if laid_out(text := file.read_text(encoding="utf-8")) != text
    ]
    assert wrong == [], "run: trainwreck-dev fmt"
