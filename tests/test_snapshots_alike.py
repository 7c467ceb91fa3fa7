"""A snapshot is diagnosed as what it was made of: every log and every example, masked too."""

from pathlib import Path
from typing import Any

import pytest

from checker.model import Fact
from checker.pipeline import diagnose_paths
from checker.probe.looking import NO_VIEW, MachineView
from checker.snapshot.excerpts import ExcerptShelf
from checker.snapshot.writing import SnapshotWish, Station, Taken, write_snapshot
from tests.needs import ROOT
from tests.published import published_catalogue
from tests.test_redacted_logs import EXAMPLES, LOGS, told

STATION = Station("gpu017", "b7e1", 1796083200.0, 5000.0, 6000.0)
WISHES = {"plain": SnapshotWish(), "redacted": SnapshotWish(redact=True, salt="of this test")}


def snapshot_told(
    paths: list[str], view: MachineView, target: Path, wish: SnapshotWish
) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """What is told of paths, and of their snapshot."""
    catalogue = published_catalogue()
    shelf = ExcerptShelf()
    before = diagnose_paths(catalogue, paths, None, view=view, shelf=shelf)
    station = None if view is NO_VIEW else STATION
    taken = Taken(shelf, before.observations.inputs, view, station)
    write_snapshot(str(target), taken, catalogue, wish)
    return told(before), told(diagnose_paths(catalogue, [str(target)], None))


@pytest.mark.parametrize("wish", WISHES.values(), ids=WISHES)
@pytest.mark.parametrize("folder", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_snapshot_of_a_log_is_diagnosed_alike(
    folder: Path, wish: SnapshotWish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ids, confidence, roles, ranks and attempts are those of the log."""
    monkeypatch.chdir(ROOT)
    before, after = snapshot_told(
        [str(folder.relative_to(ROOT))], NO_VIEW, tmp_path / "run.snap", wish
    )

    assert after == before


@pytest.mark.parametrize("wish", WISHES.values(), ids=WISHES)
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_snapshot_of_an_example_is_diagnosed_alike(
    example: dict[str, Any], wish: SnapshotWish, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So are the examples of all entries, near misses too, with their facts as a machine's."""
    logs = tmp_path / "logs"
    logs.mkdir()
    monkeypatch.chdir(logs)
    for name, text in example["files"].items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode("utf-8", "replace"))
    facts = [Fact(name, value, None, None) for name, value in sorted(example["facts"].items())]
    facts += [Fact("version " + n, v, None, None) for n, v in sorted(example["versions"].items())]
    view = MachineView(tuple(facts), {}, (), ()) if facts else NO_VIEW

    before, after = snapshot_told(sorted(example["files"]), view, tmp_path / "run.snap", wish)

    assert after == before
