"""What one file says, before all files together tell who wrote."""

from typing import NamedTuple, Tuple

from checker.model import Traceback
from checker.scan.places import Place
from checker.scan.reading import FileReading


class FileFindings(NamedTuple):
    """What one file says."""

    path: str
    place: Place
    reading: FileReading
    tracebacks: Tuple[Traceback, ...]
