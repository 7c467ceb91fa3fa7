"""Which processes are one run: training processes enter, groups of them leave."""

from typing import Dict, List, Sequence, Set, Tuple

from checker.probe.processes import TrainingProcess


def launched_together(processes: Sequence[TrainingProcess]) -> List[List[TrainingProcess]]:
    """Group the processes by the launcher that started them, else by where their ranks meet.

    What has no rank in its environment is a run of its own. Without a launcher, ranks are of one
    run if they meet at one address and port, in one job of the scheduler and in one session.
    """
    launchers = {one.pid for one in processes if one.role == "launcher"}
    groups: Dict[Tuple[object, ...], List[TrainingProcess]] = {}
    group_of: Dict[int, List[TrainingProcess]] = {}
    for one in processes:
        if one.role == "rank":
            group_of[one.pid] = groups.setdefault(_launch_of(one, launchers), [])
            group_of[one.pid].append(one)
    for one in processes:
        if one.role == "helper" and one.owner in group_of:
            group_of[one.owner].append(one)
        elif one.role == "launcher":
            groups.setdefault(("launcher", one.pid), []).append(one)
    found = [sorted(group, key=lambda one: one.pid) for group in groups.values()]
    return sorted(found, key=lambda group: group[0].pid)


def _launch_of(one: TrainingProcess, launchers: Set[int]) -> Tuple[object, ...]:
    if one.parent in launchers:
        return ("launcher", one.parent)
    if one.rank is None:
        return ("alone", one.pid)
    names = ("MASTER_ADDR", "MASTER_PORT", "SLURM_JOB_ID")
    return ("ranks", one.session, *(one.environment.get(name) for name in names))


def label_of(group: Sequence[TrainingProcess]) -> str:
    """Name a run by its program and its first process."""
    first = next((one for one in group if one.role == "rank"), group[0])
    return "{} (process {})".format(first.title, group[0].pid)
