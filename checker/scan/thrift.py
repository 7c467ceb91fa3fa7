"""What is kept of many files. Findings of one file after the other enter; less leaves.

A run can have thousands of files, and ranks say much the same: equal frames are kept once, and
when many metric records are kept, further files keep few.
"""

from typing import Any, Dict, List, Tuple

from checker.model import Frame, Traceback
from checker.scan.completing import FileFindings
from checker.scan.reading import FileReading
from checker.scan.samples import SPARSE, WHOLE, Room

_MOST_SAMPLES = 8192
# Nothing is added to the findings of a file that was read.
_SHARED_EMPTY: Dict[type, Any] = {dict: {}, list: [], set: set()}
_Frames = Tuple[Frame, ...]


class Thrift:
    """Collects the findings of all files."""

    def __init__(self) -> None:
        """Begin with no file."""
        self._found: List[FileFindings] = []
        self._samples = 0
        self._frames: Dict[_Frames, _Frames] = {}

    def room(self) -> Room:
        """Say how many metric records the next file may keep of each writer."""
        return WHOLE if self._samples < _MOST_SAMPLES else SPARSE

    def keep(self, findings: FileFindings) -> None:
        """Keep the findings of a file."""
        notes = findings.reading.writers.values()
        self._samples += sum(len(one.samples) for one in notes)
        self._slim(findings.reading)
        blocks = tuple(self._shared(block) for block in findings.tracebacks)
        self._found.append(findings._replace(tracebacks=blocks))

    def forget(self, path: str) -> None:
        """Let the findings of a file go, since it is read once more."""
        self._found = [one for one in self._found if one.path != path]

    def handed_over(self) -> List[FileFindings]:
        """Hand over all findings, and keep none."""
        found, self._found = self._found, []
        return found

    def _slim(self, reading: FileReading) -> None:
        """Let what is empty, and what ranks say alike, be there once."""
        parts: List[Any] = [reading, reading.hits, reading.exits, reading.attempts]
        parts += [reading.block, reading.identities, reading.watch]
        for notes in reading.writers.values():
            parts += [notes, notes.samples, notes.stacks, notes.bar]
        for part in parts:
            for name in type(part).__slots__:
                value = getattr(part, name, None)
                if not value and type(value) in _SHARED_EMPTY:
                    setattr(part, name, _SHARED_EMPTY[type(value)])

    def _shared(self, block: Traceback) -> Traceback:
        parts = [
            part._replace(frames=self._frames.setdefault(part.frames, part.frames))
            for part in block.parts
        ]
        return block._replace(parts=tuple(parts))
