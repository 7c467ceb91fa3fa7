"""A run with a file for each of many ranks is one story, and a further file costs little memory."""

import sys
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from checker.catalogue import Catalogue
from checker.packed import PackedRecords, _loaded
from checker.pipeline import diagnose_texts
from checker.report.render_json import render_json
from checker.scan.observe import observe_texts
from tests.checker.failures import catalogue_of, told

GUILTY = 170
STEPS = 60
MEASURED = 64
STANDS_STILL: tuple[dict[str, Any], dict[str, Any]] = (
    {
        "signs": {"still": {"progress": "stopped"}, "waited": "Timed out waiting"},
        "signatures": [{"weak": ["still", "waited"]}],
    },
    {},
)
LOST_THE_LOSS: tuple[dict[str, Any], dict[str, Any]] = (
    {
        "signs": {"odd": {"metric": "loss", "is": "nonfinite"}},
        "signatures": [{"weak": ["odd"]}],
    },
    {"recovers": "series"},
)


def rows_of(rank: int, ranks: int) -> Iterator[str]:
    """What a rank prints: steps, and then an exception, its own or that of a timeout."""
    head = f" INFO train rank {rank}: "
    yield f"2026-08-14 03:10:00,{rank % 1000:03}{head}ready, pid {10000 + rank}, world size {ranks}"
    for step in range(1, STEPS):
        yield f"2026-08-14 03:10:{step:02},100{head}step {step} loss {8 - step / 50:.4f}"
    mark = f"[rank{rank}]: "
    late = rank != GUILTY
    yield f"2026-08-14 03:1{2 * late}:00,100{head}" + (
        "Timed out waiting 60000ms for recv operation" if late else "reading the next record"
    )
    yield mark + "Traceback (most recent call last):"
    yield mark + '  File "/w/train.py", line 88, in <module>'
    yield mark + ("RuntimeError: Connection closed by peer" if late else "KeyError: 'input_ids'")


def files_of(ranks: int) -> dict[str, str]:
    """The files of a run."""
    return {f"node-{r // 8:04}_rank{r}.log": "\n".join(rows_of(r, ranks)) for r in range(ranks)}


def keys_of(catalogue: Catalogue) -> frozenset[str]:
    """What is looked for."""
    return frozenset(key for entry in catalogue.entries for key in entry.keys)


def test_many_rank_files_are_one_story() -> None:
    """One of 192 ranks failed, all others waited for it."""
    report = diagnose_texts(catalogue_of(), files_of(192), {}, {})
    assert [(d[:4], len(report.diagnoses[n].ranks)) for n, d in enumerate(told(report))] == [
        (("user-code-error", "likely", "initiating", GUILTY), 1),
        (("collective-timeout", "certain", "consequence", None), 191),
        (("peer-connection-lost", "likely", "consequence", None), 191),
    ]
    assert {state.last_step for state in report.observations.ranks} == {STEPS - 1}


class Metered(dict[str, str]):
    """Files that measure memory while they are asked for, one after the other."""

    asked = 0
    held: int | None = None

    def __getitem__(self, path: str) -> str:
        """Start to measure where metric records become few, and end with the last files."""
        self.asked += 1
        if self.asked == len(self) - MEASURED - 8:
            tracemalloc.start()
        if self.asked == len(self) - 8:
            self.held, _ = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        return super().__getitem__(path)


def test_a_further_file_costs_little() -> None:
    """What is kept of the 160th file and those after it is less than 3 KiB each."""
    files = Metered(files_of(160 + MEASURED))
    observe_texts(files, keys_of(catalogue_of()) | {"metric loss"}, {}, {})
    assert files.held is not None
    assert 256 < files.held / MEASURED < 3072


def packed_beyond(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let so few records stay as they are that a small run packs as a large one does."""
    monkeypatch.setattr("checker.packed.FEW", few)
    monkeypatch.setattr("checker.packed._FILES_WITH_ROOM", 0)
    monkeypatch.setattr("checker.packed.RECORDS_TOGETHER", max(1, few // 2))


def test_packing_changes_nothing_in_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is packed comes out as it was, in its order, whoever asks for it."""
    known, files = catalogue_of(), files_of(GUILTY + 5)
    plain = render_json(diagnose_texts(known, files, {}, {}), known)
    packed_beyond(8, monkeypatch)
    assert render_json(diagnose_texts(known, files, {}, {}), known) == plain


def test_what_is_kept_of_a_diagnosed_run_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of each file, what was seen of it and what is told of it take less than 0.75 KiB."""
    packed_beyond(32, monkeypatch)
    report = diagnose_texts(catalogue_of(), files_of(GUILTY + 22), {}, {})
    seen = report.observations
    told = [one.evidence for one in report.diagnoses]
    assert list(map(len, told)) == [2, 191, 191]
    many = [seen.hits, seen.tracebacks, seen.facts, *told[1:]]
    assert all(isinstance(records, PackedRecords) for records in many)
    assert sum(map(sys.getsizeof, many)) < len(seen.inputs) * 768


def opened(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> int:
    """How often a packed record is opened when the files of a run are diagnosed."""
    known = catalogue_of(stands_still=STANDS_STILL, lost_the_loss=LOST_THE_LOSS)
    count = 0

    def counted(text: bytes) -> Any:
        nonlocal count
        count += 1
        return _loaded(text)

    with monkeypatch.context() as patched:
        patched.setattr("checker.packed._loaded", counted)
        diagnose_texts(known, files, {}, {})
    return count


def test_work_grows_as_the_number_of_files_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing walks through all records once for each file: twice the files open twice as many."""
    packed_beyond(8, monkeypatch)

    few, many = opened(files_of(20), monkeypatch), opened(files_of(40), monkeypatch)

    assert few > 1000
    assert many < 2.5 * few


def attempts_of(attempts: int, ranks: int) -> dict[str, str]:
    """The files of a run that torchrun started so many times."""
    return {
        f"attempt_{number}/{rank}/stdout.log": "\n".join(rows_of(rank, ranks))
        for number in range(attempts)
        for rank in range(ranks)
    }


def test_work_does_not_grow_with_the_number_of_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing walks through all records once for each attempt: as many files open as many."""
    packed_beyond(8, monkeypatch)

    few, many = (opened(attempts_of(*shape), monkeypatch) for shape in ((3, 16), (12, 4)))

    assert few > 1000
    assert many < 1.5 * few
