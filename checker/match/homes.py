"""Where processes live: what was read enters; ranks and hosts of ids and devices leave.

Names that say only "this machine" are no host names.
"""

from typing import Dict, FrozenSet, Optional, Set, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.match.lifetimes import recorded_lines
from checker.model import Observations

_NAMELESS_HOSTS = frozenset(("localhost", "127.0.0.1", "::1", "localhost.localdomain", ""))
_NAMED_POD = lazy_pattern(r"\bpod(?:=\"(?:[^\"/]{1,253}/)?|/)([a-z0-9][a-z0-9.-]{0,252})")
Home = Tuple[Optional[int], Optional[str]]
"""The rank and the host of a process."""


def known_host(host: Optional[str]) -> Optional[str]:
    """Return the first label of a host name, or None where it names no certain machine."""
    if host is None or host.lower() in _NAMELESS_HOSTS:
        return None
    first = host.partition(".")[0]
    return host if first.isdigit() else first.lower()


def homes_of_pids(seen: Observations, rank_hosts: Dict[int, str]) -> Dict[int, FrozenSet[Home]]:
    """List the processes that are known to have had each id."""
    homes: Dict[int, Set[Home]] = {}
    for ended in seen.exits:
        if ended.pid is not None:
            homes.setdefault(ended.pid, set()).add(
                _home(ended.rank, ended.host or ended.line.writer.host, rank_hosts)
            )
    for line in recorded_lines(seen):
        if line.pid is not None and line.writer.rank is not None:
            homes.setdefault(line.pid, set()).add(
                _home(line.writer.rank, line.writer.host, rank_hosts)
            )
    for host, pid, rank in seen.victims:
        homes.setdefault(pid, set()).add((rank, known_host(host)))
    return {pid: _without_vague(found) for pid, found in homes.items()}


def homes_of_devices(seen: Observations) -> Dict[str, FrozenSet[Home]]:
    """List the ranks that are known to use each device."""
    found: Dict[str, Set[Home]] = {}
    for host, bus, rank in seen.devices:
        found.setdefault(bus, set()).add((rank, known_host(host)))
    return {bus: frozenset(homes) for bus, homes in found.items()}


def _home(rank: Optional[int], host: Optional[str], rank_hosts: Dict[int, str]) -> Home:
    name = known_host(host)
    if name is None and rank is not None:
        name = rank_hosts.get(rank)
    return rank, name


def _without_vague(found: Set[Home]) -> FrozenSet[Home]:
    """Drop a home that only says less than another one."""
    return frozenset(
        home
        for home in found
        if None not in home
        or not any(
            other != home and all(mine in (None, its) for mine, its in zip(home, other))
            for other in found
        )
    )


def pod_in(text: str) -> Optional[str]:
    """Read the pod that a line of a kubelet or of a cluster's events is about.

    Inside the pod it is the host's name.
    """
    found = _NAMED_POD.search(text) if "pod" in text else None
    return known_host(found.group(1)) if found else None
