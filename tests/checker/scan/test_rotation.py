"""Parts of a rotated log come in the order in which they were written."""

import gzip
import random
from pathlib import Path

import pytest

from checker.scan.observe import observe
from checker.scan.rotation import reading_order


@pytest.mark.parametrize(
    "ordered",
    [
        ["a.log", "train.log.10", "train.log.2.gz", "train.log.1", "train.log", "train.logs"],
        ["train.log-20260812.gz", "train.log-20260813", "train.log"],
        ["train.log-20260812.gz", "train.log-20260813.xz"],
        ["train.log-2026081203.gz", "train.log-2026081304.gz", "train.log"],
        ["train.log.2026-08-12", "train.log.2026-08-13_10-00-00", "train.log"],
        ["rank.0", "rank.1", "rank.10", "rank.2"],
        ["out-13.log", "out-2.log"],
    ],
)
def test_older_parts_come_first(ordered: list[str]) -> None:
    """Numbers count backwards and dates forwards, and what is written now comes last."""
    mixed = random.Random(1).sample(ordered, len(ordered))
    assert sorted(mixed, key=reading_order(mixed)) == ordered


def test_a_folder_is_read_in_that_order(tmp_path: Path) -> None:
    """Packed or not, the inputs are listed from the oldest to the newest."""
    (tmp_path / "train.log").write_bytes(b"step 3\n")
    (tmp_path / "train.log.1").write_bytes(b"step 2\n")
    (tmp_path / "train.log.2.gz").write_bytes(gzip.compress(b"step 1\n"))
    names = [Path(given.path).name for given in observe([str(tmp_path)], frozenset()).inputs]
    assert names == ["train.log.2.gz", "train.log.1", "train.log"]
