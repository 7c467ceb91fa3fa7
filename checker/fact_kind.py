"""What is known of a fact beside its value."""

from typing import NamedTuple


class FactKind(NamedTuple):
    """What a fact of one name means."""

    type: str
    """`text`, `number`, `truth` or `list`."""
    unit: str
    """Empty where there is none."""
    lasting: bool
    """Holds since boot or until changed by hand; a fact that does not last says nothing of a
    run that has ended."""
    meaning: str
    of_process: bool = False
    """Told of one process after another; it is about the rank of each."""
