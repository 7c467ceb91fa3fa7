"""Whose memory ran out: the kernel's lines and the paths of logs enter, what both name leaves.

A container has process ids of its own, so the id that the kernel prints is nobody's in its log. The
cgroup names the pod, the container or the job, and so may the path of a log.
"""

from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Set, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import Line

_VICTIM = lazy_pattern(r"task_memcg=([^,\s]{1,512}),task=[^,]{0,64},pid=(\d{1,9})\b")
_POD_ID = lazy_pattern(
    r"(?:(?<=pod)|(?<![0-9a-f]))([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12})"
    r"(?![0-9a-f])"
)
_CONTAINER_ID = lazy_pattern(r"(?<![0-9a-f])([0-9a-f]{64})(?![0-9a-f])")
_JOB_GROUP = lazy_pattern(r"/job_(\d{1,12})(?:/|$)")


class Victim(NamedTuple):
    """A process that the kernel chose to kill, and its cgroup."""

    host: Optional[str]
    pid: int
    names: FrozenSet[str]
    """Of its pod and its container."""
    job: Optional[str]
    """Of Slurm."""


def victim_of(line: Line) -> Optional[Victim]:
    """Read the line in which the kernel tells whose limit was reached."""
    found = _VICTIM.search(line.text)
    if found is None:
        return None
    job = _JOB_GROUP.search(found.group(1))
    names = names_in(found.group(1))
    return Victim(line.writer.host, int(found.group(2)), names, job.group(1) if job else None)


def names_in(path: str) -> FrozenSet[str]:
    """Read the ids of a pod and a container from the path of a cgroup or of a log."""
    pods = (name.replace("_", "-") for name in _POD_ID.findall(path))
    return frozenset((*pods, *_CONTAINER_ID.findall(path)))


def ranks_of_victims(
    victims: Iterable[Victim], ranks: Dict[str, Set[int]]
) -> List[Tuple[Optional[str], int, int]]:
    """Tell host, process id and rank of every victim that only one rank can be.

    *ranks* are those that write in each file.
    """
    named: Dict[str, Set[int]] = {}
    for path, those in ranks.items():
        for name in names_in(path):
            named.setdefault(name, set()).update(those)
    found = []
    for victim in sorted(set(victims), key=lambda v: (v.host or "", v.pid, v.job or "")):
        meant = {rank for name in victim.names for rank in named.get(name, ())}
        if len(meant) == 1:
            found.append((victim.host, victim.pid, meant.pop()))
    return found


def strangers_of(victims: Iterable[Victim], jobs: Set[str]) -> FrozenSet[Tuple[Optional[str], int]]:
    """List host and process id of victims of other jobs than those that the logs name."""
    return frozenset(
        (victim.host, victim.pid)
        for victim in victims
        if jobs and victim.job is not None and victim.job not in jobs
    )
