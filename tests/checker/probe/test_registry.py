"""The list of probes, and what it promises about the facts."""

import inspect
from pathlib import Path

import pytest

from checker.facts import fact_kinds
from checker.probe.registry import probes
from tests.checker.probe.trees import facts_of, machine_of

NOT_YET_PROBED = {"child.dead"}
OF_PROCESSES = {
    "checkpoint.folder",
    "checkpoint.mount.answers",
    "checkpoint.mount.source",
    "checkpoint.mount.type",
    "process.count",
    "process.reading",
    "process.state",
    "process.wait_point",
}


def test_probes_and_entries_speak_of_the_same_facts() -> None:
    """Each fact that a probe or the look at processes gives is described, and is given once."""
    given = [name for probe in probes() for name in probe.gives.split()]

    assert len(given) == len(set(given))
    assert set(fact_kinds()) - set(given) - OF_PROCESSES == NOT_YET_PROBED
    assert set(given) <= set(fact_kinds())


def test_each_probe_explains_itself() -> None:
    """The docstring is the page about it."""
    for probe in probes():
        assert (inspect.getdoc(probe.run) or "").endswith(".")


def test_an_empty_machine_has_unknown_facts(tmp_path: Path) -> None:
    """What is not there is called absent; nothing fails."""
    facts = facts_of(machine_of(tmp_path, {}), "")

    assert list(facts) == [name for probe in probes() for name in probe.gives.split()]
    assert facts.pop("probes.left") == 0
    assert set(facts.values()) == {("absent",)}


@pytest.mark.parametrize("text", ["", "\n", "x", "1", "a b c\n", ":\n::\n", "1/2 3/4\n" * 9])
def test_odd_texts_raise_nothing(tmp_path: Path, text: str) -> None:
    """A kernel that writes its texts otherwise gives facts that are not understood."""
    names = [
        *("/proc/stat", "/proc/uptime", "/proc/meminfo", "/proc/vmstat", "/proc/loadavg"),
        *("/proc/self/cgroup", "/proc/self/mountinfo", "/proc/self/limits", "/proc/pressure/io"),
        *("/proc/sys/fs/file-nr", "/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"),
    ]
    facts = facts_of(machine_of(tmp_path, dict.fromkeys(names, text)), "")

    assert len(facts) == sum(len(probe.gives.split()) for probe in probes())
