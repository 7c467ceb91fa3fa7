"""Dumps of the flight recorder: real ones of gloo, and ones of NCCL in the form of the source."""

import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest

from checker.collective.dumps import is_flight_dump, read_dump
from checker.collective.records import GroupLag
from checker.model import Input, Observations
from checker.scan.observe import observe
from checker.scan.places import Place
from tests.checker.collective.printed import notified
from tests.checker.collective.printed import waits as waiting_rows
from tests.needs import ROOT

REAL = ROOT / "tests/logs/collective_desync"


def entry(seq: int, name: str = "nccl:all_reduce", **fields: Any) -> dict[str, Any]:
    """A record in the form of version 2.10 of the dump."""
    sizes = fields.pop("sizes", [[1024]])
    made = {
        "record_id": seq,
        "pg_id": 0,
        "process_group": ("0", "default_pg"),
        "collective_seq_id": seq,
        "p2p_seq_id": 0,
        "op_id": seq,
        "profiling_name": name,
        "time_created_ns": (1_700_000_000 + seq) * 10**9,
        "input_sizes": sizes,
        "input_dtypes": ["Float"],
        "output_sizes": sizes,
        "output_dtypes": ["Float"],
        "state": "completed",
        "retired": True,
        "timeout_ms": 600000,
        "is_p2p": False,
        "frames": [{"name": "f", "filename": "train.py", "line": 1}] * 3,
    }
    return made | fields


WAITING = {"state": "started", "retired": False}


def dump(*entries: dict[str, Any], ranks: str = "[0, 1, 2]") -> dict[str, Any]:
    """A dump with these records."""
    return {
        "version": "2.10",
        "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": ranks}},
        "pg_status": {"0": {"last_enqueued_collective": 7}},
        "entries": list(entries),
    }


def lags(tmp_path: Path, *dumps: dict[str, Any], as_json: bool = False) -> tuple[GroupLag, ...]:
    """The lag table of dumps, of one rank each from 0 on."""
    for rank, one in enumerate(dumps):
        data = json.dumps(one).encode() if as_json else pickle.dumps(one, 2)
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(data)
    found: tuple[GroupLag, ...] = observe([str(tmp_path)], frozenset()).lags
    return found


def ruling(found: tuple[GroupLag, ...]) -> tuple[str, tuple[int, ...], str]:
    """What the only group comes to."""
    (lag,) = found
    return lag.verdict, lag.accused, lag.why


@pytest.mark.parametrize("form", ["nccl_trace_rank_*", "json/nccl_trace_rank_*"])
def test_real_dumps_of_a_late_rank(form: str) -> None:
    """Gloo's records show which rank had not enqueued what the others wait in, in either form."""
    paths = [str(path) for path in (REAL / "late_recorded").glob(form)]
    seen = observe(sorted(paths), frozenset())
    assert ruling(seen.lags) == (
        "straggler",
        (3,),
        "rank 3 had not enqueued all_reduce 4, in which ranks 0-2 wait",
    )
    assert [state.rank for state in seen.ranks] == [0, 1, 2, 3]
    assert observe(sorted(paths, reverse=True), frozenset()).lags == seen.lags


def test_real_dumps_of_another_operation() -> None:
    """Gloo's records show which rank called something else under the same number."""
    paths = sorted(str(path) for path in (REAL / "order_recorded").glob("nccl_trace_rank_*"))
    assert ruling(observe(paths, frozenset()).lags) == (
        "op_mismatch",
        (3,),
        "under the same number 4 the ranks differ: ranks 0-2 in all_reduce, rank 3 in broadcast",
    )


@pytest.mark.parametrize(("folder", "verdict"), [("order", "op"), ("sizes", "size")])
def test_real_logs_of_the_debug_check(folder: str, verdict: str) -> None:
    """What torch prints with TORCH_DISTRIBUTED_DEBUG=DETAIL names the odd rank."""
    seen = observe([str(REAL / f"{folder}_checked")], frozenset())
    assert [(lag.verdict, lag.accused) for lag in seen.lags] == [(f"{verdict}_mismatch", (3,))]


