"""What is read of terminals, with a fake for tmux, and with a real screen."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from checker.probe.children import Children
from checker.probe.machine import Machine
from checker.probe.terminals import Holder, holder_of, pane_texts
from tests.checker.probe.trees import machine_of, program
from tests.needs import needs

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

    usual = Holder("tmux", "/tmp/tmux-1000/default")
    assert pane_texts(machine, {"/dev/pts/4": usual, "/dev/pts/9": usual}) == {
        "/dev/pts/4": "step 1 loss 2.0\nstep 2 loss 1.9\n"
    }
    assert pane_texts(machine, {"/dev/pts/4": Holder("tmux", "/tmp/tmux-1001/default")}) == {}
    assert pane_texts(machine, {}) == {}


def test_a_tmux_that_hangs_is_left_behind(tmp_path: Path) -> None:
    """It is asked once."""
    program(tmp_path / "bin", "tmux", "exec /bin/sleep 30\n")
    machine = machine_of(tmp_path, {})

    assert pane_texts(machine, {"/dev/pts/4": Holder("tmux", "/tmp/tmux-1000/default")}) == {}


def test_who_holds_a_terminal_is_told_by_an_environment() -> None:
    """A server with a name of its own tells it to what runs in it, and so does screen."""
    assert holder_of({"TMUX": "/tmp/tmux-1000/train,3842,0"}, 1000).server == "/tmp/tmux-1000/train"
    assert holder_of({}, 1000) == Holder("tmux", "/tmp/tmux-1000/default")
    told = {"STY": "4711.train", "WINDOW": "2"}
    assert holder_of(told, 1000) == Holder("screen", "4711.train", "2")
    assert holder_of({**told, "TMUX": "/tmp/s,1,0"}, 1000) == Holder("tmux", "/tmp/s")
    assert holder_of({"STY": "-X quit", "WINDOW": "2"}, 1000).kind == "tmux"


SCREEN = """\
test "$1 $2 $3 $4 $5 $6 $7" = "-S 4711.train -p 2 -X hardcopy -h" || exit 1
(/bin/sleep 0.1; printf 'step 1 loss 2.0   \\nstep 2 loss 1.9\\n\\n\\n' > "$8") > /dev/null 2>&1 &
"""


def test_a_window_of_screen_is_read(tmp_path: Path) -> None:
    """Its server writes after the command has returned, and into memory alone."""
    program(tmp_path / "bin", "screen", SCREEN)
    machine = machine_of(tmp_path, {})
    before = sorted(tmp_path.rglob("*"))

    held = {"/dev/pts/4": Holder("screen", "4711.train", "2")}
    assert pane_texts(machine, held) == {"/dev/pts/4": "step 1 loss 2.0\nstep 2 loss 1.9\n"}
    assert pane_texts(machine, {"/dev/pts/4": Holder("screen", "4711.other", "2")}) == {}
    assert sorted(tmp_path.rglob("*")) == before


@needs("screen")
def test_a_window_of_a_real_screen_is_read(tmp_path: Path) -> None:
    """With what has scrolled out of it."""
    name = f"trainwreck-{os.getpid()}"
    script = tmp_path / "steps.sh"
    told = tmp_path / "told"
    script.write_text(f"seq -f 'step %g loss 2.0' 60; echo $STY > {told}; exec sleep 30\n")
    subprocess.run(["screen", "-dmS", name, "sh", str(script)], check=True)
    try:
        until = time.monotonic() + 20
        while not (told.exists() and told.read_text()) and time.monotonic() < until:
            time.sleep(0.05)
        session = told.read_text().strip()
        machine = Machine(Children(10), folders=os.environ["PATH"].split(":"))
        shown = pane_texts(machine, {"/dev/pts/4": Holder("screen", session, "0")})["/dev/pts/4"]
    finally:
        subprocess.run(["screen", "-S", name, "-X", "quit"], check=False)
    assert shown.splitlines()[-60:] == [f"step {step} loss 2.0" for step in range(1, 61)]
