"""The outermost function: the words of the command line enter, output and exit status leave.

The report goes to stdout, progress and trouble to stderr. `checker.outcome` gives each exit
status its number and meaning; help shows them.
"""

import gc
import os
import sys
import time
from typing import Any, Callable, Iterable, Optional, Sequence, Tuple, Union

from checker.arguments import OPTIONS, Request, UsageError, nearest_name, read_arguments
from checker.catalogue import Catalogue
from checker.commands import COMMANDS
from checker.identity import NAME, VERSION
from checker.outcome import DEFECT, EXIT_STATUSES, INTERRUPTED, USAGE, Outcome, Pieces
from checker.probe.children import Children
from checker.progress import progress_on
from checker.report.terminal import TERMINAL_WIDTH, visible, wrap_text
from checker.watch.wrapped import end_like

_SYNOPSIS = "python3 trainwreck.py"
_SECONDS_FOR_TARGET = 3.0


def main(argv: Sequence[str], catalogue: Catalogue) -> int:
    """Do what the command line asks for; return the exit status."""
    # Records hold no cycles; looking for some after every few hundred of them only takes time.
    gc.set_threshold(50000)
    _occupy_closed_streams()
    try:
        return _answer(argv, catalogue)
    finally:
        _flush_trouble()


def leave(status: int) -> None:
    """End the process with *status*; everything was written, and nothing is open that matters.

    A status below 0 is the signal that ended a command which was watched.

    To free the memory piece by piece takes Python longer than to read a small log.
    """
    if status < 0:
        end_like(status)
    if sys.platform == "linux":
        os._exit(status)
    sys.exit(status)


def _answer(argv: Sequence[str], catalogue: Catalogue) -> int:
    """Turn whatever goes wrong into lines on stderr and a status."""
    try:
        return _serve(argv, catalogue)
    except UsageError as error:
        _say(str(error))
        _say("help: " + error.remedy)
        return USAGE
    except KeyboardInterrupt:
        _say("interrupted, before anything was diagnosed")
        return INTERRUPTED
    except Exception:
        _say("this is a defect of {} {}, not of your run".format(NAME, VERSION))
        _say("help: report it with the text below")
        sys.excepthook(*sys.exc_info())
        return DEFECT


def help_text() -> str:
    """Show what can be asked for, and what the exit statuses mean."""
    lines = [
        "usage: {} [PATH ...]".format(_SYNOPSIS),
        "       {} COMMAND [OPTION ...] [WORD ...]".format(_SYNOPSIS),
        "",
        "Say what failed first in an ML training run, from its logs: files, folders of",
        "logs, compressed logs, or - for standard input. Without a path, look at the",
        "training that runs on this machine, and read its open logs.",
        "",
        "commands (a path of such a name is written ./check):",
    ]
    lines += [_help_line(command.name + " " + command.words, command.help) for command in COMMANDS]
    lines += ["", "options:"]
    lines += [
        _help_line(", ".join(option.names) + " " + option.value, option.help) for option in OPTIONS
    ]
    lines += ["", "exit status:"]
    for status, meaning in EXIT_STATUSES:
        lines += wrap_text(meaning, "  {:<5}".format(status), " " * 7)
    return "\n".join(lines) + "\n"


def _help_line(spelling: str, meaning: str) -> str:
    return "  {:<24}{}".format(spelling.strip(), meaning)


def _serve(argv: Sequence[str], catalogue: Catalogue) -> int:
    request = read_arguments(argv, [command.name for command in COMMANDS])
    request = request._replace(color=_wants_color(request), say=_say)
    if "--help" in request.options:
        outcome = Outcome(0, help_text())
    else:
        _refuse_misspelled_command(request)
        target = _checked_target(request.target)
        run = {command.name: command.run for command in COMMANDS}[request.command]
        progress, clear = _progress()
        try:
            outcome = run(request._replace(progress=progress), catalogue)
        finally:
            clear()
        for line in outcome.trouble:
            _say(line)
        if not outcome.text:
            return outcome.status
        if target is not None and not outcome.written:
            _write_file(target, outcome)
            return outcome.status
    _write_out(outcome.text)
    return outcome.status


def _progress() -> Tuple[Any, Callable[[], None]]:
    """Show how far the reading is where a person can see it, and where a line can be cleared."""
    if os.environ.get("TERM", "dumb") == "dumb" or not sys.stderr.isatty():
        return None, lambda: None
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        columns = TERMINAL_WIDTH
    return progress_on(_write_trouble, time.monotonic, columns or TERMINAL_WIDTH)


