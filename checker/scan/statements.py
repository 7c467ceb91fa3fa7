"""What programs and launchers print of the shape of a job: a line enters, `Stated`s leave.

`STATEMENTS` is the one registry. A statement is about the process that prints it, or about the
node whose launcher does.
"""

import re
from typing import Callable, List, NamedTuple, Optional, Tuple

RANK, FIRST_RANK, NODES = "rank", "first rank", "nodes"


class Stated(NamedTuple):
    """One thing that a line says."""

    what: str
    """`RANK` of the process itself, `FIRST_RANK` of a node, or the number of `NODES`."""
    value: int
    host: Optional[str] = None
    """The node, where the line names it."""


class Statement(NamedTuple):
    """One text by which it is said."""

    literal: str
    pattern: str
    read: Callable[["re.Match[str]"], List[Stated]]


def _rank(found: "re.Match[str]") -> List[Stated]:
    return [Stated(RANK, int(found.group(1)))]


def _rank_of_node(found: "re.Match[str]") -> List[Stated]:
    return [Stated(FIRST_RANK, int(found.group(1)))]


def _number_of_nodes(found: "re.Match[str]") -> List[Stated]:
    return [Stated(NODES, int(found.group(1)))]


def _mapping(found: "re.Match[str]") -> List[Stated]:
    """DeepSpeed's launcher lists the ranks of every host."""
    hosts = re.findall(r"'([\w.-]{1,200})': \[(\d{1,7})", found.group(1))
    return [Stated(NODES, len(hosts))] + [Stated(FIRST_RANK, int(n), host) for host, n in hosts]


STATEMENTS: Tuple[Statement, ...] = (
    Statement("GLOBAL_RANK: ", r".{0,60}\bGLOBAL_RANK: (\d{1,7}), MEMBER: ", _rank),
    Statement("RANK=", r"(?:export )?RANK=(\d{1,7})$", _rank),
    Statement("Process index: ", r"Process index: (\d{1,7})$", _rank),
    Statement("global_ranks=[", r"\s{0,8}global_ranks=\[(\d{1,7})\b", _rank_of_node),
    Statement("group_world_size=", r"\s{0,8}group_world_size=(\d{1,6})$", _number_of_nodes),
    Statement("min_nodes", r"\s{0,8}min_nodes {1,16}: (\d{1,6})$", _number_of_nodes),
    Statement("nnodes=", r"nnodes=(\d{1,6}), num_local_procs=", _number_of_nodes),
    Statement("global_rank_mapping=", r"global_rank_mapping=defaultdict\(.{0,20}(\{.*)", _mapping),
    Statement("NODES=", r"(?:export )?SLURM_(?:JOB_NUM_NODES|NNODES)=(\d{1,6})$", _number_of_nodes),
)


def read_statements(text: str) -> List[Stated]:
    """Read what a line says of the job's shape."""
    told: List[Stated] = []
    for statement in STATEMENTS:
        if statement.literal in text:
            found = re.match(statement.pattern, text.rstrip())
            if found:
                told.extend(statement.read(found))
    return told
