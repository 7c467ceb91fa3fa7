"""The commands `snapshot` and `merge`, and `--compare`, as they are typed."""

import json
from pathlib import Path

import pytest

from checker.cli import main
from checker.model import Fact, Input
from checker.probe.looking import MachineView
from checker.snapshot.excerpts import ExcerptShelf, KeptLog
from checker.snapshot.writing import Station, Taken, write_snapshot
from tests.checker.failures import catalogue_of

KNOWN = catalogue_of("disk-full", "collective-timeout", "peer-connection-lost")
PREFIX = "[rank{1}]: 2026-08-01 03:0{0}:00,000 "
FULL = (
    "Traceback (most recent call last):",
    '  File "/workspace/train.py", line 41, in save',
    "    file.write(data)",
    "OSError: [Errno 28] No space left on device",
)
LOST = "RuntimeError: [{}] Connection closed by peer [10.0.0.7]:29500"


def node(
    target: Path,
    number: int,
    rows: tuple[str, ...],
    free: int = 4096,
    *,
    at: float = 0.0,
    boot: str = "",
) -> str:
    """Write the snapshot of one machine, whose one rank has that number."""
    shelf = ExcerptShelf()
    lines = (PREFIX.format(1, number) + "step 1 loss 2.0", *rows)
    shelf.keep(KeptLog("/tmp/run.log", (), tuple(enumerate(lines, 1)), 0, False, ()))
    given = Input("/tmp/run.log", "read", None, 99, len(lines), None, None, None, False)
    facts = (
        Fact("memory.available", free, None, None),
        Fact("memory.swap.total", 0, None, None),
        Fact("mounts.full", [] if free > 1000 else ["/data"], None, None),
        Fact("system.uptime", 5000 + free, None, None),
    )
    view = MachineView(facts, {}, (), (), ((None, 4711, number),), 2)
    since = 1796083200.0 + at
    station = Station(f"gpu01{number}", boot or f"boot-{number}", since, 5.0, 6.0)
    write_snapshot(str(target), Taken(shelf, [given], view, station), KNOWN)
    return str(target)


@pytest.fixture
def nodes(tmp_path: Path) -> list[str]:
    """The snapshots of two machines: the disk of one is full, the other lost its peer."""
    lost = PREFIX.format(3, 1) + LOST.format("/pytorch/gloo")
    return [
        node(tmp_path / "a.snap", 0, tuple(PREFIX.format(2, 0) + row for row in FULL)),
        node(tmp_path / "b.snap", 1, (lost,)),
    ]


def test_a_snapshot_of_logs_is_written_and_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it holds and what was masked is said, and nothing but the file remains."""
    monkeypatch.chdir(tmp_path)
    Path("run.log").write_text("\n".join((*FULL, "token=hf_" + "Ab3dEf6hIj" * 3)) + "\n")

    assert main(["snapshot", "-o", "a.snap", "run.log"], KNOWN) == 0
    size = Path("a.snap").stat().st_size
    assert capsys.readouterr() == (
        "",
        f"trainwreck: a.snap: {size} bytes, 0 facts, 5 lines of 1 log. Masked: 1 secret.\n",
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.snap", "run.log"]
    assert main(["a.snap", "--format", "json"], KNOWN) == 1
    assert "a.snap!/run.log" in capsys.readouterr().out


def test_what_is_there_is_not_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a file nor a link, and before any time is spent."""
    (tmp_path / "a.snap").write_text("precious")

    assert main(["snapshot", "-o", str(tmp_path / "a.snap"), str(tmp_path)], KNOWN) == 2
    assert (tmp_path / "a.snap").read_text() == "precious"
    assert capsys.readouterr().err == (
        f"trainwreck: '{tmp_path}/a.snap' is there already, and a snapshot replaces nothing\n"
        "trainwreck: help: name another file with -o, or remove that one\n"
    )


def test_half_a_snapshot_never_remains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be finished leaves no file, under no name."""
    log = tmp_path / "run.log"
    log.write_text("step 1\n")
    monkeypatch.setattr("checker.snapshot.writing.os.rename", None)
    monkeypatch.setattr("checker.snapshot.writing.os.link", None)

    assert main(["snapshot", "-o", str(tmp_path / "a.snap"), str(log)], KNOWN) == 70
    assert list(tmp_path.iterdir()) == [log]


@pytest.mark.parametrize(
    ("words", "problem", "remedy"),
    [
        (["snapshot"], "a snapshot needs a file", "write snapshot -o FILE, or -o - for a pipe"),
        (
            ["snapshot", "-o", "x", "--salt", "y"],
            "--salt is for the pseudonyms of --redact",
            "write --redact too",
        ),
        (
            ["merge", "none.snap"],
            "'none.snap' is not there",
            "merge joins what the command 'snapshot' wrote; check reads logs",
        ),
        (
            ["merge"],
            "there is no snapshot to join",
            "name snapshots, or a folder of them",
        ),
        (
            [".", "--compare", "none.snap"],
            "'none.snap' is no snapshot",
            "--compare needs what the command 'snapshot' wrote",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(
    words: list[str], problem: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The remedy names what would make sense."""
    assert main(words, KNOWN) == 2
    assert capsys.readouterr().err == f"trainwreck: {problem}\ntrainwreck: help: {remedy}\n"