@pytest.mark.parametrize("as_json", [False, True])
def test_sizes_of_the_same_operation(tmp_path: Path, as_json: bool) -> None:
    """One rank reduces fewer elements."""
    even, odd = entry(7, **WAITING), entry(7, sizes=[[1000]], **WAITING)
    assert ruling(lags(tmp_path, dump(even), dump(even), dump(odd), as_json=as_json)) == (
        "size_mismatch",
        (2,),
        "the sizes of all_reduce 7 differ: ranks 0-1 with 1024 elements, rank 2 with 1000 elements",
    )


def test_the_first_difference_counts(tmp_path: Path) -> None:
    """A shifted order shows where it begins, though that call came to an end."""
    even = dump(entry(5), entry(6, "nccl:_all_gather_base"), entry(7, **WAITING))
    odd = dump(entry(5), entry(6), entry(7, "nccl:_all_gather_base", **WAITING))
    assert ruling(lags(tmp_path, even, even, odd)) == (
        "op_mismatch",
        (2,),
        "under the same number 6 the ranks differ: ranks 0-1 in _all_gather_base, "
        "rank 2 in all_reduce",
    )


def test_all_members_wait(tmp_path: Path) -> None:
    """The dump itself tells who belongs to the group."""
    waits = dump(entry(7, **WAITING))
    assert ruling(lags(tmp_path, waits, waits, waits))[0] == "nobody_lags"


def test_a_member_without_a_dump_is_not_accused(tmp_path: Path) -> None:
    """Who left no dump may have waited as the others did."""
    waits = dump(entry(7, **WAITING))
    assert ruling(lags(tmp_path, waits, waits)) == (
        "undecided",
        (),
        "no word of rank 2 in this group",
    )


def test_a_dump_of_an_earlier_run_accuses_nobody(tmp_path: Path) -> None:
    """The files are overwritten only where the next run dumps."""
    waits = dump(entry(7, **WAITING))
    old = dump(entry(6, time_created_ns=(1_700_000_000 - 90_000) * 10**9))
    assert ruling(lags(tmp_path, waits, waits, old))[:2] == ("undecided", ())


def test_dumps_of_two_runs_are_no_mismatch(tmp_path: Path) -> None:
    """The same number of yesterday's run was of another operation."""
    waits = dump(entry(7, **WAITING))
    yesterday = (1_700_000_000 - 90_000) * 10**9
    old = dump(entry(7, "nccl:_all_gather_base", time_created_ns=yesterday, **WAITING))
    assert ruling(lags(tmp_path, waits, waits, old)) == (
        "undecided",
        (),
        "the dumps are not of one time",
    )


def test_dump_knows_better_than_a_line(tmp_path: Path) -> None:
    """A line's counter is of sends and receives too; by it the late rank would be ahead."""
    (tmp_path / "console.log").write_text(notified(2, 9, 9) + "\n", encoding="utf-8")
    waits = dump(entry(7, **WAITING))
    late = dump(entry(6)) | {"pg_status": {"0": {"last_enqueued_collective": 6}}}
    assert ruling(lags(tmp_path, waits, waits, late)) == (
        "straggler",
        (2,),
        "rank 2 had not enqueued all_reduce 7, in which ranks 0-1 wait",
    )


