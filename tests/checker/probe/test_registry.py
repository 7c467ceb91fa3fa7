"""The list of probes, and what it promises about the facts."""

import inspect
from pathlib import Path

import pytest

from checker.facts import fact_kinds
from checker.probe.job import NO_LIVE_JOB
from checker.probe.registry import job_probes, probe_job, probes
from tests.checker.probe.trees import facts_of, machine_of

OF_PROCESSES = {
    "child.dead",
    "checkpoint.folder",
    "checkpoint.mount.answers",
    "checkpoint.mount.source",
    "checkpoint.mount.type",
    "process.count",
    "process.files_left",
    "process.reading",
    "process.state",
    "process.wait_point",
}

OF_A_PLAN = {"plan.driver_too_old", "plan.free", "plan.port", "plan.port_taken", "plan.shortage"}
"""What `preflight` finds for a run that has not begun."""


def test_probes_and_entries_speak_of_the_same_facts() -> None:
    """Each fact is described, and is given once: by a probe, a look at processes, or a plan."""
    given = [name for probe in (*probes(), *job_probes()) for name in probe.gives.split()]

    assert len(given) == len(set(given))
    assert set(fact_kinds()) - set(given) == OF_PROCESSES | OF_A_PLAN
    assert set(given) <= set(fact_kinds())


def test_each_probe_explains_itself() -> None:
    """The docstring is the page about it."""
    for probe in (*probes(), *job_probes()):
        assert (inspect.getdoc(probe.run) or "").endswith(".")


def test_an_empty_machine_has_unknown_facts(tmp_path: Path) -> None:
    """What is not there is called absent; nothing fails."""
    facts = facts_of(machine_of(tmp_path, {}), "")

    assert list(facts) == [name for probe in probes() for name in probe.gives.split()]
    assert facts.pop("probes.left") == 0
    assert set(facts.values()) == {("absent",), ("--network was not given",), ("no log was named",)}


def test_a_machine_without_a_run_has_unknown_facts_of_it(tmp_path: Path) -> None:
    """Each says why; the port of the rendezvous is asked for all the same."""
    machine = machine_of(tmp_path, {"/proc/self/net/tcp": "", "/proc/self/cgroup": ""})
    facts = probe_job(machine, NO_LIVE_JOB, job_probes())

    assert {fact.name: fact.value for fact in facts if fact.unknown is None} == {
        "job.scheduler": "none",
        "rendezvous.port": 29500,
        "rendezvous.holder": "",
    }
    assert {fact.unknown for fact in facts if fact.unknown is not None} == {
        *("absent", "it is not known to be on this host", "no rank was looked at"),
        *("no checkpoint was found", "nobody listens at port 28028", "no log can be read"),
        *("looked at once only", "the number of ranks on this host is not known"),
    }


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
