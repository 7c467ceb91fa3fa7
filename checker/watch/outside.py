"""A run that somebody else started: it is watched by its process, by its logs, or by both."""

import os
import select
import time
from typing import Dict, Optional

from checker.outcome import DIAGNOSED, NOTHING_RECOGNIZED
from checker.probe.children import Children
from checker.probe.machine import Machine
from checker.probe.proc_texts import parse_status
from checker.watch.post import Post
from checker.watch.reporting import FAILURE, RunEvent

_LOOK_EVERY = 1.0


def until_event(post: Post, pid: Optional[int], started: Optional[float]) -> int:
    """Wait for the first event, or for the end of the run."""
    ended = False
    while True:
        readers = [post.news] if post.news >= 0 else []
        if select.select(readers, [], [], _LOOK_EVERY)[0]:
            post.read_news()
            time.sleep(_LOOK_EVERY / 10)
        post.woke(_LOOK_EVERY)
        post.reaped(_ended_children())
        if post.status is not None:
            return DIAGNOSED
        if post.busy:
            post.tick()
            continue
        if ended:
            return NOTHING_RECOGNIZED
        if pid is not None and start_of(pid) != started:
            ended = True
            post.scene = post.scene._replace(pid=None)
            post.report(RunEvent(FAILURE, "process {} ended".format(pid), 0.0, True))
        elif pid is None and post.watchman.ended_well(time.monotonic()):
            return NOTHING_RECOGNIZED
        post.tick()


def _ended_children() -> Dict[int, int]:
    found: Dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if not pid:
            return found
        found[pid] = status


def start_of(pid: int) -> Optional[float]:
    """Tell when a process started, which tells it from a later one of its number."""
    try:
        status = parse_status(Machine(Children(1.0)).text("/proc/{}/stat".format(pid)))
    except (OSError, ValueError, IndexError):
        return None
    return None if status.state == "Z" else float(status.started)
