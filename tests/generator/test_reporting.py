"""Problems as a person, GitHub and a program see them."""

import json
from pathlib import Path

import pytest

from generator.errors import Problem
from generator.reporting import as_github, as_json, as_short, as_text, closing_line


def problem(line: int, column: int, **changes: str) -> Problem:
    """Make a problem of the file that the tests write."""
    made = Problem(
        "entries/x.md", line, column, "unknown-key", "symptoms[0].becuase", "unknown key", "rename"
    )
    return made._replace(**changes)


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with one file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "entries").mkdir()
    return tmp_path / "entries/x.md"


def test_the_word_that_is_wrong_is_marked_in_its_line(entry: Path) -> None:
    """The line stands between the message and the remedy, with a mark below the whole word."""
    entry.write_text("---\nsymptoms:\n  - becuase: it waits\n", encoding="utf-8")
    assert as_text([problem(3, 5)]) == (
        "entries/x.md:3:5: unknown-key: symptoms[0].becuase: unknown key\n"
        "  3 |   - becuase: it waits\n"
        "    |     ^^^^^^^\n"
        "  help: rename\n"
    )


def test_what_is_wrong_alike_in_many_lines_is_said_once(entry: Path) -> None:
    """Each line is quoted below with its number; two lines, or another remedy, stand alone."""
    entry.write_text("---\n" + "".join(f"k{n}: TODO\n" for n in range(2, 13)), encoding="utf-8")
    todo = [
        problem(line, 5, code="placeholder-text", message="'TODO' is no answer", help="write it")
        for line in (2, 3, 12)
    ]
    assert as_text([todo[0], problem(4, 1, field=""), *todo[1:]]) == (
        "entries/x.md:2:5: placeholder-text: 'TODO' is no answer, in 3 places\n"
        "   2 | k2: TODO\n"
        "   3 | k3: TODO\n"
        "  12 | k12: TODO\n"
        "  help: write it\n"
        "entries/x.md:4:1: unknown-key: unknown key\n"
        "  4 | k4: TODO\n"
        "    | ^^\n"
        "  help: rename\n"
    )
    assert "places" not in as_text(todo[:2])


def test_the_mark_stands_right_below_wide_and_invisible_characters(entry: Path) -> None:
    """A wide character takes two columns, and an escape as many as it is printed with."""
    entry.write_text("---\n漢\x1b[31m: value\n", encoding="utf-8")
    assert as_text([problem(2, 9)]).split("\n")[1:3] == [
        "  2 | 漢\\x1b[31m: value",
        "    |             ^^^^^",
    ]


def test_of_a_long_line_only_what_is_around_the_place_is_quoted(entry: Path) -> None:
    """The quotation fits a terminal, wherever in the line the place is."""
    entry.write_text("---\n" + "word " * 100 + "\n", encoding="utf-8")
    quoted, marked = as_text([problem(2, 301)]).split("\n")[1:3]
    assert quoted == "  2 | " + "rd " + "word " * 18 + "wor"
    assert marked == "    | " + " " * 48 + "^^^^"


def test_a_problem_of_the_whole_file_quotes_nothing(entry: Path) -> None:
    """Where no line is meant, or the file is not there, the two lines are all."""
    whole = problem(1, 1, field="", code="empty-file", message="the file is empty", help="write")
    expected = "entries/x.md:1:1: empty-file: the file is empty\n  help: write\n"
    assert as_text([whole]) == expected
    entry.write_text("text\n", encoding="utf-8")
    assert as_text([whole]) == expected


def test_the_short_form_is_two_lines(entry: Path) -> None:
    """A program that reads lines of compilers gets no quotation."""
    entry.write_text("---\nbecuase: x\n", encoding="utf-8")
    assert as_short([problem(2, 1)]) == (
        "entries/x.md:2:1: unknown-key: symptoms[0].becuase: unknown key\n  help: rename\n"
    )


def test_github_shows_a_problem_at_its_line() -> None:
    """A workflow command has place and code as properties, and no text can end it early."""
    hostile = problem(3, 5, path="entries/a,b:c.md", message="100 %\n::error::forged")
    assert as_github([hostile]) == (
        "::error file=entries/a%2Cb%3Ac.md,line=3,col=5,title=unknown-key::"
        "symptoms[0].becuase: 100 %25%0A::error::forged%0Ahelp: rename\n"
    )


def test_programs_get_all_parts_by_name() -> None:
    """JSON has every part of a problem, and is a list even of none."""
    assert json.loads(as_json([problem(3, 5)])) == [
        {
            "path": "entries/x.md",
            "line": 3,
            "column": 5,
            "code": "unknown-key",
            "field": "symptoms[0].becuase",
            "message": "unknown key",
            "help": "rename",
        }
    ]
    assert as_json([]) == "[]\n"


def test_the_closing_line_tells_of_checks_that_did_not_run() -> None:
    """A file that cannot be loaded may have more problems than are shown."""
    assert closing_line([problem(1, 1)]) == (
        "1 problem; 1 file not checked further until these are solved"
    )
    assert closing_line([problem(1, 1, code="title-period")] * 2) == "2 problems"