def test_dump_is_of_the_last_attempt(tmp_path: Path) -> None:
    """It says of no attempt, and the next one overwrites it."""
    restart = "I0814 03:13:15.516000 35 torch/agent/server/api.py:553]   restart_count=1"
    rows = [*waiting_rows(0, 5), restart, *waiting_rows(0, 7), *waiting_rows(1, 7)]
    (tmp_path / "console.log").write_text("\n".join(rows) + "\n", encoding="utf-8")
    late = dump(entry(6)) | {"pg_status": {"0": {"last_enqueued_collective": 6}}}
    (tmp_path / "nccl_trace_rank_2").write_bytes(pickle.dumps(late, 2))
    found = observe([str(tmp_path)], frozenset()).lags
    assert [(lag.attempt, lag.verdict, lag.accused) for lag in found] == [
        (0, "undecided", ()),
        (1, "straggler", (2,)),
    ]


def test_line_without_a_rank_leaves_a_group_open(tmp_path: Path) -> None:
    """It may be of a rank that waits in the same call, or of one that had left it."""
    row = waiting_rows(0, 9, group="1(mesh_dp)", group_rank=1)
    nameless = "".join(text.replace("[rank0]:", "") + "\n" for text in row)
    mesh = {"1": {"name": "1", "desc": "mesh_dp", "ranks": "[0, 1, 2]"}}
    of_mesh = entry(7, process_group=("1", "mesh_dp"), **WAITING)
    waiting = dump(of_mesh) | {"pg_config": mesh, "pg_status": {}}
    assert ruling(lags(tmp_path, waiting, waiting, waiting))[0] == "nobody_lags"
    (tmp_path / "console.log").write_text(nameless, encoding="utf-8")
    assert ruling(lags(tmp_path, waiting, waiting, waiting)) == (
        "undecided",
        (),
        "lines without a rank in this group",
    )


def test_sends_and_blocks_are_not_compared(tmp_path: Path) -> None:
    """Each rank of a pipeline sends what it has to, and blocks are told one by one besides."""
    waits = entry(7, **WAITING)
    send = entry(9, "nccl:send 0->1", is_p2p=True, **WAITING)
    block = entry(8, "nccl:coalesced", **WAITING)
    found = lags(tmp_path, dump(waits, send), dump(waits, block), dump(waits))
    assert ruling(found)[0] == "nobody_lags"


def test_a_hostile_dump_is_refused_and_told(tmp_path: Path) -> None:
    """Nothing of it is executed, and the person who named it gets to know."""
    path = tmp_path / "nccl_trace_rank_0"
    path.write_bytes(
        b"\x80\x02}(X\x09\x00\x00\x00pg_configcos\nsystem\nX\x04\x00\x00\x00true\x85Ru."
    )
    seen = observe([str(path)], frozenset())
    assert seen.inputs == (
        Input(
            str(path),
            "unreadable",
            "a flight recorder dump, refused: it holds more than plain data",
            None,
            None,
            None,
            None,
            None,
            True,
        ),
    )
    (given,) = observe([str(tmp_path)], frozenset()).inputs[:1]
    assert (given.status, given.refused) == ("skipped", False)


def test_a_dump_without_a_rank_is_told(tmp_path: Path) -> None:
    """The records do not say of which rank they are."""
    path = tmp_path / "trace"
    path.write_bytes(pickle.dumps(dump(entry(7)), 2))
    seen = observe([str(path)], frozenset())
    assert seen.inputs[0].reason == "a flight recorder dump, but its name tells no rank"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'{"pg_config": {"0": {"ranks": ' + b"[" * 100000, id="deep"),
        pytest.param(b'{"pg_config": ' + b"9" * 1000000 + b"}", id="long number"),
        pytest.param(b'{"pg_config": {}, "entries": [' + b"[]," * 400000 + b"0]}", id="many"),
        pytest.param(b'{"pg_config": {}, "entries": [', id="cut"),
        pytest.param(b"\x80\x02}(X\x09\x00\x00\x00pg_config", id="cut pickle"),
        pytest.param(b"\x80\x02]X\x09\x00\x00\x00pg_configa.", id="a list"),
    ],
)
def test_damaged_and_swollen_dumps_are_refused(data: bytes) -> None:
    """They neither fill the memory, nor hang, nor raise."""
    assert is_flight_dump(data)
    reading = read_dump([data], "x_rank_0", Place(rank=0))
    assert reading.notes == ()
    assert (reading.refused or "").startswith("a flight recorder dump, refused: ")


