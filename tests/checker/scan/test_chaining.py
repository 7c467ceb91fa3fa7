"""The files of a rotated log are one log: nothing is cut where one ends and the next begins."""

import gzip
import io
import random
import tarfile
from pathlib import Path

import pytest

from checker.model import Observations
from checker.scan.observe import observe, observe_texts

pytestmark = pytest.mark.rule("reading")

KEYS = frozenset({"log CUDA out of memory"})
HEAD = "Traceback (most recent call last):\n"
FRAME = '  File "train.py", line 7, in <module>\n    loss.backward()\n'
RAISED = "RuntimeError: CUDA out of memory. Tried to allocate\n"


def read(files: dict[str, str]) -> Observations:
    """Read texts as files."""
    return observe_texts(files, KEYS, {}, {})


def logs(seen: Observations) -> list[tuple[str, str | None, int | None]]:
    """Say of each input that was read to which log it belongs, and how many lines it has."""
    return [(g.path, g.part_of, g.lines) for g in seen.inputs if g.status == "read"]


def test_an_exception_goes_on_in_the_next_file() -> None:
    """One block is read, and its lines stand where an editor shows them."""
    seen = read({"a.log.1": "step 1\n" + HEAD + FRAME, "a.log": RAISED})
    (block,) = seen.tracebacks
    assert [(one.type, len(one.frames)) for one in block.parts] == [("RuntimeError", 1)]
    assert block.line.place == ("a.log.1", 2)
    assert block.line._replace(number=block.end).place == ("a.log", 1)
    assert [hit.line.place for hit in seen.hits] == [("a.log", 1)]


@pytest.mark.parametrize(
    "names",
    [
        ["a.log.3.gz", "a.log.2.gz", "a.log.1", "a.log"],
        ["a.log-20261128.gz", "a.log-20261129", "a.log-20261130", "a.log"],
        ["a.log.2026-11-28", "a.log.2026-11-29", "a.log.2026-11-30", "a.log"],
        [
            "0.log.20261130-101112.gz",
            "0.log.20261130-111112.gz",
            "0.log.20261130-121112",
            "0.log",
        ],
        ["c0-json.log.3", "c0-json.log.2", "c0-json.log.1", "c0-json.log"],
        ["messages-20261128", "messages-20261129", "messages-20261130", "messages"],
    ],
)
@pytest.mark.parametrize("way", ["folder", "words", "tar", "nested"])
def test_all_ways_to_name_the_files_are_read(tmp_path: Path, names: list[str], way: str) -> None:
    """Numbers and dates, packed or not, in a folder, one by one, or in archives of any order."""
    texts = ["step 1\n", HEAD, FRAME, RAISED]
    contents = {
        name: gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
        for name, text in zip(names, texts, strict=True)
    }
    mixed = random.Random(len(names[0])).sample(names, len(names))
    if way in ("tar", "nested"):
        data = packed({name: contents[name] for name in mixed})
        data = packed({"x": b"x\n", "inner.tgz": gzip.compress(data)}) if way == "nested" else data
        (tmp_path / "logs.tar").write_bytes(data)
    else:
        for name in mixed:
            (tmp_path / name).write_bytes(contents[name])
    words = [str(tmp_path / name) for name in mixed] if way == "words" else [str(tmp_path)]
    seen = observe(words, KEYS)
    assert [(block.line.place[1], block.end) for block in seen.tracebacks] == [(1, 5)]
    assert [
        [part.rpartition("/")[2] for part in (g.path, g.part_of or "")]
        for g in seen.inputs
        if not g.path.endswith("/x")
    ] == [[names[0], ""], *([name, names[0]] for name in names[1:])]


