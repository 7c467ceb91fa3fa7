"""The command `watch`: what a person named enters; the exit status leaves."""

import os
import time
from typing import Tuple

from checker.arguments import Request, UsageError
from checker.catalogue import Catalogue
from checker.check import asked_pid, asked_seconds
from checker.outcome import INTERRUPTED, Outcome
from checker.probe.children import Children
from checker.probe.live import logs_of_process
from checker.probe.machine import Machine
from checker.watch.around import Wrapping
from checker.watch.outside import start_of, until_event
from checker.watch.post import Followed, Post
from checker.watch.reporting import Orders, Whereabouts
from checker.watch.streams import ERRORS, OUTPUT, plan_streams
from checker.watch.wrapped import WrappedCommand


def run_watch(request: Request, catalogue: Catalogue) -> Outcome:
    """Follow a run until it ends, and report at the moment it stalls, fails or loses its loss."""
    if not hasattr(os, "fork"):
        raise UsageError(
            "'watch' needs a system that can fork, such as Linux", "diagnose the log afterwards"
        )
    logs = (*request.logs, *request.words)
    if not request.program and not logs and "--pid" not in request.options:
        raise UsageError(
            "nothing to watch was named", "write watch LOG, watch --pid PID or watch -- COMMAND"
        )
    if request.program and "--pid" in request.options:
        raise UsageError("a command has a process of its own", "leave --pid out")
    if request.program:
        return Outcome(_watch_command(request, catalogue, logs), "")
    return Outcome(_watch_from_outside(request, catalogue, logs), "")


def _orders(request: Request, catalogue: Catalogue, stream: int) -> Orders:
    target = request.options.get("--output")
    return Orders(request, catalogue, target, stream, request.options.get("--then"))


def _watch_from_outside(request: Request, catalogue: Catalogue, logs: Tuple[str, ...]) -> int:
    """Watch what somebody else started: by its process, by its logs, or by both."""
    pid = asked_pid(request)
    started = None if pid is None else start_of(pid)
    if pid is not None and started is None:
        raise UsageError("there is no process {}".format(pid), "ps shows those that run")
    if pid is not None and not logs:
        request.say("looking for the logs of process {}".format(pid))
        logs = logs_of_process(Machine(Children(30.0), say=request.say), pid)
    here = pid is not None or "--machine" in request.options
    scene = Whereabouts(logs, {}, pid, here)
    fixed = asked_seconds(request, "--silence")
    followed = Followed(scene, {}, (), frozenset(), fixed)
    post = Post(followed, _orders(request, catalogue, OUTPUT), from_logs=True)
    try:
        what = ["process {}".format(pid)] if pid is not None else []
        request.say("watching {}".format(", ".join([*what, *logs])))
        return until_event(post, pid, started)
    except KeyboardInterrupt:
        post.give_up()
        return INTERRUPTED


def _watch_command(request: Request, catalogue: Catalogue, logs: Tuple[str, ...]) -> int:
    """Run a command; its output, its signals and its end stay as they are."""
    fixed = asked_seconds(request, "--silence")
    plan = plan_streams()
    own = {file.follow: file.begin for file in plan.files}
    streams = frozenset(file.stream for file in plan.files)
    scene = Whereabouts((*logs, *(file.path for file in plan.files)), {}, None, True, time.time())
    command = WrappedCommand(request.program, plan)
    scene = scene._replace(pid=command.pid)
    followed = Followed(scene._replace(paths=logs), own, tuple(own), streams, fixed)
    post = Post(followed, _orders(request, catalogue, ERRORS), from_logs=False)
    post.scene = scene
    end = Wrapping(command, plan, post).run()
    if end.refused:
        request.say("cannot run '{}': {}".format(request.program[0], end.refused))
    return end.status
