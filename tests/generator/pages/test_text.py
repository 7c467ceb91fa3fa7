"""Text of an entry reaches the page as text, whatever it holds."""

import random

import pytest

from generator.pages.text import body, code, escape, fenced, plain, prose, visible
from tests.generator.pages.hostile import HOSTILE, assert_harmless
from tests.generator.pages.rendering import parse_html, to_html


@pytest.mark.parametrize("text", HOSTILE)
def test_prose_shows_hostile_text_as_it_was_typed(text: str) -> None:
    """Nothing of a field becomes HTML, and nothing of it is lost but its markup."""
    html = to_html(prose(text))
    assert_harmless(html)
    assert parse_html(html).text.split() == plain(text).split()


@pytest.mark.parametrize("text", HOSTILE)
def test_bodies_carry_no_html(text: str) -> None:
    """A body keeps its Markdown, but opens no element and no attribute of its own."""
    assert_harmless(to_html(body(text)))


@pytest.mark.parametrize("text", HOSTILE)
def test_code_shows_hostile_text_as_it_was_typed(text: str) -> None:
    """A code span and a code block show every character."""
    assert parse_html(to_html(code(text))).text.split() == visible(text).split()
    block = to_html(fenced(text))
    assert_harmless(block)
    assert parse_html(block).text.split() == visible(text).split()


def test_no_mixture_of_hostile_texts_opens_html() -> None:
    """Pieces that meet in one text do not help each other out of it."""
    chance = random.Random(20261130)
    for _ in range(300):
        pieces = chance.choices(HOSTILE, k=chance.randint(2, 5))
        text = chance.choice(["", " ", "\n", "\n\n", "\n    "]).join(pieces)
        assert_harmless(to_html(body(text)))
        assert_harmless(to_html(f"-   {prose(text)}\n\n| a |\n| --- |\n| {prose(text)} |"))


def test_prose_knows_code_and_links_only() -> None:
    """A code span and an https link are markup; emphasis is text."""
    text = "Set `NCCL_DEBUG=<level>` as in [the *guide*](https://example.org/a_(b)?c=1&d=2)."
    assert to_html(prose(text)) == (
        "<p>Set <code>NCCL&#95;DEBUG&#61;&#60;level&#62;</code> as in "
        '<a href="https://example.org/a_%28b%29?c=1&amp;d=2">the &#42;guide&#42;</a>.</p>'
    )


def test_prose_without_links_keeps_their_text() -> None:
    """Where a link would lead astray, its words stay."""
    text = "See [`torch.save`](other-entry.md#fix) first."
    assert prose(text, links=False) == "See `torch.save` first."


@pytest.mark.parametrize(
    "text",
    ["- no list", "1. no step", "# no heading", "=== no tab", "!!! no box", "> no quote", ": no"],
)
def test_prose_begins_no_block(text: str) -> None:
    """What a block begins with is a paragraph's first word like any other."""
    html = to_html(prose(text))
    assert [tag for tag, _ in parse_html(html).elements] == ["p"]
    assert parse_html(html).text == text


def test_names_stay_legible_in_the_markdown() -> None:
    """What is not markup is not escaped, for people read the pages on disk too."""
    text = "PYTORCH_CUDA_ALLOC_CONF (2.4.0): 50 %, 9p and a-b."
    assert escape(text) == text


def test_bodies_keep_their_markdown() -> None:
    """Lists, tables, emphasis, quotes and fenced code of a body are rendered."""
    text = (
        "**Bold** and *thin*.\n\n- one\n- `two <n>`\n\n| a | b |\n| --- | --- |\n| `x|y` | 2 |\n\n"
        "> said\n\n```python\nx = '<b>'\n```\n\n# Too high\n"
    )
    parsed = parse_html(to_html(body(text)))
    tags = {tag for tag, _ in parsed.elements}
    assert {"strong", "em", "ul", "table", "blockquote", "pre", "h3"} <= tags
    assert "h1" not in tags
    assert "two <n>" in parsed.text
    assert "x|y" in parsed.text
    assert "x = '<b>'" in parsed.text


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    """Code that holds a fence does not end the block."""
    assert fenced("a\n````\nb", "bash") == "`````bash\na\n````\nb\n`````"


def test_hidden_characters_are_named() -> None:
    """A character that turns or hides the text around it is shown by its number."""
    assert visible("a\u202eb\x1b[0m\tc") == "a<U+202E>b<U+001B>[0m\tc"
