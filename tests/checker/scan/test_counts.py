"""Counts are those of grep as long as lines of a kind are few; beyond that they are the least."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from checker.pipeline import diagnose_paths
from checker.report.render_json import render_json
from checker.report.render_text import render_text
from tests.checker.failures import catalogue_of

PEER = catalogue_of("peer-connection-lost")
FORMS = (
    "node-3:47:48 [1] NCCL WARN Connection closed by peer 10.0.0.{n}",
    "data: Connection closed by peer, shard {n}",
    "node-3:47:48 [1] NCCL INFO Connection opened by peer 10.0.0.{n}",
    "2026-08-14 03:00:00,123 INFO train: step {n} loss 2.{n}",
)


def log_of(folder: Path, rounds: int) -> Path:
    """Write each form so many times, between other lines."""
    log = folder / "train.log"
    log.write_text("".join(form.format(n=n) + "\n" for n in range(rounds) for form in FORMS))
    return log


def counted_by_grep(log: Path) -> int:
    """Count lines as grep does."""
    command = ["grep", "-E", "-c", "Connection[[:blank:]]+closed[[:blank:]]+by[[:blank:]]+peer"]
    done = subprocess.run([*command, str(log)], capture_output=True, text=True, check=False)
    return int(done.stdout)


def reports(log: Path) -> tuple[str, list[dict[str, Any]]]:
    """Diagnose a log; return the text, and what the JSON shows of each sighting."""
    report = diagnose_paths(PEER, [str(log)], None)
    shown = json.loads(render_json(report, PEER))
    evidence = [one for diagnosis in shown["diagnoses"] for one in diagnosis["evidence"]]
    return render_text(report, PEER, False), evidence


@pytest.mark.parametrize("rounds", [1, 30, 64])
def test_up_to_64_lines_of_a_template_are_counted_as_grep_counts(
    tmp_path: Path, rounds: int
) -> None:
    """Numbers and blanks make no difference, and other lines between count nothing."""
    log = log_of(tmp_path, rounds)
    text, evidence = reports(log)
    assert counted_by_grep(log) == 2 * rounds
    assert sum(one["count"] for one in evidence) == 2 * rounds
    assert {one["count_exact"] for one in evidence} == {True}
    assert "at least" not in text


def test_more_lines_are_the_least_and_say_so(tmp_path: Path) -> None:
    """Of many lines the first is shown, and no more are told than grep's."""
    log = log_of(tmp_path, 600)
    text, evidence = reports(log)
    assert {one["count_exact"] for one in evidence} == {False}
    assert 64 < sum(one["count"] for one in evidence) <= counted_by_grep(log) == 1200
    assert evidence[0]["line"] == 1
    assert re.search(r"at least [\d,]+ times", text)
