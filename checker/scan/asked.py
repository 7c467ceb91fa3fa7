"""The line that a person asks about: its row and the peeler of its file enter; its pieces leave.

It is peeled as all lines are, and nothing else is understood of it, so that asking changes nothing.
"""

from typing import Callable, List

from checker.model import Line, Writer
from checker.scan.peel import Peeler
from checker.scan.prefix_readings import Peeled
from checker.scan.text import line_pieces


def asked_pieces(
    place: Line, row: bytes, peeler: Peeler, named: Callable[[Peeled], Writer]
) -> List[Line]:
    """Peel the row at a place; carriage returns and records divide it into pieces."""
    return [
        Line(
            place.path,
            place.number,
            peeled.text,
            piece,
            named(peeled),
            peeled.pid,
            peeled.moment,
            peeled.level,
            place.parts,
        )
        for piece in line_pieces(row)
        for peeled in peeler.lines(piece)
    ]
