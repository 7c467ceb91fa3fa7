"""The command line: its words enter, a `Request` leaves, or a `UsageError` with its remedy."""

from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

AGAIN = "again"
"""The value of an option without one that was given more than once."""


class UsageError(Exception):
    """The person asked for something that cannot be done; `remedy` says how to mend it."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.remedy = remedy


class Option(NamedTuple):
    """One option, as it is written and as help shows it."""

    names: Tuple[str, ...]
    """The last one is the key in `Request.options`."""
    value: str
    """What its value is called; empty where it takes none."""
    help: str
    commands: Tuple[str, ...]
    """The commands that take it; empty where all do."""


class Request(NamedTuple):
    """What the person asked for."""

    command: str
    named: bool
    """The command was written, not taken for granted."""
    words: Tuple[str, ...]
    options: Dict[str, str]
    color: bool
    """Whether the output goes to a terminal that shows colors."""
    progress: Any = None
    """Shows the person how far the reading of paths is: see `checker.progress`."""
    say: Callable[[str], None] = lambda line: None
    """Tells the person at once what is done."""
    logs: Tuple[str, ...] = ()
    """What `--log` named."""
    program: Tuple[str, ...] = ()
    """The command behind `--` that is to be watched."""

    @property
    def target(self) -> Optional[str]:
        """The file that is written; before a run `--output` names the folder of the run."""
        return None if self.command == "preflight" else self.options.get("--output")


_LOOKING = ("check", "snapshot")
_LIVE = (*_LOOKING, "watch")
_WITH_FORMATS = ("check", "why", "merge", "preflight")
_OF_SNAPSHOTS = ("snapshot", "merge")
_MASKING = ("check", "why", "snapshot", "merge", "watch")
_WRITING = (*_MASKING, "preflight")
OPTIONS: Tuple[Option, ...] = (
    Option(("--format",), "FORM", "text, json, html, sarif or lines (text)", _WITH_FORMATS),
    Option(("--only",), "ID", "look for this entry only", ("check",)),
    Option(("--machine",), "", "join the logs with what this machine shows", _LIVE),
    Option(("--pid",), "PID", "look at this process and what it started", _LIVE),
    Option(("--interval",), "SECONDS", "between two looks at processes (5)", _LOOKING),
    Option(("--budget",), "SECONDS", "for all looks at the machine (30)", (*_LOOKING, "preflight")),
    Option(("--network",), "", "also ask other hosts: file servers, names", _LOOKING),
    Option(("--size",), "SIZE", "of one checkpoint, such as 80GB", ("preflight",)),
    Option(("--log",), "PATH", "follow this log or folder; may be repeated", ("watch",)),
    Option(("--silence",), "SECONDS", "a longer silence is a stall (by its pace)", ("watch",)),
    Option(("--then",), "COMMAND", "run this with sh after a report", ("watch",)),
    Option(("--redact",), "", "mask names, addresses and secrets", _MASKING),
    Option(("--salt",), "WORD", "makes pseudonyms that many snapshots share", _OF_SNAPSHOTS),
    Option(("--compare",), "OLD", "show which facts changed since a snapshot", ("check", "merge")),
    Option(("--draft",), "", "draft an entry for a failure that none explains", ("check",)),
    Option(("--explain-line",), "FILE:N", "tell what was made of one line, and why", ("check",)),
    Option(("-o", "--output"), "FILE", "write to FILE; preflight: the folder", _WRITING),
    Option(("-h", "--help"), "", "show this help", ()),
    Option(("--version",), "", "show the version, as the command does", ()),
)
_MAY_BE_REPEATED = "--log"


def read_arguments(argv: Sequence[str], commands: Sequence[str]) -> Request:
    """Read the command line; the first word is the command if it names one."""
    words, options, logs, behind = _split_arguments(argv)
    command, named = "check", False
    if words and words[0] in commands:
        command, named = words.pop(0), True
    program: List[str] = []
    if command == "watch":
        program = behind
    else:
        words += behind
    if "--version" in options:
        command, words = "version", []
    for option in OPTIONS:
        if option.names[-1] in options and option.commands and command not in option.commands:
            raise UsageError(
                "the command '{}' takes no option {}".format(command, option.names[-1]),
                "leave it out; it belongs to " + ", ".join(option.commands),
            )
    given = Request(command, named, tuple(words), options, False)
    return given._replace(logs=tuple(logs), program=tuple(program))


def nearest_name(word: str, names: Iterable[str]) -> str:
    """Return the name most like *word*, or nothing."""
    from difflib import get_close_matches  # noqa: PLC0415 - costs start-up, and is rarely needed

    found = get_close_matches(word, sorted(names), 1, 0.7)
    return found[0] if found else ""


def _split_arguments(
    argv: Sequence[str],
) -> Tuple[List[str], Dict[str, str], List[str], List[str]]:
    """Tell words, options, logs, and what stands behind `--` from each other."""
    words: List[str] = []
    options: Dict[str, str] = {}
    logs: List[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return words, options, logs, rest
        if word == "-" or not word.startswith("-"):
            words.append(word)
            continue
        name, equals, value = word.partition("=")
        option = _find_option(name)
        if option.value and not equals:
            if not rest:
                raise UsageError(
                    "{} needs a value".format(name), "write {} {}".format(name, option.value)
                )
            value = rest.pop(0)
        elif equals and not option.value:
            raise UsageError("{} takes no value".format(name), "write {} alone".format(name))
        repeated = not option.value and option.names[-1] in options
        options[option.names[-1]] = AGAIN if repeated else value
        if option.names[-1] == _MAY_BE_REPEATED:
            logs.append(value)
    return words, options, logs, []


def _find_option(name: str) -> Option:
    known = {spelling: option for option in OPTIONS for spelling in option.names}
    if name in known:
        return known[name]
    near = nearest_name(name, known)
    raise UsageError(
        "there is no option '{}'".format(name),
        "did you mean {}?".format(near)
        if near
        else "see --help; a path that begins with a dash is written ./" + name,
    )
