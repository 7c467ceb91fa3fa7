"""Which process is which rank: what was read of writers enters, a `Naming` leaves.

Every piece of knowledge has a strength, and a weaker one never overrules a stronger one: a rank
that a program or its launcher prints; NCCL's line on the world communicator; a numbered node in
the path; the number of a launched task; a local rank where nothing speaks of a second node. Where
the strongest tells two things, or all that is known leaves several nodes possible, there is none.
"""

from typing import Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from checker.model import Writer
from checker.scan.statements import FIRST_RANK, NODES, Stated
from checker.scan.verdicts import Placed

PRINTED, JOINED, NUMBERED = 3, 2, 1
Stream = Tuple[str, Optional[int], Optional[int]]
"""Path, task and local rank: one process."""
NodeKey = Tuple[str, str, int]
Process = Tuple[Optional[str], int]
"""Host and process id."""
_Ranks = Dict[int, Set[int]]
"""Strength to the ranks told with it."""
# No run is larger, and what lists all ranks stays small.
_LARGEST_WORLD = 262144


class Known(NamedTuple):
    """That a process of a file is a rank, and how well that is known."""

    strength: int
    path: str
    writer: Writer
    rank: int


class Communicator(NamedTuple):
    """What NCCL says of one process when it joins a communicator."""

    size: int
    rank: int
    device: Optional[int]
    bus: Optional[str]
    path: str
    writer: Writer


class Clues(NamedTuple):
    """What all files say of ranks, before it is weighed."""

    known: List[Known]
    placed: List[Placed]
    nccl: Dict[Process, Communicator]
    writers: Set[Tuple[str, Writer]]
    folders: Dict[str, str]
    """Path to the folder that a launcher made on one node."""
    numbers: Dict[str, int]
    """Path to the number that its folder gives the node."""
    firsts: List[Tuple[NodeKey, int]]
    """First ranks of nodes, as their launchers print them."""
    sizes: List[int]
    """Sizes of the world that were printed."""
    nodes: List[int]
    """Numbers of nodes that were printed."""
    agents: bool
    """Whether a launcher that starts several processes on a node writes anywhere."""
    tasks: Set[int]
    """Numbers of launched tasks, of writers and of ends."""


def no_clues() -> Clues:
    """Begin with nothing known."""
    return Clues([], [], {}, set(), {}, {}, [], [], [], False, set())


def note_stated(clues: Clues, path: str, writer: Writer, stated: Stated) -> None:
    """Keep what a line says of the job's shape."""
    if stated.what == NODES:
        clues.nodes.append(stated.value)
    elif stated.what == FIRST_RANK and stated.host:
        clues.firsts.append((("host", host_label(stated.host), -1), stated.value))
    elif stated.what == FIRST_RANK:
        keys = node_keys(writer, path, clues.folders)
        clues.firsts.extend((key, stated.value) for key in keys)
    elif writer.rank is None and (writer.local_rank, writer.task) != (None, None):
        # A console of several processes does not tell whose line it is.
        clues.known.append(Known(PRINTED, path, writer, stated.value))


class Naming(NamedTuple):
    """Who is who."""

    streams: Dict[Stream, int]
    hosts: Dict[Stream, str]
    """Of processes of which any line names it."""
    bases: Dict[NodeKey, int]
    """The first rank of a node."""
    by_pid: Dict[int, Tuple[Placed, ...]]
    by_process: Dict[Process, int]
    folders: Dict[str, str]
    single_node: bool
    tasks_are_ranks: bool

    def named(self, writer: Writer, path: str, pid: Optional[int] = None) -> Writer:
        """Complete what is known of a writer."""
        if writer.source != "rank" or writer.rank is not None:
            return writer
        placed = self.placed(pid, writer.host, path)
        if placed is not None:
            host = writer.host or placed.host or None
            return writer._replace(rank=placed.rank, local_rank=placed.local_rank, host=host)
        rank = self.rank_of(writer, path, pid)
        host = writer.host or self.hosts.get((path, writer.task, writer.local_rank))
        if (rank, host) == (None, writer.host):
            return writer
        return writer._replace(rank=rank, host=host)

    def placed(self, pid: Optional[int], host: Optional[str], path: str) -> Optional[Placed]:
        """Find the process that a failure block names by its id; containers have equal ones."""
        found = self.by_pid.get(pid, ()) if pid is not None else ()
        here = [one for one in found if host and host_label(one.host) == host_label(host)]
        if not host:
            here = [one for one in found if one.path == path] or (
                list(found) if self.single_node else []
            )
        return here[0] if len({one.rank for one in here}) == 1 else None

    def rank_of(self, writer: Writer, path: str, pid: Optional[int] = None) -> Optional[int]:
        """Find the rank of a writer by the strongest knowledge there is."""
        known = self.by_process.get((writer.host, pid)) if pid is not None else None
        if known is None:
            known = self.streams.get((path, writer.task, writer.local_rank))
        if known is None and writer.local_rank is not None:
            return self._rank_of_local(writer, path, writer.local_rank)
        return self.rank_of_task(writer.task) if known is None else known

    def _rank_of_local(self, writer: Writer, path: str, local: int) -> Optional[int]:
        for key in node_keys(writer, path, self.folders):
            if key in self.bases:
                return self.bases[key] + local
        return local if self.single_node else None

    def rank_of_task(self, task: Optional[int]) -> Optional[int]:
        """Turn the number of a launched task into a rank."""
        return task if self.tasks_are_ranks else None


