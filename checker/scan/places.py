"""What the name of a log file says of its writer. A path enters; rank and attempt leave."""

import re
from typing import Callable, Dict, Iterator, Mapping, NamedTuple, Optional, Sequence, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.scan.rotation import log_name


class Place(NamedTuple):
    """Whose log a file is, as far as its name tells."""

    rank: Optional[int] = None
    local_rank: Optional[int] = None
    host: Optional[str] = None
    attempt: Optional[int] = None
    node: Optional[str] = None
    """Names the node apart from others; local ranks belong to it."""
    number: Optional[int] = None
    """Of the node, where a folder's name gives it one."""
    task: Optional[int] = None


_TORCHRUN = lazy_pattern(
    r"(.*)(?:^|/)attempt_(\d{1,6})/(\d{1,6})/(?:stdout\.log|stderr\.log|error\.json)"
)
# As people call these files who collect them in one folder.
_TORCHRUN_FLAT = lazy_pattern(
    r"(.*?)(?:(?<=/)|(?<=[_.-])|^)attempt[_-]?(\d{1,6})[_.-]"
    r"(?:local_?)?(?:rank[_.-]?)?(\d{1,6})[_.-](?:(?:stdout|stderr)(?:\.log|\.txt)?|error\.json)$"
)
_GLOBAL = lazy_pattern(
    r"(?:^|[/_.-])(?:global_?)?rank[_-]?(\d{1,7})(?=[._-]|$)|(?:^|/)std_log_process_(\d{1,7})\.txt"
    r"|nemo_(?:log|error_log)_globalrank-(\d{1,7})_",
    re.IGNORECASE,
)
_FOLDER_OF_RANK = lazy_pattern(
    r"(?:^|/)(?:global_?)?rank[_-]?(\d{1,7})/(?:[^/]{1,255}/)?[^/]{1,255}$", re.IGNORECASE
)
_LOCAL = lazy_pattern(r"local_?rank[_-]?(\d{1,6})", re.IGNORECASE)
_NODE = lazy_pattern(r"(?:^|[/_.-])node(?:_?rank)?[_-]?(\d{1,5})(?=[/_.]|$)", re.IGNORECASE)
_NCCL_FILE = lazy_pattern(r"(?:^|/)nccl\.([\w-]+)\.\d+\.log$")
_LAST_NUMBER = lazy_pattern(r"(.*?[_.-])(\d{1,5})(\.(?:out|err|log|txt))$")
# So pods and machines are called. Each may hold several ranks, or be counted after a master.
_NODE_NAMED = lazy_pattern(
    r"(?:worker|node|pod|host|machine|replica|instance)[_.-]$", re.IGNORECASE
)


# A snapshot, and the machine that it is of.
_OUTSIDE = lazy_pattern(r".{1,4096}!/[A-Za-z0-9._~-]{1,260}:")
# Hosts of one series are counted, or have a letter each.
_COUNTED = lazy_pattern(r"\d{1,12}|(?<=[-_.])[a-z]$")
_REPEATED = lazy_pattern(
    r"(?:attempt|epoch|exp|iter|job|launch|restart|retry|run|seed|step|trial|try|v|version)"
    r"(?:[^a-z]|eriment|ation|s\b)",
    re.IGNORECASE,
)
Apart = Callable[[str, str], Optional[bool]]
"""Whether two files were written one after the other; None where nothing tells."""


def place_of(path: str) -> Place:
    """Read one path; of a log in a snapshot that on its own machine."""
    path = log_name(path.replace("\\", "/"))
    outside = _OUTSIDE.match(path) if "!/" in path else None
    if outside is None:
        return _place_named(path)
    place = _place_named(path[outside.end() :])
    return place if place.node is None else place._replace(node=outside.group() + place.node)


