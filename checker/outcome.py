"""How a command ends: what it gives back, and the exit statuses with their meanings."""

from typing import Callable, Iterable, Iterator, NamedTuple, Tuple, Union

NOTHING_RECOGNIZED = 0
DIAGNOSED = 1
USAGE = 2
NOTHING_READABLE = 3
NO_ANSWER = 4
DEFECT = 70
INTERRUPTED = 130

EXIT_STATUSES: Tuple[Tuple[int, str], ...] = (
    (NOTHING_RECOGNIZED, "looked, and nothing was recognized"),
    (DIAGNOSED, "at least one diagnosis that is certain or likely"),
    (USAGE, "the command line is wrong, or the report could not be written"),
    (NOTHING_READABLE, "nothing readable: missing, empty, binary, or no log in the folder"),
    (
        NO_ANSWER,
        "nothing recognized, and a named input was refused, or it or a needed probe did not answer",
    ),
    (DEFECT, "a defect of the checker itself"),
    (INTERRUPTED, "interrupted; the report tells what was read before"),
)


class Pieces:
    """A text that would be large as a whole: each walk through it makes its pieces anew."""

    def __init__(self, make: Callable[[], Iterable[str]]) -> None:
        """Take what makes the pieces."""
        self._make = make

    def __iter__(self) -> Iterator[str]:
        """Walk through the pieces."""
        return iter(self._make())


class Outcome(NamedTuple):
    """What a command gives back."""

    status: int
    text: Union[str, Pieces]
    """For stdout, or for the file that the person named."""
    trouble: Tuple[str, ...] = ()
    """Lines for stderr."""
    inputs: Tuple[str, ...] = ()
    """Files that were read, and so must not be written over."""
    written: bool = False
    """The command wrote the file that the person named, and the text is for stdout."""
