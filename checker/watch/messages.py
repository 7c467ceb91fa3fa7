"""What the follower tells the watch: rows of JSON through a pipe, so that it may hang alone.

A log can lie on a mount that stops to answer, and whoever reads it then never returns. So logs are
followed in a child; the watch itself touches no path.
"""

import json
import os
import time
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

from checker.match.pace import usual_gap
from checker.model import Sample
from checker.scan.observe import observe_texts
from checker.watch.beats import BeatReader, News
from checker.watch.following import Grown, LogFollower

_PAUSE, _IDLE_TIMES = 1.0, 20
_MOST_LOOKED_BACK = 16
_MOST_READERS = 4096


class Heard(NamedTuple):
    """News of one piece of a log."""

    news: News
    age: float
    """How long ago it was written."""
    size: int


def follow_to_pipe(paths: Sequence[str], begins: Mapping[str, int], pipe: int, parent: int) -> None:
    """Follow logs for as long as the watch lives; write rows of news."""
    follower = LogFollower(paths, begins)
    readers: Dict[str, BeatReader] = {}
    looked_back = 0
    while os.getppid() == parent:
        began = time.monotonic()
        rows: List[Dict[str, Any]] = []
        for grown in follower.poll():
            if len(readers) >= _MOST_READERS:
                readers.pop(next(iter(readers)))
            reader = readers.setdefault(grown.path, BeatReader())
            if grown.first and looked_back < _MOST_LOOKED_BACK:
                looked_back += 1
                rows += _looked_back(grown)
            for start in range(0, len(grown.data), 65536):
                piece = grown.data[start : start + 65536]
                rows.append(_row(grown.path, reader.feed(piece), grown.age, len(piece)))
        rows.append({"files": follower.files})
        _write_all(pipe, "".join(json.dumps(row) + "\n" for row in rows).encode("ascii"))
        time.sleep(max(_PAUSE, _IDLE_TIMES * (time.monotonic() - began)))


def _row(path: str, news: News, age: float, size: int) -> Dict[str, Any]:
    steps = [["{} {}".format(path, writer), step] for writer, step in news.steps]
    return {"news": [steps, *news[1:]], "age": age, "size": size}


def _looked_back(grown: Grown) -> Iterator[Dict[str, Any]]:
    """Tell when the last steps of an old log came, where its lines say so."""
    text = grown.data.decode("utf-8", "replace")
    samples = observe_texts({"log": text}, frozenset(), {}, {}).samples
    dated = [one for one in samples if one.step is not None and one.line.moment is not None]
    if usual_gap(dated) is None:
        return
    last = _seconds_of(dated[-1])
    for one in dated:
        news = News(((repr(one.line.writer), one.step or 0),), True)
        yield _row(grown.path, news, grown.age + max(0.0, last - _seconds_of(one)), 0)


def _seconds_of(sample: Sample) -> float:
    return sample.line.moment.seconds if sample.line.moment is not None else 0.0


def _write_all(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]


def read_messages(rest: bytes, data: bytes) -> Tuple[bytes, int, List[Heard]]:
    """Read whole rows: what is left over, how many files are followed (-1: not told), the news."""
    rows = (rest + data).split(b"\n")
    told: List[Heard] = []
    files = -1
    for row in rows[:-1]:
        message = json.loads(row)
        if "files" in message:
            files = message["files"]
            continue
        steps, *others = message["news"]
        news = News(tuple((writer, step) for writer, step in steps), *others)
        told.append(Heard(news, message["age"], message["size"]))
    return rows[-1], files, told
