"""What is shown on a terminal."""

import pytest

from checker.report.terminal import Excerpt, clip, columns, fold, paint, visible, wrap_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
        ("a\tb\r\n", "a    b\\x0d\\x0a"),
        ("abc\u202edef", "abc\\u202edef"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("lone \udc80", "lone \\udc80"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("\x85\x9b31m", "\\x85\\x9b31m"),
        ("Gr\u00fc\u00dfe \u4f60\u597d", "Gr\u00fc\u00dfe \u4f60\u597d"),
    ],
)
def test_what_could_command_the_terminal_is_escaped(text: str, shown: str) -> None:
    """Controls and direction marks become visible; ordinary letters of any language stay."""
    assert visible(text) == shown


def test_columns_count_wide_and_combining_characters() -> None:
    """A CJK character takes two columns, an accent put on a letter none."""
    assert columns("ab") == 2
    assert columns("\u4f60\u597d") == 4
    assert columns("e\u0301") == 1


def test_text_is_broken_at_blanks() -> None:
    """A line ends before the word that would not fit."""
    assert wrap_text("word " * 20, "1. ", "   ") == [
        "1. word word word word word word word word word word word word word word word",
        "   word word word word word",
    ]


def test_a_word_longer_than_a_line_stays_whole() -> None:
    """A path has to be copied, so it is not broken."""
    path = "/very/long/" + "x" * 90
    assert wrap_text("see " + path + " there", "  ", "  ") == ["  see", "  " + path, "  there"]


@pytest.mark.parametrize(
    ("excerpt", "shown"),
    [
        (Excerpt("short", 0, 5), "short"),
        (Excerpt("a" * 10 + "X" + "b" * 50, 10, 11), "aaaaaaaaaaXbbb..."),
        (Excerpt("a" * 50 + "X" + "b" * 50, 50, 51), "...aaaaaXbbbbb..."),
        (Excerpt("a" * 50 + "X", 50, 51), "...aaaaaaaaaaX"),
        (Excerpt("prefix: " * 9 + "said this and more", 72, 76, 72), "...said this a..."),
    ],
)
def test_a_long_line_is_clipped_around_what_matters(excerpt: Excerpt, shown: str) -> None:
    """The match is always in what is shown, and every cut is marked."""
    assert clip(excerpt, 17) == shown


def test_a_line_of_megabytes_is_clipped_without_being_escaped_whole() -> None:
    """Only the surroundings of the match are looked at."""
    text = "\x1b" * 5_000_000 + "HERE" + "\x1b" * 5_000_000
    assert clip(Excerpt(text, 5_000_000, 5_000_004), 30) == "...1b\\x1b\\x1bHERE\\x1b\\x1b\\x..."


def test_a_quote_is_broken_at_a_blank_that_is_near() -> None:
    """Where there is none, it is broken where the width ends."""
    assert fold("a" * 70 + " bbbb " + "c" * 90, 74) == [
        "a" * 70,
        "bbbb " + "c" * 69,
        "c" * 21,
    ]


def test_colors_are_put_around_a_row_only_if_wanted() -> None:
    """Without color the text holds no escape."""
    rows = [("heading", "Why"), ("plain", "Because.")]
    assert paint(rows, False) == "Why\nBecause.\n"
    assert paint(rows, True) == "\x1b[1mWhy\x1b[0m\nBecause.\n"
