"""What the stacks of many ranks say, in words. Observations enter; a sentence leaves."""

import re
from typing import Optional, Sequence

from checker.diagnose.usercode import is_user_frame
from checker.match.stack_clusters import (
    StackCluster,
    clusters_of,
    compared_stacks,
    suspect_clusters,
)
from checker.model import Frame, Observations, Stack
from checker.report.phrases import ranks_phrase

_MOST_SUSPECTS = 3


def stacks_sentence(seen: Observations) -> Optional[str]:
    """Say where most ranks stand and where the others do; None where that suspects nobody."""
    clusters = clusters_of(compared_stacks(seen.stacks))
    suspects = suspect_clusters(clusters)
    if not suspects:
        return None
    total = sum(len(cluster.stacks) for cluster in clusters)
    ranks = all(s.line.writer.rank is not None for c in clusters for s in c.stacks)
    most = clusters[0]
    text = "{} of {} {} {} {}{}".format(
        len(most.stacks),
        total,
        "ranks" if ranks else "processes",
        "wait in" if most.waits else "are in",
        most.frames[-1][0] if most.frames else "?",
        _user_place(most),
    )
    for suspect in suspects[:_MOST_SUSPECTS]:
        verb = "is" if len(suspect.stacks) == 1 else "are"
        text += ", {} {} in {}".format(_who(suspect.stacks), verb, _way(suspect, most))
    left = suspects[_MOST_SUSPECTS:]
    if left:
        text += ", {} elsewhere".format(_who([s for cluster in left for s in cluster.stacks]))
    return text


def _who(stacks: Sequence[Stack]) -> str:
    ranks = sorted({s.line.writer.rank for s in stacks if s.line.writer.rank is not None})
    if len(ranks) == len(stacks):
        return ranks_phrase(ranks)
    pids = sorted({stack.pid for stack in stacks if stack.pid is not None})
    return "process " + ", ".join(map(str, pids)) if pids else "{} of them".format(len(stacks))


def _way(suspect: StackCluster, most: StackCluster) -> str:
    """Name the frames from where the ways part, at most the first two and the last."""
    parted = 0
    for mine, theirs in zip(suspect.frames, most.frames):
        if mine != theirs:
            break
        parted += 1
    names = [name for name, _ in suspect.frames[parted:]] or [suspect.frames[-1][0]]
    if len(names) > 3:
        names = [*names[:2], "...", names[-1]]
    return " -> ".join(names)


def _user_place(cluster: StackCluster) -> str:
    """Give file and line from where the program itself called what the group's first one is in."""
    first = cluster.stacks[0]
    for shown in first.frames if first.kind == "python" else ():
        path, _, number = shown.rpartition("(")[2].rstrip(")").rpartition(":")
        if path and is_user_frame(Frame(path, None, shown, ""), frozenset()):
            return " ({}:{})".format(re.split(r"[\\/]", path)[-1], number)
    return ""
