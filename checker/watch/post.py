"""The post from which a run is watched: news and time enter; looks and reports are started.

Whatever can take long or hang is done by children: following logs, looking, reporting.
"""

import json
import os
import signal
import time
from typing import Callable, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Tuple

from checker.outcome import DIAGNOSED
from checker.watch.judging import CHECK, IDLE, LOOK, Demand, Watchman
from checker.watch.messages import follow_to_pipe, read_messages
from checker.watch.reporting import (
    FAILURE,
    Orders,
    RunEvent,
    Whereabouts,
    look_for_stuck,
    report_event,
)
from checker.watch.wrapped import keep_only, wait_status

# The watch did not run itself if it wakes so much later than it wanted.
_OVERSLEPT = 5.0
_MOST_REPORTS = 9
_SECONDS_FOR_REPORT = 900.0
_LOOK_SECONDS = 90.0
_DEAF_TO = ("SIGINT", "SIGHUP", "SIGQUIT", "SIGTERM", "SIGTSTP", "SIGUSR1", "SIGUSR2", "SIGALRM")


class Followed(NamedTuple):
    """What a watch follows."""

    scene: Whereabouts
    begins: Dict[str, int]
    """Files of the command, and where its output begins in them."""
    links: Tuple[str, ...]
    """The same files by the descriptors of the watch."""
    kept: FrozenSet[int]
    """Those descriptors."""
    fixed: Optional[float]
    """The limit of a silence that a person gave."""


class _Errand(NamedTuple):
    """A child that looks or reports."""

    pid: int
    event: Optional[RunEvent]
    """What it reports; None where it looks."""
    answer: int
    """The pipe from which its answer is read."""
    began: float


class Post:
    """Keeps watch over one run, whatever it is known by."""

    def __init__(self, followed: Followed, orders: Orders, *, from_logs: bool) -> None:
        """Begin to follow the logs."""
        self.scene = followed.scene
        self.orders = orders
        now = time.monotonic()
        self.watchman = Watchman(
            now,
            followed.fixed,
            has_processes=followed.scene.pid is not None,
            from_logs=from_logs,
        )
        self.status: Optional[int] = None
        """That of the last report which was written."""
        self.texts: Callable[[], Mapping[str, str]] = dict
        """What the watch itself read of the run; asked in the child that reports."""
        self.files = 0
        self.retired = False
        self.news = -1
        """The pipe of the follower; -1 where there is none, or it ended."""
        self._reports = 0
        self._rest = b""
        self._slept_at = now
        self._job: Optional[_Errand] = None
        self._waiting: List[RunEvent] = []
        paths = (*followed.links, *followed.scene.paths)
        if paths:
            self.news = self._follow(paths, followed)

    def _follow(self, paths: Tuple[str, ...], followed: Followed) -> int:
        news, mine = os.pipe()
        parent = os.getpid()

        def _work() -> int:
            follow_to_pipe(paths, followed.begins, mine, parent)
            return 0

        fork_worker(_work, followed.kept | {mine})
        os.close(mine)
        os.set_blocking(news, False)
        return news

    def read_news(self) -> None:
        """Read what the follower wrote."""
        try:
            data = os.read(self.news, 1 << 20)
        except BlockingIOError:
            return
        if not data:
            os.close(self.news)
            self.news = -1
            return
        self._rest, files, told = read_messages(self._rest, data)
        self.files = max(files, self.files)
        now = time.monotonic()
        for one in told:
            self.watchman.hear(one, now)

    def woke(self, wanted: float) -> None:
        """Take note that the watch woke up, and whether it was held up itself."""
        now = time.monotonic()
        late = now - self._slept_at - wanted
        if late > _OVERSLEPT:
            self.watchman.forgive(late)
        self._slept_at = now

    @property
    def busy(self) -> bool:
        """Whether something is being looked at or reported."""
        return self._job is not None or bool(self._waiting)

    def tick(self) -> None:
        """Do what is due."""
        now = time.monotonic()
        if self.retired:
            return
        if self._job is not None:
            if now - self._job.began > (_SECONDS_FOR_REPORT if self._job.event else _LOOK_SECONDS):
                self.give_up()
            return
        if self._waiting:
            self._start_report(self._waiting.pop(0))
            return
        demand = self.watchman.due(now)
        if demand is not None and demand.what == LOOK:
            self._look()
        elif demand is not None:
            self.report(_event_of(demand))

    def report(self, event: RunEvent) -> None:
        """Report an event, after what is being done."""
        if not self.retired:
            self._waiting.append(event)

    def _start_report(self, event: RunEvent) -> None:
        if self._reports >= _MOST_REPORTS:
            return
        scene, orders, number = self.scene, self.orders, self._reports + 1
        texts = self.texts

        def _work() -> int:
            return report_event(event, scene._replace(texts=texts()), orders, number)

        pid = fork_worker(_work, frozenset((0, 1, 2)))
        self._job = _Errand(pid, event, -1, time.monotonic())

    def _look(self) -> None:
        process = self.scene.pid or 0
        answer, mine = os.pipe()

        def _work() -> int:
            os.write(mine, json.dumps(look_for_stuck(process)).encode("ascii")[:4096])
            return 0

        pid = fork_worker(_work, frozenset((mine,)))
        os.close(mine)
        self._job = _Errand(pid, None, answer, time.monotonic())

    def reaped(self, ended: Dict[int, int]) -> None:
        """Take note which children ended, and how."""
        job = self._job
        if job is None or job.pid not in ended:
            return
        self._job = None
        now, status = time.monotonic(), wait_status(ended[job.pid])
        if job.event is None:
            found, text = _answer_of(job.answer)
            demand = self.watchman.looked(found, text, now)
            if demand is not None:
                self.report(_event_of(demand))
        elif job.event.only_if_known and status != DIAGNOSED:
            self.watchman.checked(now - job.began, now)
        else:
            self._reports += 1
            self.status = status

    def retire(self, defect: str) -> None:
        """Watch no more, after a defect of the watch itself."""
        if not self.retired:
            self.orders.request.say("the command goes on unwatched, by a defect: " + defect)
        self.retired = True
        self.give_up()

    def give_up(self) -> None:
        """End what is being done; a child that does not end is left behind."""
        self._waiting.clear()
        if self._job is not None:
            _send(self._job.pid, signal.SIGKILL)
            if self._job.answer >= 0:
                os.close(self._job.answer)
            self._job = None


def _event_of(demand: Demand) -> RunEvent:
    kind = FAILURE if demand.what == CHECK else demand.what
    return RunEvent(kind, demand.text, demand.silence, demand.what == CHECK)


def _answer_of(pipe: int) -> Tuple[str, str]:
    data = os.read(pipe, 4096)
    os.close(pipe)
    try:
        found, text = json.loads(data)
    except ValueError:
        return IDLE, ""
    return found, text


def _send(pid: int, number: int) -> None:
    try:  # noqa: SIM105 - what it would need costs every start
        os.kill(pid, number)
    except OSError:
        pass


def fork_worker(work: Callable[[], int], kept: FrozenSet[int]) -> int:
    """Do something in a child that signals of the terminal do not end; return its process id."""
    pid = os.fork()
    if pid:
        return pid
    status = 70
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for name in _DEAF_TO:
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        keep_only(kept)
        status = work()
    finally:
        # Neither an exception nor an exit handler of the watch may go on in the child.
        os._exit(status)
