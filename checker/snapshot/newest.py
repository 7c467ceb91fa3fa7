"""Several looks at one machine: what snapshots hold enters; what a newer one tells again leaves.

Two snapshots of one boot of a host tell of the same processes and logs, so that only the newest
counts. A masked one hides which boot it is of, and counts for itself.
"""

from typing import Dict, List, Mapping, NamedTuple, Sequence, Tuple

from checker.snapshot.parsing import KeptExcerpt, KeptThing, Section, kept_name


class _Held(NamedTuple):
    """One of several that tell the same."""

    age: Tuple[float, str]
    name: str
    files: Tuple[str, ...]


class NewestLooks:
    """Knows of all that was read from snapshots which is the newest of its kind."""

    def __init__(self) -> None:
        """Begin with no snapshot."""
        self._known: Dict[Tuple[str, str, str], List[_Held]] = {}

    def note(self, outside: str, kept: KeptThing) -> None:
        """Take note of what a snapshot holds; *outside* stands before names of its machine."""
        section, inside = kept.section, kept_name(kept)
        if section.host is not None and section.boot:
            files = kept.files if isinstance(kept, KeptExcerpt) else ()
            names = tuple(outside + given.path for given in files)
            held = _Held(_age_of(section), outside + inside, names)
            self._known.setdefault((section.host, section.boot, inside), []).append(held)

    def older(self) -> Mapping[str, str]:
        """Name all that a newer look tells again, each with what counts instead."""
        found: Dict[str, str] = {}
        for looks in self._known.values():
            newest = max(looks)
            found.update(_replaced(looks, newest))
        return found


def _age_of(section: Section) -> Tuple[float, str]:
    return dict(section.clock).get("utc", 0.0), section.taken


def _replaced(looks: Sequence[_Held], newest: _Held) -> Dict[str, str]:
    older = [held for held in looks if held is not newest]
    return {name: newest.name for held in older for name in (held.name, *held.files)}