def test_a_dump_beyond_all_sizes_is_not_held() -> None:
    """Reading ends before the memory is full."""
    blocks = (b"\x80\x02" + b"N" * 1048574 for _ in range(1000))
    reading = read_dump(blocks, "x_rank_0", Place(rank=0))
    assert reading.refused == "a flight recorder dump that is too large"


@pytest.mark.parametrize(
    "fields",
    [
        {"collective_seq_id": "7"},
        {"collective_seq_id": True},
        {"process_group": "0"},
        {"input_sizes": "x", "output_sizes": [7]},
        {"input_sizes": [[10**30] * 16]},
        {"profiling_name": None},
        {"time_created_ns": 10**400},
        {"timeout_ms": "soon"},
    ],
)
def test_odd_values_raise_nothing(tmp_path: Path, fields: dict[str, Any]) -> None:
    """A dump that has the form but not the types tells less."""
    odd = dump(entry(7, **(WAITING | fields)), ranks="[0, 1]")
    (tmp_path / "nccl_trace_rank_0").write_bytes(pickle.dumps(odd, 2))
    seen: Observations = observe([str(tmp_path)], frozenset())
    assert all(lag.accused == () for lag in seen.lags)


@pytest.mark.parametrize("seed", range(200))
def test_damaged_bytes_end_in_words(seed: int) -> None:
    """Whatever a disk or a hand made of a dump, it is read, or refused with a reason."""
    choice = random.Random(seed)
    form = choice.choice(["nccl_trace_rank_0", "json/nccl_trace_rank_0.json"])
    data = bytearray((REAL / "late_recorded" / form).read_bytes())
    for _ in range(choice.randint(1, 8)):
        data[choice.randrange(len(data))] = choice.randrange(256)
    damaged = bytes(data[: choice.randrange(len(data)) + 1])
    reading = read_dump([damaged], "nccl_trace_rank_0", Place(rank=0))
    assert isinstance(reading.notes, tuple)


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.",  # torch's old way to save weights
        b'{"message": {"message": "x"}}',
        b"step 1 pg_config loss 2.0\n",
        pickle.dumps({"weights": [1.0] * 2000}, 2),
    ],
)
def test_other_files_are_no_dumps(data: bytes) -> None:
    """Only what has the recorder's own keys at its head is taken for a dump."""
    assert not is_flight_dump(data)


GROUP = "flight recorder, group 0 (default_pg): "


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ("process_group", []),
        ("profiling_name", [GROUP + "work #7 not completed, last enqueued #7"]),
        ("input_dtypes", [GROUP + "all_reduce #7 not completed, last enqueued #7"]),
        ("state", [GROUP + "all_reduce #7 not completed, last enqueued #7"]),
    ],
)
def test_what_a_dump_holds_many_times_over_is_not_written_out(
    field: str, written: list[str]
) -> None:
    """A few hundred bytes of tuples in tuples would be a text without end."""
    swollen: tuple[Any, ...] = ("x", "y")
    for _ in range(64):
        swollen = (swollen, swollen)
    held = dump(entry(7, **(WAITING | {field: swollen})))

    notes = read_dump([pickle.dumps(held, 2)], "nccl_trace_rank_0", Place(rank=0)).notes

    assert [note.line.text for note in notes] == written


def test_types_of_elements_are_told_apart() -> None:
    """They are compared with those of the other ranks."""
    held = dump(entry(7, input_dtypes=["Float", "Half"], output_dtypes=["Half"]))

    (note,) = read_dump([pickle.dumps(held, 2)], "nccl_trace_rank_0", Place(rank=0)).notes

    assert note.tellings[0].calls[0].kinds == "Float,Half Half"