def node_keys(writer: Writer, path: str, folders: Dict[str, str]) -> List[NodeKey]:
    """Name the node of a writer, by what tells most first."""
    keys: List[NodeKey] = []
    if writer.host:
        keys.append(("host", host_label(writer.host), -1))
    if writer.task is not None:
        keys.append(("task", path, writer.task))
    elif path in folders:
        keys.append(("folder", folders[path], -1))
    else:
        keys.append(("file", path, -1))
    return keys


def naming_of(clues: Clues) -> Naming:
    """Weigh the clues."""
    size = world_size_of(clues)
    world = _worlds(clues, size)
    streams: Dict[Stream, _Ranks] = {}
    bases: Dict[NodeKey, _Ranks] = {}
    for one in [*clues.known, *_joined(world)]:
        writer = one.writer
        stream = (one.path, writer.task, writer.local_rank)
        if stream[1:] != (None, None):
            _note(streams, stream, one.strength, one.rank)
        if writer.local_rank is not None and one.rank >= writer.local_rank:
            for node in node_keys(writer, one.path, clues.folders):
                _note(bases, node, one.strength, one.rank - writer.local_rank)
    for node, first in [*clues.firsts, *_placed_firsts(clues.placed)]:
        _note(bases, node, PRINTED, first)
    mixed = _files_of_several_nodes(clues)
    told = {key: first for key, first in _strongest(bases).items() if key[1] not in mixed}
    told = {**_numbered(clues, size, told), **told}
    return Naming(
        _strongest(streams),
        _hosts_of_streams(clues),
        told,
        _by_pid(clues.placed),
        {process: one.rank for process, one in world.items()},
        clues.folders,
        _is_single_node(clues, size, set(told.values())),
        _are_tasks_ranks(clues, size),
    )


def world_size_of(clues: Clues) -> Optional[int]:
    """Choose the size of the world: a printed one, unless a rank or a communicator refutes it."""
    sizes = [one.size for one in clues.nccl.values()]
    joined = max((size for size in sizes if size <= _LARGEST_WORLD), default=0)
    ranks = [one.rank for one in clues.known] + [one.rank for one in clues.placed]
    least = max([joined, *(rank + 1 for rank in ranks)])
    printed = max((size for size in clues.sizes if size <= _LARGEST_WORLD), default=0)
    if printed >= least:
        return printed or None
    return joined if joined == least else None


def _note(table: Dict, key: Tuple, strength: int, rank: int) -> None:  # type: ignore[type-arg]
    table.setdefault(key, {}).setdefault(strength, set()).add(rank)


def _strongest(table: Dict) -> Dict:  # type: ignore[type-arg]
    """Keep what the strongest knowledge of each key tells, if that is one thing."""
    found = {key: told[max(told)] for key, told in table.items()}
    return {key: next(iter(ranks)) for key, ranks in found.items() if len(ranks) == 1}


def _worlds(clues: Clues, size: Optional[int]) -> Dict[Process, Communicator]:
    """Keep the communicators of the world.

    Where its size is not known the largest may be of a part: two devices are one rank then.
    """
    found = {process: one for process, one in clues.nccl.items() if one.size == size}
    devices: Dict[int, Set[object]] = {}
    for (host, _), one in found.items():
        if host is not None and one.device is not None:
            devices.setdefault(one.rank, set()).add((host, one.device))
    return {} if any(len(places) > 1 for places in devices.values()) else found


