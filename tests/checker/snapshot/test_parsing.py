"""Snapshots from anywhere: what is damaged, foreign or hostile ends in a plain remark."""

import json
import time
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest

from checker.cli import main
from checker.snapshot.parsing import KeptExcerpt, KeptMachine, KeptThing, kept_in
from tests.checker.report_records import KILL_CATALOGUE

HEAD = {"trainwreck_snapshot": 1, "host": "gpu017", "world_size": 8}
FACT = {"fact": "memory.total", "value": 4096}
LOG: dict[str, Any] = {"log": "/run.log", "files": []}
ROWS: dict[str, Any] = {"at": 1, "rows": ["step 1"]}
END: dict[str, Any] = {"end": {}}
DAMAGE = "damaged snapshot, read up to the damage"
TOO_MUCH = "a snapshot with more than is read"
OTHER_FORM = ", and this checker reads form 1"
CUT = "cut snapshot, read to where it is cut"


def lines_of(*records: Any) -> bytes:
    """Write records as lines; bytes stay as they are."""
    lines = [r if isinstance(r, bytes) else json.dumps(r).encode() + b"\n" for r in records]
    return b"".join(lines)


def read(*records: Any) -> tuple[list[KeptThing], list[str]]:
    """Read records."""
    remarks: list[str] = []
    kept = list(kept_in(iter([lines_of(*records)]), remarks))
    return kept, remarks


def test_a_whole_section_is_read() -> None:
    """What was seen of the machine comes first, then each log."""
    (machine, log), remarks = read(HEAD, FACT, {"process": 7, "rank": 3}, LOG, ROWS, END)

    assert isinstance(machine, KeptMachine)
    assert isinstance(log, KeptExcerpt)
    (fact,) = machine.facts
    assert fact == ("memory.total", 4096, None, None, "gpu017")
    assert machine.processes == ((7, 3),)
    assert (machine.section.host, machine.section.world_size) == ("gpu017", 8)
    assert (log.log.path, log.log.rows, remarks) == ("/run.log", ((1, "step 1"),), [])


@pytest.mark.parametrize(
    ("records", "remark"),
    [
        ([HEAD, FACT, LOG, ROWS], CUT),
        ([HEAD, b'{"fact": "memory.to'], CUT),
        ([HEAD, b"{]\n", END], DAMAGE),
        ([HEAD, b"[" * 100000 + b"\n", END], DAMAGE),
        ([HEAD, b'{"process": ' + b"9" * 1000000 + b"}\n", END], DAMAGE),
        ([HEAD, b'{"process": 1e999}\n', END], DAMAGE),
        ([HEAD, ROWS, END], DAMAGE),
        ([HEAD, LOG, {"at": -1, "rows": []}, END], DAMAGE),
        ([HEAD, LOG, {"at": 5, "rows": "abc"}, END], DAMAGE),
        ([HEAD, {"input": "x"}, END], DAMAGE),
        ([HEAD, LOG, {"at": 9, "rows": ["a"]}, {"at": 3, "rows": ["b"]}, END], TOO_MUCH),
        ([HEAD, b"x" * (5 << 20)], "damaged snapshot, read up to a line that is too long"),
        ([{"trainwreck_snapshot": 2}], "a snapshot of form 2, and this checker reads form 1"),
        (
            [{"trainwreck_snapshot": []}],
            "a snapshot of form unknown, and this checker reads form 1",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(records: list[Any], remark: str) -> None:
    """What was read before counts."""
    _, remarks = read(*records)

    assert remarks == [remark]


@pytest.mark.parametrize("value", [None, {}, [[]], "x", True, [1]])
def test_a_value_of_a_wrong_type_is_not_known(value: Any) -> None:
    """A report can count on the type that a fact has."""
    (machine, *_), _ = read(HEAD, {"fact": "memory.total", "value": value}, END)

    assert isinstance(machine, KeptMachine)
    assert machine.facts[0][1:3] == (None, "not understood")


@pytest.mark.parametrize(
    "field", ["log", "files", "parts", "numbers_left_out", "dump", "at", "rows"]
)
@pytest.mark.parametrize(
    "value", [None, 7, -1, "x", [], {}, [[]], [None], [[1, 2]], [{}], ["x" * 99999]], ids=repr
)
def test_any_field_can_hold_anything(field: str, value: Any, tmp_path: Path) -> None:
    """The checker neither raises nor hangs."""
    log = {**LOG, **({} if field in ROWS else {field: value})}
    rows = {**ROWS, **({field: value} if field in ROWS else {})}
    (tmp_path / "a.snap").write_bytes(lines_of(HEAD, FACT, log, rows, END))

    assert main([str(tmp_path / "a.snap")], KILL_CATALOGUE) in (0, 3, 4)


def test_names_are_shown_and_never_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a path out of the snapshot nor the codes of a terminal have any effect."""
    head = {**HEAD, "host": "../\x1b[2J"}
    given = {"path": "../x\x1b]0;t\x07", "status": "read", "lines": 1, "reason": "\x1b[1m"}
    log = {"log": "../../etc/passwd\x1b[31m", "files": [given]}
    full = {"fact": "mounts.full", "value": ["/a\x1b[2J"]}
    (tmp_path / "a.snap").write_bytes(lines_of(head, full, log, ROWS, END))

    for form in ("text", "json", "html", "lines", "sarif"):
        main([str(tmp_path / "a.snap"), "--format", form], KILL_CATALOGUE)
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "root:" not in out


def test_what_grows_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    """A few kilobytes that become gigabytes take neither the memory nor the time of them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    row = lines_of({"at": 1, "rows": ["x" * 60000] * 16})
    bomb = packer.compress(lines_of(HEAD, LOG))
    bomb += b"".join(packer.compress(row) for _ in range(300))
    bomb += packer.compress(b"{" * (64 << 20)) + packer.flush()
    (tmp_path / "a.snap").write_bytes(bomb)
    began = time.monotonic()
    tracemalloc.start()

    status = main([str(tmp_path / "a.snap")], KILL_CATALOGUE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert status in (0, 3, 4)
    assert peak < 200 << 20
    assert time.monotonic() - began < 60
