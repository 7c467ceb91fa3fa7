"""What terminals show that tmux or GNU screen holds: their names enter, texts leave.

Only their servers know what was printed there. They are asked in a child, and nothing is typed.
screen answers by writing a file, and is given one that lies in memory alone.
"""

import os
import time
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence

from checker.lazy_patterns import lazy_pattern
from checker.probe.children import Ended
from checker.probe.machine import Machine
from checker.probe.plain_programs import become_program

_SECONDS_OF_PANE = 2.0
_LINES_ABOVE = "-2000"
_MOST_OF_PANE = 1 << 20
_SESSION = lazy_pattern(r"\d{1,10}\.[\w.-]{1,120}$")
_LOOKS_ALIKE = 3


class Holder(NamedTuple):
    """Who holds a terminal, as a process in it was told."""

    kind: str
    """`tmux` or `screen`."""
    server: str
    """The socket of tmux, or the session of screen."""
    window: str = ""
    """Of screen."""


def holder_of(environment: Mapping[str, str], user: int) -> Holder:
    """Tell who holds the terminal of a process: as it was told, else the usual server of tmux."""
    told = environment.get("TMUX", "").partition(",")[0]
    session, window = environment.get("STY", ""), environment.get("WINDOW", "")
    if not told and _SESSION.match(session) and window.isdigit():
        return Holder("screen", session, window)
    socket = told if told.startswith("/") else "/tmp/tmux-{}/default".format(user)
    return Holder("tmux", socket)


def pane_texts(machine: Machine, terminals: Mapping[str, Holder]) -> Dict[str, str]:
    """Read the terminals that are held by somebody who answers."""
    found: Dict[str, str] = {}
    sockets = {holder.server for holder in terminals.values() if holder.kind == "tmux"}
    for socket in sorted(sockets):
        listed = _ask_tmux(machine, socket, ["list-panes", "-a", "-F", "#{pane_tty} #{pane_id}"])
        for row in listed.splitlines():
            terminal, _, pane = row.partition(" ")
            if terminals.get(terminal) == Holder("tmux", socket) and pane.startswith("%"):
                words = ["capture-pane", "-p", "-J", "-S", _LINES_ABOVE, "-t", pane]
                found[terminal] = _ask_tmux(machine, socket, words)
    for terminal, holder in sorted(terminals.items()):
        if holder.kind == "screen":
            found[terminal] = _ask_screen(machine, holder)
    return {terminal: text.rstrip() + "\n" for terminal, text in found.items() if text.strip()}


def _ask_tmux(machine: Machine, socket: str, words: List[str]) -> str:
    """Ask a server; empty without an answer."""
    reply = machine.children.run_program(
        "tmux at " + socket,
        _SECONDS_OF_PANE,
        ["tmux", "-S", socket, *words],
        machine.folders,
    )
    ended = reply.value
    return ended.output if isinstance(ended, Ended) and ended.status == 0 else ""


def _ask_screen(machine: Machine, holder: Holder) -> str:
    """Ask a session for one of its windows; empty without an answer."""
    reply = machine.children.ask(
        "screen " + holder.server, _SECONDS_OF_PANE, lambda: _hard_copy(holder, machine.folders)
    )
    text = reply.value if isinstance(reply.value, str) else ""
    return "\n".join(row.rstrip() for row in text.split("\n"))


def _hard_copy(holder: Holder, folders: Sequence[str]) -> Optional[str]:
    """Have a window written into memory: the command returns before its server has done it."""
    if not hasattr(os, "memfd_create"):
        return None
    memory = os.memfd_create("window")
    target = "/proc/{}/fd/{}".format(os.getpid(), memory)
    words = ["screen", "-S", holder.server, "-p", holder.window, "-X", "hardcopy", "-h", target]
    pid = os.fork()
    if not pid:
        os._exit(become_program(words, folders))
    if os.waitpid(pid, 0)[1]:
        return None
    sizes = [0]
    while not sizes[-1] or len(set(sizes[-_LOOKS_ALIKE:])) > 1 or len(sizes) < _LOOKS_ALIKE:
        time.sleep(0.02)
        sizes.append(os.fstat(memory).st_size)
    return os.pread(memory, _MOST_OF_PANE, max(0, sizes[-1] - _MOST_OF_PANE)).decode(
        "utf-8", "replace"
    )