def _place_named(path: str) -> Place:
    found = None
    if "attempt" in path:
        found = _TORCHRUN.search(path) or _TORCHRUN_FLAT.match(path)
    if found:
        return Place(
            local_rank=int(found.group(3)),
            attempt=int(found.group(2)),
            node=found.group(1).rstrip("/_.-"),
            number=_node_number(found.group(1)),
        )
    name = path.rsplit("/", 1)[-1]
    lower = name.lower()
    local = _LOCAL.search(name) if "local" in lower else None
    named = "rank" in lower or "std_log_process_" in lower
    marked = _GLOBAL.search(_LOCAL.sub("", name)) if named else None
    if marked is None and local is None and "rank" in path.lower():
        marked = _FOLDER_OF_RANK.search(path)
    if marked:
        rank = int(next(group for group in marked.groups() if group is not None))
        return Place(rank=rank, local_rank=int(local.group(1)) if local else None)
    if local:
        return Place(local_rank=int(local.group(1)), number=_node_number(path))
    nccl = _NCCL_FILE.search(path) if "nccl." in path else None
    if nccl:
        return Place(host=nccl.group(1))
    return Place()


def _node_number(path: str) -> Optional[int]:
    numbers = _NODE.findall(path) if "node" in path.lower() else []
    return int(numbers[-1]) if numbers else None


def _ranks_of_nodes(places: Dict[str, Place]) -> Dict[str, Place]:
    """Take the ranks in names for local ones where files of two numbered nodes tell the same."""
    numbers = {p: _node_number(p) for p, place in places.items() if place.rank is not None}
    ranks = [(places[path].rank, number) for path, number in numbers.items() if number is not None]
    if len({rank for rank, _ in ranks}) == len(set(ranks)):
        return places
    local = {
        path: Place(local_rank=places[path].rank, number=number)
        for path, number in numbers.items()
        if number is not None and places[path].local_rank is None
    }
    return {**places, **local}


def _ranks_of_like_folders(
    places: Dict[str, Place], size: Optional[int], apart: Apart
) -> Dict[str, Place]:
    """Take the ranks in names for local ones where folders of one series claim the same.

    Folders of runs do so too, but one after the other, or each with all ranks of its job.
    """
    ranks = [place.rank for place in places.values() if place.rank is not None]
    if len(ranks) == len(set(ranks)) or size == max(ranks) + 1:
        return places
    claims: Dict[Tuple[str, str, str], Dict[str, str]] = {}
    for path in sorted(places):
        if places[path].rank is not None and places[path].local_rank is None:
            for above, series, name, below in _series_in(path):
                claims.setdefault((above, series, below), {})[name] = path
    nodes = {key[:2] for key, paths in claims.items() if _at_once(key[1], paths, apart)}
    found = dict(places)
    for (above, series, _), paths in claims.items():
        if (above, series) in nodes:
            for name, path in paths.items():
                found[path] = Place(local_rank=places[path].rank, node=above + name)
    return found


def _series_in(path: str) -> Iterator[Tuple[str, str, str, str]]:
    """List the folders of a path that can be one of several, with what is above and below."""
    folders = log_name(path).replace("\\", "/").split("/")
    for index, name in enumerate(folders[:-1]):
        series = _COUNTED.sub("#", name)
        if series != name and not _GLOBAL.search(name):
            above = "".join(folder + "/" for folder in folders[:index])
            yield above, series, name, "/".join(folders[index + 1 :])


def _at_once(series: str, claims: Dict[str, str], apart: Apart) -> bool:
    """Tell whether two folders claim a rank at the same time, or for all that is known."""
    pairs = zip(list(claims.values()), list(claims.values())[1:])
    told = [apart(*pair) for pair in pairs]
    return False in told or (None in told and _REPEATED.match(series) is None)


def places_of(
    paths: Sequence[str], size: Optional[int], apart: Apart, shared: Mapping[str, Place]
) -> Dict[str, Place]:
    """Read all paths; siblings that differ only in a last number from 0 on are tasks.

    *size* is that of the world, if it was printed; *shared* are files of several processes.
    """
    places = _ranks_of_nodes({path: shared.get(path) or place_of(path) for path in paths})
    places = _ranks_of_like_folders(places, size, apart)
    families: Dict[Tuple[str, str], Dict[int, str]] = {}
    for path, place in places.items():
        if len(places) < 2 or place != Place():
            continue
        found = _LAST_NUMBER.match(log_name(path))
        if found and not _NODE_NAMED.search(found.group(1)[-20:]):
            families.setdefault((found.group(1), found.group(3)), {})[int(found.group(2))] = path
    for members in families.values():
        if len(members) > 1 and sorted(members) == list(range(len(members))):
            for task, path in members.items():
                places[path] = Place(task=task)
    return places
