"""Snapshots of many nodes, joined: a small version of `tests/bench/merge.py`."""

from pathlib import Path

from checker.pipeline import diagnose_paths
from tests.bench.merge import LOCAL, write_node
from tests.published import published_catalogue

NODES = 24


def test_one_rank_of_many_nodes_failed_first(tmp_path: Path) -> None:
    """Its memory ran out; all others waited for it, and their nodes are told apart."""
    for node in range(NODES):
        write_node(tmp_path / f"gpu{node:04}.snap", node, NODES)
    report = diagnose_paths(published_catalogue(), [str(tmp_path)], None)
    first, second = report.diagnoses

    rank = NODES // 3 * LOCAL + 3
    assert (first.rule["id"], first.role) == ("cuda-oom-working-set", "initiating")
    assert (first.rank, first.host) == (rank, f"gpu{NODES // 3:04}")
    assert second.rule["id"] == "nccl-watchdog-collective-timeout"
    assert second.consequence_of == "cuda-oom-working-set"
    assert second.ranks == tuple(range(NODES * LOCAL))
    assert report.observations.world_size == NODES * LOCAL
    assert report.runs == ()