def _joined(world: Dict[Process, Communicator]) -> Iterable[Known]:
    """Tell of processes whose NCCL lines stand in a stream that is theirs alone."""
    for one in world.values():
        if one.writer.local_rank is not None or one.writer.task is not None:
            yield Known(JOINED, one.path, one.writer, one.rank)


def _placed_firsts(placed: Iterable[Placed]) -> Iterable[Tuple[NodeKey, int]]:
    for place in placed:
        for kind, name in (("host", host_label(place.host)), ("file", place.path)):
            if name:
                yield (kind, name, -1), place.rank - place.local_rank


def _hosts_of_streams(clues: Clues) -> Dict[Stream, str]:
    hosts: Dict[Stream, Set[str]] = {}
    for path, writer in clues.writers:
        stream = (path, writer.task, writer.local_rank)
        if writer.host and writer.source == "rank" and stream[1:] != (None, None):
            hosts.setdefault(stream, set()).add(writer.host)
    return {stream: min(names) for stream, names in hosts.items() if len(names) == 1}


def _files_of_several_nodes(clues: Clues) -> Set[str]:
    nodes: Dict[str, Set[str]] = {}
    named = [(path, writer.host) for path, writer in clues.writers if writer.source == "rank"]
    for path, host in [*named, *((place.path, place.host) for place in clues.placed)]:
        if host:
            nodes.setdefault(path, set()).add(host_label(host))
    return {path for path, hosts in nodes.items() if len(hosts) > 1}


def _numbered(clues: Clues, size: Optional[int], told: Dict[NodeKey, int]) -> Dict[NodeKey, int]:
    """Count the ranks of nodes that their paths number, if all are there and equally large."""
    locals_of: Dict[int, Set[int]] = {}
    keys: Dict[int, Set[NodeKey]] = {}
    for path, writer in clues.writers:
        number = clues.numbers.get(path)
        if number is not None and writer.local_rank is not None:
            locals_of.setdefault(number, set()).add(writer.local_rank)
            keys.setdefault(number, set()).update(node_keys(writer, path, clues.folders))
    shapes = {frozenset(found) for found in locals_of.values()}
    if len(shapes) != 1 or set(locals_of) != set(range(len(locals_of))):
        return {}
    (shape,) = shapes
    each = len(shape)
    if shape != frozenset(range(each)) or (size is not None and size != each * len(locals_of)):
        return {}
    firsts = {key: number * each for number in keys for key in keys[number]}
    return firsts if all(told.get(key, first) == first for key, first in firsts.items()) else {}


def _is_single_node(clues: Clues, size: Optional[int], firsts: Set[int]) -> bool:
    """Tell whether nothing speaks of a second node."""
    of_ranks = [writer for _, writer in clues.writers if writer.source == "rank"]
    hosts = {host_label(writer.host) for writer in of_ranks if writer.host}
    hosts.update(host_label(place.host) for place in clues.placed)
    hosts.discard("")
    launchers = {w.task for w in of_ranks if w.task is not None and w.local_rank is not None}
    local = max((w.local_rank for w in of_ranks if w.local_rank is not None), default=None)
    most = max([size or 0, *(one.rank + 1 for one in clues.known)])
    return (
        max(clues.nodes, default=0) < 2
        and len(hosts) < 2
        and len(launchers) < 2
        and len(set(clues.folders.values())) < 2
        and firsts <= {0}
        and max(clues.numbers.values(), default=0) == 0
        and (local is None or most <= local + 1)
    )


def _are_tasks_ranks(clues: Clues, size: Optional[int]) -> bool:
    """Tell whether every launched task is one rank, and not a node's launcher of its own."""
    if clues.agents or any(
        w.task is not None and w.local_rank is not None for _, w in clues.writers
    ):
        return False
    if any(one.writer.task not in (None, one.rank) for one in clues.known):
        return False
    return size is None or size == max(clues.tasks, default=0) + 1


def _by_pid(placed: Iterable[Placed]) -> Dict[int, Tuple[Placed, ...]]:
    found: Dict[int, Tuple[Placed, ...]] = {}
    for place in placed:
        found[place.pid] = (*found.get(place.pid, ()), place)
    return found


def host_label(host: str) -> str:
    """Return the first label of a host name."""
    return host.partition(".")[0].lower()