def test_many_machines_are_one_story(nodes: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What failed first on one host explains what the other one shows."""
    assert main(["merge", *nodes, "--format", "json"], KNOWN) == 1
    told = json.loads(capsys.readouterr().out)

    assert [
        (one["id"], one["role"], one["rank"], one["host"], one["consequence_of"])
        for one in told["diagnoses"]
    ] == [
        ("disk-full", "initiating", 0, "gpu010", None),
        ("peer-connection-lost", "consequence", 1, "gpu011", "disk-full"),
    ]
    hosts = {fact["host"] for fact in told["machine"]["facts"]}
    assert hosts == {"gpu010", "gpu011"}


def test_a_node_that_told_nothing_is_named_and_the_others_are_joined(
    nodes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An empty file is left where a node did not answer; it is no part of the joined snapshot."""
    empty, other, gone = tmp_path / "c.snap", tmp_path / "d.snap", tmp_path / "e.snap"
    empty.touch()
    other.write_text("ssh: connect to host d port 22: No route to host\n")
    named = [str(empty), *nodes, str(other), str(gone)]

    assert main(["merge", *named, "-o", str(tmp_path / "all")], KNOWN) == 1
    assert capsys.readouterr().err.splitlines()[:3] == [
        f"trainwreck: {empty}: empty",
        f"trainwreck: {other}: no snapshot",
        f"trainwreck: {gone}: not there",
    ]
    assert main(["merge", nodes[0], nodes[1], "-o", str(tmp_path / "two")], KNOWN) == 1
    assert (tmp_path / "all").read_bytes() == (tmp_path / "two").read_bytes()
    capsys.readouterr()
    assert main(["merge", str(empty)], KNOWN) == 2
    assert capsys.readouterr().err.startswith(f"trainwreck: '{empty}' is empty\n")


def test_of_two_looks_at_one_machine_the_newer_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What both tell counts once, also where they were joined; of another boot both count."""
    full = tuple(PREFIX.format(2, 0) + row for row in FULL)
    newer = node(tmp_path / "a.snap", 0, full, 512, at=60.0)
    older = node(tmp_path / "b.snap", 0, (), 4096)
    before_boot = node(tmp_path / "c.snap", 0, (), 2048, boot="boot-before")

    joined = str(tmp_path / "all.snap")
    main(["merge", older, newer, "-o", joined], KNOWN)
    capsys.readouterr()
    for words, name in (([older, newer], newer), ([newer, older], newer), ([joined], joined)):
        assert main(["merge", *words, "--format", "json"], KNOWN) == 1
        told = json.loads(capsys.readouterr().out)
        free = [fact["value"] for fact in told["machine"]["facts"] if "available" in fact["name"]]
        assert free == [512]
        (left,) = [one for one in told["inputs"] if one["status"] == "skipped"]
        assert left["reason"].startswith(f"a newer look at it counts: {name}!/gpu010")
        assert len(told["paces"]) == 1

    main(["merge", before_boot, newer, "--format", "json"], KNOWN)
    told = json.loads(capsys.readouterr().out)
    free = [fact["value"] for fact in told["machine"]["facts"] if "available" in fact["name"]]
    assert free == [2048, 512]


@pytest.mark.parametrize("words", [[], ["--redact", "--salt", "x"]])
def test_a_joined_snapshot_tells_what_its_parts_tell(
    words: list[str], nodes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The joined one is a snapshot like any other, masked or not; a folder can be joined too."""
    joined = str(tmp_path / "all.snap")
    assert main(["merge", str(tmp_path), "--format", "json", "-o", joined, *words], KNOWN) == 1
    before = json.loads(capsys.readouterr().out)

    for again in (["merge", joined], [joined]):
        assert main([*again, "--format", "json"], KNOWN) == 1
        after = json.loads(capsys.readouterr().out)
        for told in (before, after):
            for one in told["diagnoses"]:
                one.pop("evidence", None), one.pop("host", None)
        assert after["diagnoses"] == before["diagnoses"]


def test_only_facts_that_changed_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What moved by little, and clocks, are only counted."""
    old = node(tmp_path / "old.snap", 0, ())
    new = node(tmp_path / "new.snap", 0, (), 512)

    assert main([new, "--compare", old], KNOWN) == 0
    out = capsys.readouterr().out
    assert out[out.index("Changed since") : out.index("little") + 6] == (
        f"Changed since {old} (2026-12-01T00:00:00Z)\n"
        "  - memory.available: 4096 bytes -> 512 bytes\n"
        "  - mounts.full: now /data\n"
        "  - 1 fact as before, 1 number moved by little"
    )
    main([new, "--compare", old, "--format", "json"], KNOWN)
    assert json.loads(capsys.readouterr().out)["compared"] == {
        "with": old,
        "taken": "2026-12-01T00:00:00Z",
        "changes": [
            {
                "host": None,
                "name": "memory.available",
                "before": {"value": 4096, "unknown": None},
                "after": {"value": 512, "unknown": None},
            },
            {
                "host": None,
                "name": "mounts.full",
                "before": {"value": [], "unknown": None},
                "after": {"value": ["/data"], "unknown": None},
            },
        ],
        "moved": 1,
        "same": 1,
    }
