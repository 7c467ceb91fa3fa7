"""What terminals show that tmux holds: their names enter, texts leave.

Only its server knows what was printed there. It is asked in a child, and nothing is typed. GNU
screen is not asked, since it answers by writing a file.
"""

from typing import Dict, List, Mapping

from checker.probe.children import Ended
from checker.probe.machine import Machine

_SECONDS_OF_PANE = 2.0
_LINES_ABOVE = "-2000"


def pane_texts(machine: Machine, terminals: Mapping[str, str]) -> Dict[str, str]:
    """Read the terminals that tmux holds; *terminals* tells the socket of each one's server."""
    found: Dict[str, str] = {}
    for socket in sorted(set(terminals.values())):
        listed = _ask_tmux(machine, socket, ["list-panes", "-a", "-F", "#{pane_tty} #{pane_id}"])
        for row in listed.splitlines():
            terminal, _, pane = row.partition(" ")
            if terminals.get(terminal) == socket and pane.startswith("%"):
                words = ["capture-pane", "-p", "-J", "-S", _LINES_ABOVE, "-t", pane]
                shown = _ask_tmux(machine, socket, words)
                if shown.strip():
                    found[terminal] = shown.rstrip() + "\n"
    return found


def tmux_socket(environment: Mapping[str, str], user: int) -> str:
    """Name the socket of the server that holds a process: as it was told, else the usual one."""
    told = environment.get("TMUX", "").partition(",")[0]
    return told if told.startswith("/") else "/tmp/tmux-{}/default".format(user)


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
