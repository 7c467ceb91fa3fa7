"""What is read of terminals, with a fake for tmux."""

from pathlib import Path

import pytest

from checker.probe.terminals import pane_texts, tmux_socket
from tests.checker.probe.trees import machine_of, program

pytestmark = pytest.mark.rule("live")

TMUX = """\
test "$1 $2" = "-S /tmp/tmux-1000/default" || { echo "no server running on $2" >&2; exit 1; }
case "$3 $*" in
list-panes*) printf '/dev/pts/3 %%0\\n/dev/pts/4 %%7\\n' ;;
capture-pane*"-t %7") printf 'step 1 loss 2.0\\nstep 2 loss 1.9\\n\\n\\n' ;;
*) exit 1 ;;
esac
"""


def test_the_pane_of_a_terminal_is_read(tmp_path: Path) -> None:
    """Of the server of its user; what no tmux holds has no text."""
    program(tmp_path / "bin", "tmux", TMUX)
    machine = machine_of(tmp_path, {})

    usual = "/tmp/tmux-1000/default"
    assert pane_texts(machine, {"/dev/pts/4": usual, "/dev/pts/9": usual}) == {
        "/dev/pts/4": "step 1 loss 2.0\nstep 2 loss 1.9\n"
    }
    assert pane_texts(machine, {"/dev/pts/4": "/tmp/tmux-1001/default"}) == {}
    assert pane_texts(machine, {}) == {}


def test_a_tmux_that_hangs_is_left_behind(tmp_path: Path) -> None:
    """It is asked once."""
    program(tmp_path / "bin", "tmux", "exec sleep 30\n")
    machine = machine_of(tmp_path, {})

    assert pane_texts(machine, {"/dev/pts/4": "/tmp/tmux-1000/default"}) == {}


def test_the_socket_of_a_server() -> None:
    """A server that was given a name of its own tells it to what runs in it."""
    assert tmux_socket({"TMUX": "/tmp/tmux-1000/train,3842,0"}, 1000) == "/tmp/tmux-1000/train"
    assert tmux_socket({}, 1000) == "/tmp/tmux-1000/default"
