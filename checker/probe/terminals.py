"""What terminals show that tmux holds: their names enter, texts leave.

Only its server knows what was printed there. It is asked in a child, and nothing is typed.
"""

from typing import Dict, List, Mapping

from checker.probe.children import Ended
from checker.probe.machine import Machine

_SECONDS_OF_PANE = 2.0
_LINES_ABOVE = "-2000"


def pane_texts(machine: Machine, terminals: Mapping[str, int]) -> Dict[str, str]:
    """Read the terminals that tmux holds; *terminals* tells the user of each."""
    found: Dict[str, str] = {}
    for user in sorted(set(terminals.values())):
        listed = _ask_tmux(machine, user, ["list-panes", "-a", "-F", "#{pane_tty} #{pane_id}"])
        for row in listed.splitlines():
            terminal, _, pane = row.partition(" ")
            if terminals.get(terminal) == user and pane.startswith("%"):
                words = ["capture-pane", "-p", "-J", "-S", _LINES_ABOVE, "-t", pane]
                shown = _ask_tmux(machine, user, words)
                if shown.strip():
                    found[terminal] = shown.rstrip() + "\n"
    return found


def _ask_tmux(machine: Machine, user: int, words: List[str]) -> str:
    """Ask the server of a user, where it is unless it was told otherwise; empty without answer."""
    socket = "/tmp/tmux-{}/default".format(user)
    reply = machine.children.run_program(
        "tmux of user {}".format(user),
        _SECONDS_OF_PANE,
        ["tmux", "-S", socket, *words],
        machine.folders,
    )
    ended = reply.value
    return ended.output if isinstance(ended, Ended) and ended.status == 0 else ""