def packed(members: dict[str, bytes]) -> bytes:
    """Make an archive of files."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def test_a_file_that_is_not_there_is_told_and_joins_nothing() -> None:
    """What stands on both sides of a gap is of two logs."""
    seen = read({"a.log.3": HEAD, "a.log.1": FRAME, "a.log": RAISED})
    assert seen.tracebacks == ()
    assert [(g.path, g.part_of, g.status, g.reason) for g in seen.inputs] == [
        ("a.log.3", None, "read", None),
        (
            "a.log.2",
            None,
            "skipped",
            "not there, between older and newer files of its log, which are read apart",
        ),
        ("a.log.1", None, "read", None),
        ("a.log", "a.log.1", "read", None),
    ]


def test_times_that_go_back_tell_of_two_logs() -> None:
    """Files of ranks may be numbered like ages; they were written beside each other."""
    text = "2026-11-30 10:0{}:00,000 INFO step\n"
    whole = "".join(text.format(minute) for minute in range(5))
    seen = read({"a.log": "start\n", "a.log.1": whole, "a.log.2": whole.replace("step", "go")})
    assert logs(seen) == [("a.log.2", None, 5), ("a.log.1", None, 5), ("a.log", "a.log.1", 1)]


def test_numbers_from_0_on_are_ages_only_if_times_say_so() -> None:
    """Ranks are counted from 0."""
    ranks = {"a.log": "start\n", "a.log.0": "x\n", "a.log.1": "y\n"}
    assert [log for _, log, _ in logs(read(ranks))] == [None, None, None]
    ages = {
        name: f"2026-11-30 10:0{minute}:00,000 INFO step\n"
        for minute, name in enumerate(("a.log.1", "a.log.0", "a.log"))
    }
    assert [log for _, log, _ in logs(read(ages))] == [None, "a.log.1", "a.log.1"]


def test_folders_of_runs_that_are_named_by_their_day_are_not_joined() -> None:
    """A date behind the name of no log is no rotation."""
    seen = read({"run-20261129": "a\n", "run-20261130": "b\n"})
    assert [log for _, log, _ in logs(seen)] == [None, None]


@pytest.mark.parametrize("own", [{"a.log.1": 3, "a.log": 3}, {"a.log.1": 5, "a.log": 2}])
def test_a_copy_is_not_read_twice(own: dict[str, int]) -> None:
    """A file that was copied while it was rotated holds no line twice."""
    lines = [f"{number} CUDA out of memory. Tried\n" for number in range(5)]
    seen = read({name: "".join(lines[:count]) for name, count in own.items()})
    assert [hit.line.place for hit in seen.hits] == [
        ("a.log.1", number) for number in range(1, own["a.log.1"] + 1)
    ]
    assert [(g.path, g.status, g.reason, g.lines) for g in seen.inputs] == [
        ("a.log.1", "read", None, own["a.log.1"]),
        ("a.log", "skipped", "a copy of a.log.1", own["a.log"]),
    ]


def test_lines_behind_a_copy_are_read() -> None:
    """What was copied before more was written is told once, each line under its own number."""
    lines = [f"{number} CUDA out of memory. Tried\n" for number in range(5)]
    seen = read({"a.log.1": "".join(lines[:3]), "a.log": "".join(lines)})
    assert [hit.line.place for hit in seen.hits] == [
        ("a.log.1", 1),
        ("a.log.1", 2),
        ("a.log.1", 3),
        ("a.log", 4),
        ("a.log", 5),
    ]
    assert [(g.path, g.reason, g.lines) for g in seen.inputs] == [
        ("a.log.1", None, 3),
        ("a.log", "its first lines are a copy of a.log.1", 5),
    ]


def test_a_packed_copy_is_not_read_twice(tmp_path: Path) -> None:
    """A file beside its own compression is one, and what differs is another log."""
    (tmp_path / "a.log").write_text(RAISED)
    (tmp_path / "a.log.1").write_text("older\n")
    (tmp_path / "a.log.1.gz").write_bytes(gzip.compress(b"older\n"))
    (tmp_path / "b.log").write_text("this\n")
    (tmp_path / "b.log.gz").write_bytes(gzip.compress(b"that\n"))
    seen = observe([str(tmp_path)], KEYS)
    told = [(Path(g.path).name, g.status, Path(g.part_of or "").name) for g in seen.inputs]
    assert told == [
        ("a.log.1", "read", ""),
        ("a.log.1.gz", "skipped", "a.log.1"),
        ("a.log", "read", "a.log.1"),
        ("b.log", "read", ""),
        ("b.log.gz", "read", ""),
    ]


def test_a_damaged_file_joins_nothing(tmp_path: Path) -> None:
    """Nobody knows what stood between the damage and the next file."""
    (tmp_path / "a.log.1.gz").write_bytes(gzip.compress(HEAD.encode() * 999)[:-20])
    (tmp_path / "a.log").write_text(RAISED)
    seen = observe([str(tmp_path)], KEYS)
    assert [g.part_of for g in seen.inputs] == [None, None]


def test_a_line_that_is_asked_for_is_found_in_its_own_file() -> None:
    """The number is that of the file which was named, wherever it stands in the log."""
    files = {"a.log.1": "one\ntwo\n", "a.log": "three\nfour\n"}
    for path, number, text in (("a.log.1", 2, "two"), ("a.log", 2, "four")):
        seen = observe([], KEYS, (path, number), files)
        assert [(line.place, line.text) for line in seen.asked] == [((path, number), text)]
    assert observe([], KEYS, ("a.log.1", 3), files).asked == ()
