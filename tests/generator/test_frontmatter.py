"""Reading YAML: what is refused, where, and in which words."""

import pytest

from generator.frontmatter import read_entry
from generator.nodes import plain


def problems(front_matter: str) -> str:
    """Read a front matter and render what is wrong with it."""
    read = read_entry("x.md", f"---\n{front_matter}\n---\n".encode())
    return "\n".join(problem.render() for problem in read.problems)


class TestValues:
    """What unquoted words mean."""

    def test_only_plain_scalars_have_types(self) -> None:
        """Whole and decimal numbers, true, false and dates are typed; all else is text."""
        text = 'a: 5\nb: -0.5\nc: true\nd: 2025-01-31\ne: "5"\nf: 2.5.1\nyes: |\n  no\n'
        root = read_entry("x.md", f"---\n{text}---\n".encode()).root

        assert root is not None
        values = plain(root)
        assert (values["a"], values["b"], values["c"]) == (5, -0.5, True)
        assert values["d"].isoformat() == "2025-01-31"
        assert (values["e"], values["f"], values["yes"]) == ("5", "2.5.1", "no\n")

    @pytest.mark.parametrize(
        ("word", "message"),
        [
            ("yes", "YAML reads the word yes as true"),
            ("Off", "YAML reads the word Off as false"),
            ("n", "YAML reads the word n as false"),
            ("True", "YAML reads the word True as true"),
            ("~", "YAML reads ~ as no value"),
            ("null", "YAML reads null as no value"),
            ("0755", "YAML reads 0755 as the number 493"),
            ("0x1F", "YAML reads 0x1F as the number 31"),
            ("12:30:45", "YAML reads 12:30:45 as the number 45045"),
            ("1_000", "YAML reads 1_000 as the number 1000"),
            (".5", "YAML reads .5 as the number 0.5"),
            (".inf", "YAML reads .inf as the number inf"),
            ("1e5", "some YAML readers take 1e5 for a number, others for text"),
            ("08", "some YAML readers take 08 for a number, others for text"),
            ("2025-02-31", "2025-02-31 is no day of the calendar"),
            ("2025-01-31 10:00:00", "YAML reads 2025-01-31 10:00:00 as a point in time"),
        ],
    )
    def test_traps(self, word: str, message: str) -> None:
        """A word that YAML reads as something else is refused, and its help says what to write."""
        read = read_entry("x.md", f"---\na: {word}\n---\n".encode())

        (problem,) = read.problems
        assert problem[1:6] == (2, 4, "yaml-trap", "a", message)
        assert problem.help

    def test_keys_are_texts(self) -> None:
        """Keys such as `yes` and `no` need no quotes."""
        assert problems("yes: a\nno: b\non: c") == ""

    def test_tabs_in_texts_are_kept(self) -> None:
        """A log in a block may hold tabs."""
        assert problems("log: |\n  a\tb\nquoted: 'a\tb'") == ""


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (
            "log:\n  step 1\n  RuntimeError: x",
            "2:1",
            "a text of several lines begins below a key without '|'",
        ),
        ("a:\n  -sees: x\n   because: y", "3:3", "a dash has no blank behind it"),
        ("a:\n  - {b: c}\n  -{b: c}", "4:3", "a dash has no blank behind it"),
        ("a: @x", "2:4", "an unquoted text cannot begin with this character"),
        ("a: }", "2:4", "an unquoted text cannot begin with this character"),
        ("a: 'x\nb: y", "2:4", "a quote is opened here and not closed"),
        (
            'a: "\\d+"',
            "2:6",
            "a backslash in double quotes begins an escape that YAML does not know",
        ),
        ("a: [x, y\nb: 1", "2:4", "a '[' or '{' is opened here and not closed rightly"),
        ('a: "x" y', "2:8", "text follows a closed quote"),
        ("a: - b", "2:4", "a list begins in the line of its key"),
        ("a: 1\nfoo bar\nb: 2", "3:1", "this line is neither 'key: value' nor a list item"),
        ("a: | x\n b", "2:6", "text follows a '|' or '>' in its line"),
        ("a: **bold**", "2:4", "an unquoted text begins with '*' or '&'"),
        (
            "a:\n  b: 1\n c: 2",
            "4:2",
            "this line fits neither the indentation of the line above nor of the list or mapping"
            " around it",
        ),
        (
            "  a: 1\nb: 2",
            "3:1",
            "this line stands outside of the mapping: it is indented less than the first key, or"
            " the mapping was ended by a line of dots",
        ),
        ("? [a, b]\n: 1", "2:3", "a key is a single word"),
        ("a: " + "[" * 4000 + "]" * 4000, "2:27", "the nesting is too deep"),
        ('a: "\\ud800"', "2:4", "a: an escape stands for half a character"),
    ],
)
def test_syntax_is_explained_in_our_words(text: str, place: str, message: str) -> None:
    """What is no YAML is one problem, and says what the person did."""
    assert problems(text).split("\n")[0] == f"x.md:{place}: yaml-syntax: {message}"
    assert problems(text).count("yaml-syntax") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: *x", "a: '*x' is an alias"),
        ("a: !!str x", "a: '!!str' is a tag"),
        ("a: !x y", "a: '!x' is a tag"),
        ("a: {<<: {y: 2}}", "a: the key '<<' merges another mapping"),
    ],
)
def test_what_is_not_plain_is_refused(text: str, message: str) -> None:
    """Aliases, tags and merge keys are refused where they stand, and nothing else is said."""
    assert ": yaml-anchor: " + message in problems(text)
    assert problems(text).count("\n") == 1


def test_all_duplicate_keys_are_found() -> None:
    """Every key that stands twice is named, at its second place."""
    assert problems("a: 1\nb:\n  c: 1\n  c: 2\na: 3") == (
        "x.md:5:3: duplicate-key: b.c: the key 'c' is already in line 4\n"
        "  help: keep one of the two, or join their values under one key\n"
        "x.md:6:1: duplicate-key: a: the key 'a' is already in line 2\n"
        "  help: keep one of the two, or join their values under one key"
    )


def test_body_is_kept_with_its_line() -> None:
    """What follows the second mark is the body; blanks behind a mark do no harm."""
    read = read_entry("x.md", b"--- \na: 1\n---  \nx\n---\ny\n")

    assert (read.body, read.body_line) == ("x\n---\ny\n", 4)


@pytest.mark.parametrize("cut", range(0, 60))
def test_a_file_cut_anywhere_is_a_problem_or_read(cut: int) -> None:
    """No prefix of a file, in the middle of a character or of a quote, raises."""
    data = "---\na: \"caf\u00e9 \U0001f600\"\nb: [1, {c: 'd'}]\n---\n\n## H\n\ntext\n".encode()

    read = read_entry("x.md", data[:cut])

    assert (read.root is not None) or read.problems
