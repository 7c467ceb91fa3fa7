"""Which device a failure of hardware is of: where signatures are met enters; one group each leaves.

The kernel names the device and not its rank, the rank tells the failure and not its device: both
tell of one failure.
"""

from typing import Dict, List, Sequence, Tuple

from checker.match.evidence import Met
from checker.match.onset import earliest
from checker.match.scene import Scene
from checker.model import Rule, Sighting
from checker.scan.moments import moment_gap

_ByDevice = Dict[Tuple[str, str], List[Met]]
"""Host and device, each empty where it is not known, to where signatures are met."""
# A process learns of a failure of its device when it waits for it, and says so at the end.
_TOLD_BY_THEN = 600.0
_TOLD_AT_ONCE = 5.0


def mets_apart(rule: Rule, mets: Sequence[Met], scene: Scene) -> Sequence[Sequence[Met]]:
    """Keep the devices and hosts of a hardware failure apart; all else of an attempt is one."""
    if rule["category"] != "hardware":
        return [mets] if mets else []
    groups: _ByDevice = {}
    for met in mets:
        devices = sorted({_device(sighting) for sighting in met.sightings} - {""}) or [""]
        for device in devices:
            own = tuple(s for s in met.sightings if _device(s) in ("", device))
            groups.setdefault((_host_of_met(met, scene), device), []).append(
                met._replace(sightings=own)
            )
    for key in [key for key in sorted(groups) if not key[1]]:
        _join_devices(key[0], groups, scene)
    return [groups[key] for key in sorted(groups)]


def _device(sighting: Sighting) -> str:
    return next((str(value) for name, value in sighting.values if name in ("bus", "gpu")), "")


def _host_of_met(met: Met, scene: Scene) -> str:
    lone = scene.hosts[0] if len(scene.hosts) == 1 else ""
    return met.place.host or lone


def _join_devices(host: str, groups: _ByDevice, scene: Scene) -> None:
    """Add what names no device to the one of its host that it is about, or may be about.

    Where several may be meant, it is no further failure beside theirs.
    """
    nameless = groups.pop((host, ""))
    devices = {device: mets for (its, device), mets in groups.items() if its == host}
    left = []
    ranks: Dict[str, List[Met]] = {}
    for met in nameless:
        fitting = [
            name for name in sorted(devices) if _may_be_of_device(met, name, devices[name], scene)
        ]
        if not fitting:
            left.append(met)
            continue
        groups[(host, fitting[0])] = [*groups[(host, fitting[0])], met]
        if len(fitting) == 1:
            ranks.setdefault(fitting[0], []).append(met)
    for device, told in ranks.items():
        groups[(host, device)] = _of_one_rank(groups[(host, device)], told)
    if left:
        groups[(host, "")] = left


def _may_be_of_device(met: Met, device: str, seen: Sequence[Met], scene: Scene) -> bool:
    """Tell whether neither a device that the rank is known to use nor the times speak against."""
    used = _devices_of(met.place.rank, scene)
    if used and device not in used:
        return False
    told = earliest(met.sightings)
    firsts = (s for one in seen for s in one.sightings if _device(s))
    return told is None or any(_follows(told, first) for first in firsts)


def _devices_of(rank: object, scene: Scene) -> List[str]:
    if rank is None:
        return []
    return [bus for bus, homes in scene.devices.items() if any(its == rank for its, _ in homes)]


def _follows(told: Sighting, first: Sighting) -> bool:
    """Tell whether a process can have told what happened to a device at a certain time."""
    if told.onset is None or first.onset is None:
        return True
    gap = moment_gap(first.onset, told.onset)
    return gap is None or -_TOLD_AT_ONCE <= gap <= _TOLD_BY_THEN


def _of_one_rank(group: Sequence[Met], told: Sequence[Met]) -> List[Met]:
    """Place what names no rank at the only rank that tells the failure of the device."""
    places = {met.place for met in told}
    known = {met.place.rank for met in group} - {None}
    if len(places) != 1 or len(known) != 1:
        return list(group)
    place = places.pop()
    return [met if met.place.rank is not None else met._replace(place=place) for met in group]
