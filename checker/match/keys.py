"""What a sighting has under the key of a condition: a key and a sighting enter, a value leaves."""

from typing import Any

from checker.match.homes import known_host
from checker.match.scene import attempt_of
from checker.model import Sighting


def key_value(key: str, sighting: Sighting) -> Any:
    """Find what a sighting has under a key of `same` or `differ`."""
    if key == "rank":
        return sighting.rank
    if key == "host":
        return known_host(sighting.host)
    if key == "attempt":
        return attempt_of(sighting)
    if key == "writer":
        return None if sighting.line is None else (sighting.line.path, sighting.line.writer)
    if key == "pid":
        return sighting.pid
    names = ("gpu", "bus") if key == "gpu" else (key,)
    return next((value for name, value in sighting.values if name in names), None)