def _write_trouble(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _drop_trouble()


def _wants_color(request: Request) -> bool:
    """Color only what a person sees on a terminal that can, and who did not object."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    if sys.stdout is None or request.target is not None:
        return False
    return sys.stdout.isatty()


def _refuse_misspelled_command(request: Request) -> None:
    """Tell a misspelled command from a path: no such path, and nearly a command's name."""
    if request.named or not request.words:
        return
    word = request.words[0]
    # A path may lie on a mount that does not answer, and only a look at the machine tells.
    if "/" in word or "--machine" in request.options:
        return
    near = nearest_name(word, [command.name for command in COMMANDS])
    if near and not os.path.lexists(word):
        raise UsageError(
            "there is no command and no path '{}'".format(word), "did you mean {}?".format(near)
        )


def _checked_target(target: Optional[str]) -> Optional[str]:
    """Refuse a file that cannot be written before time is spent on the logs."""
    if target is None:
        return None
    folder = os.path.dirname(target) or "."
    is_there, is_folder = _are_folders(folder, target)
    if not is_there:
        raise UsageError(
            "cannot write '{}': there is no folder '{}'".format(target, folder),
            "make it, or name another file",
        )
    if is_folder:
        raise UsageError("cannot write '{}': it is a folder".format(target), "name a file in it")
    return target


def _are_folders(folder: str, target: str) -> Sequence[bool]:
    """Tell whether each is a folder; a child asks, since they may lie on a mount that is dead."""
    paths = [os.path.abspath(folder), os.path.abspath(target)]
    reply = Children(_SECONDS_FOR_TARGET).ask(
        "the target", _SECONDS_FOR_TARGET, lambda: [os.path.isdir(path) for path in paths]
    )
    if reply.silent:
        raise UsageError(
            "cannot write '{}': its folder {}".format(target, reply.unknown),
            "name a file elsewhere, such as /dev/shm/report",
        )
    if reply.unknown is None:
        return [bool(kind) for kind in reply.value]
    return [os.path.isdir(path) for path in paths]


def _write_file(target: str, outcome: Outcome) -> None:
    mixed = _is_input(target, outcome.inputs)
    if mixed is None:
        _write_out(outcome.text)
        raise UsageError(
            "cannot tell whether '{}' is one of the logs, whose mount does not answer".format(
                target
            ),
            "name another file; the report went to standard output",
        )
    if mixed:
        _write_out(outcome.text)
        raise UsageError(
            "'{}' is one of the logs; it was not overwritten".format(target),
            "name another file; the report went to standard output",
        )
    try:
        with open(target, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(_pieces_of(outcome.text))
    except OSError as error:
        _write_out(outcome.text)
        raise UsageError(
            "cannot write '{}': {}".format(target, (error.strerror or str(error)).lower()),
            "name another file; the report went to standard output",
        ) from error


def _is_input(target: str, inputs: Sequence[str]) -> Optional[bool]:
    """Tell whether a file is one of the logs; None where a log's mount has ceased to answer."""
    if not os.path.exists(target):
        return False

    def _is_one() -> bool:
        return any(os.path.exists(path) and os.path.samefile(path, whole) for path in whole_paths)

    whole, whole_paths = os.path.abspath(target), [os.path.abspath(path) for path in inputs]
    reply = Children(_SECONDS_FOR_TARGET).ask("the inputs", _SECONDS_FOR_TARGET, _is_one)
    if reply.silent:
        return None
    return bool(reply.value) if reply.unknown is None else _is_one()


def _pieces_of(text: Union[str, Pieces]) -> Iterable[str]:
    return (text,) if isinstance(text, str) else text


def _write_out(text: Union[str, Pieces]) -> None:
    """Write to stdout; a reader that left early is no trouble."""
    if sys.stdout is None:
        raise UsageError(
            "cannot write to standard output: it is closed", "name a file with -o, or open it"
        )
    try:
        for piece in _pieces_of(text):
            sys.stdout.write(_encodable(piece, sys.stdout.encoding))
        sys.stdout.flush()
    except OSError as error:
        # Python would try again, and complain, when it flushes stdout at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise UsageError(
                "cannot write to standard output: {}".format((error.strerror or "").lower()),
                "name a file elsewhere with -o",
            ) from error


def _say(line: str) -> None:
    """Write one line of trouble to stderr."""
    text = visible("{}: {}".format(NAME, line))
    try:
        sys.stderr.write(_encodable(text, sys.stderr.encoding) + "\n")
    except OSError:
        _drop_trouble()


def _occupy_closed_streams() -> None:
    """Keep the numbers of closed standard streams from the logs that are opened later."""
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    number = os.open(os.devnull, os.O_RDWR)
    while number < 2:
        number = os.dup(number)
    if number > 2:
        os.close(number)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open to the end


def _flush_trouble() -> None:
    try:
        sys.stderr.flush()
    except OSError:
        _drop_trouble()


def _drop_trouble() -> None:
    """Python would end with a status of its own if it could not flush stderr at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _encodable(text: str, encoding: Optional[str]) -> str:
    """Replace what the stream's encoding cannot carry by escapes."""
    name = encoding or "ascii"
    return text.encode(name, "backslashreplace").decode(name)
