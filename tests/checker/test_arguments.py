"""The words of the command line."""

import pytest

from checker.arguments import Request, UsageError, read_arguments

COMMANDS = ("check", "explain", "list", "self-test", "version")


def read(*argv: str) -> Request:
    """Read *argv*."""
    return read_arguments(argv, COMMANDS)


def test_paths_alone_are_checked() -> None:
    """The command `check` may be left out."""
    assert read("a.log", "-") == Request("check", False, ("a.log", "-"), {}, False)


def test_the_first_word_is_the_command_if_it_names_one() -> None:
    """A path that is called like a command is written with its folder."""
    assert read("list") == Request("list", True, (), {}, False)
    assert read("./list") == Request("check", False, ("./list",), {}, False)
    assert read("check", "list") == Request("check", True, ("list",), {}, False)


def test_options_stand_anywhere_and_take_their_value_in_both_ways() -> None:
    """`--only=ID` and `--only ID` are the same; -o has a long name."""
    expected = Request("check", False, ("a",), {"--only": "x", "--output": "r"}, False)
    assert read("--only=x", "a", "-o", "r") == expected
    assert read("a", "--output", "r", "--only", "x") == expected


def test_an_option_without_a_value_can_be_insisted_on() -> None:
    """`--draft --draft` asks twice."""
    assert read("--draft", "a").options == {"--draft": ""}
    assert read("--draft", "a", "--draft").options == {"--draft": "again"}


def test_after_two_dashes_all_words_are_paths() -> None:
    """A path may begin with a dash."""
    assert read("--", "-h", "--only").words == ("-h", "--only")


def test_version_is_an_option_too() -> None:
    """`--version` does what the command does."""
    assert read("--version", "a").command == "version"


@pytest.mark.parametrize(
    ("argv", "problem", "remedy"),
    [
        (["--fromat", "json"], "there is no option '--fromat'", "did you mean --format?"),
        (
            ["-x"],
            "there is no option '-x'",
            "see --help; a path that begins with a dash is written ./-x",
        ),
        (["--format"], "--format needs a value", "write --format FORM"),
        (["--help=yes"], "--help takes no value", "write --help alone"),
        (
            ["list", "--format", "json"],
            "the command 'list' takes no option --format",
            "leave it out; it belongs to check, why, merge, preflight",
        ),
    ],
)
def test_a_wrong_word_is_refused_with_its_remedy(
    argv: list[str], problem: str, remedy: str
) -> None:
    """The message says what is wrong, the help how to mend it."""
    with pytest.raises(UsageError) as refused:
        read(*argv)
    assert (str(refused.value), refused.value.remedy) == (problem, remedy)


def test_a_watch_takes_a_command_and_logs() -> None:
    """What stands behind `--` is the command, with its own options; logs are named in both ways."""
    names = (*COMMANDS, "watch", "preflight")
    given = read_arguments(["watch", "--log", "a", "b", "--log=c", "--", "sh", "--pid"], names)
    assert (given.command, given.words, given.logs) == ("watch", ("b",), ("a", "c"))
    assert given.program == ("sh", "--pid")


def test_before_a_run_output_is_the_folder_of_the_run() -> None:
    """And no file that is written."""
    given = read_arguments(["preflight", "--output", "/data"], ("preflight",))
    assert (given.options, given.target) == ({"--output": "/data"}, None)
    assert read("-o", "r").target == "r"
