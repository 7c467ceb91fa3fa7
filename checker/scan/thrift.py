"""What is kept of many files. Findings of one file after the other enter; less leaves.

A run can have thousands of files: when many metric records are kept, further files keep few, and
the findings of most files wait packed until all were read.
"""

from typing import List, Sequence, Tuple

from checker.packed import Packer
from checker.scan.findings import FileFindings
from checker.scan.samples import SPARSE, WHOLE, Room

_MOST_SAMPLES = 8192
# The findings of so many files stay as they are; those of further ones are packed together.
_FEW_FILES, _FILES_TOGETHER = 64, 16


class Thrift:
    """Collects the findings of all files."""

    def __init__(self) -> None:
        """Begin with no file."""
        self._found: Packer[FileFindings] = Packer(_FEW_FILES, _FILES_TOGETHER)
        self._paths: List[str] = []
        self._samples = 0

    def room(self) -> Room:
        """Say how many metric records the next file may keep of each writer."""
        return WHOLE if self._samples < _MOST_SAMPLES else SPARSE

    def keep(self, findings: FileFindings) -> None:
        """Keep the findings of a file."""
        notes = findings.reading.writers.values()
        self._samples += sum(len(one.samples) for one in notes)
        self._found.add(findings)
        self._paths.append(findings.path)

    def forget(self, path: str) -> None:
        """Let the findings of a file go, since it is read once more."""
        if path not in self._paths:
            return
        found, before = self.handed_over()
        for known, one in zip(before, found):
            if known != path:
                self._found.add(one)
                self._paths.append(known)

    def handed_over(self) -> Tuple[Sequence[FileFindings], List[str]]:
        """Hand over all findings and their paths, and keep none."""
        paths, self._paths = self._paths, []
        return self._found.packed(), paths
