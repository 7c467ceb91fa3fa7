"""Wordings as expressions and literals."""

import re

import pytest

from checker.wordings import PatternError, compile_text
from generator.patterns import compile_regex


def test_text_keeps_its_longest_fixed_piece_as_literal() -> None:
    """The literal of a text is the piece with the most letters by which lines are told apart."""
    compiled = compile_text("exited with <n:code> while saving <path>")
    assert compiled.literal == "while saving"
    assert compiled.types == {"code": "n", "path": "path"}


def test_literal_bracket_before_a_word_is_written_twice() -> None:
    """Programs print words in brackets that are no placeholders."""
    regex = compile_text("died with <<Signals.<word:name>: <n:signal>>").regex
    found = re.search(regex, "died with <Signals.SIGKILL: 9>.")
    assert found is not None
    assert found.groupdict() == {"name": "SIGKILL", "signal": "9"}


def test_blanks_of_a_text_match_any_run_of_blanks() -> None:
    """A program that pads its numbers still prints the same message."""
    pattern = re.compile(compile_text("Killed process <pid>").regex, re.ASCII)
    found = pattern.search("Killed  process      412 (python)")
    assert found is not None
    assert found.group("pid") == "412"


def test_last_word_is_taken_whole() -> None:
    """A word at the end of a text reaches to the next blank, one within to the text behind it."""
    pattern = re.compile(compile_text("task <word:task>, of <word:job>").regex, re.ASCII)
    found = pattern.search("task a1, of train-7 now")
    assert found is not None
    assert found.group("task", "job") == ("a1", "train-7")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Killed <pidd>", "unknown placeholder '<pidd>'"),
        ("Killed <size:Tried>", "'<size:Tried>' is no placeholder"),
        ("<n> <n:b>", "'<n> <n:b>' has no fixed text"),
        ("from <n:a> to <n:a>", "the name 'a' is used twice"),
    ],
)
def test_text_that_could_never_match_is_refused(text: str, message: str) -> None:
    """A misspelled placeholder, a text without fixed words and a double name are errors."""
    with pytest.raises(PatternError, match=re.escape(message)):
        compile_text(text)


@pytest.mark.parametrize(
    ("regex", "literal"),
    [
        (r"Killed process \d{1,9} \((?P<word_name>[^)]{1,16})\)", "Killed process"),
        (r"(?:out of|over) memory limit$", "memory limit"),
        (r"(?:lost )?connection to (?:peer ){2}", "connection to"),
        (r"^rank (?:(?:is) gone)\b", "rank is gone"),
    ],
)
def test_literal_of_an_expression_is_in_every_match(regex: str, literal: str) -> None:
    """Optional parts, branches and classes give no literal; what stands beside them does."""
    assert compile_regex(regex).literal == literal


def test_group_name_gives_the_type_of_a_capture() -> None:
    """A group whose name begins with a placeholder's name has its type, another is a word."""
    compiled = compile_regex(r"idle (?P<size_idle>\d+ MiB) on (?P<gpu>\d)")
    assert compiled.types == {"size_idle": "size", "gpu": "word"}


@pytest.mark.parametrize(
    ("regex", "message"),
    [
        (r"(?i)killed", "'(?i)killed' ignores case"),
        (r"(?:killed|ended)", "'(?:killed|ended)' has no fixed text"),
        (r"(?i:killed)", "'(?i:killed)' has no fixed text"),
        (r"killed (", "'killed (' is no regular expression: missing )"),
    ],
)
def test_expression_without_certain_text_is_refused(regex: str, message: str) -> None:
    """An expression is refused where no literal can be looked for."""
    with pytest.raises(PatternError, match=re.escape(message)):
        compile_regex(regex)
