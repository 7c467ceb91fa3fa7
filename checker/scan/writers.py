"""Who wrote a line. What its prefixes say and the place of its file enter; the writer leaves."""

from checker.model import Writer
from checker.scan.hits import WriterKey
from checker.scan.places import Place
from checker.scan.prefix_readings import Peeled


def writer_key(peeled: Peeled) -> WriterKey:
    """Name the stream within a file to which a line belongs."""
    if peeled.source in (None, "rank"):
        if peeled.local_rank is not None:
            return ("local", peeled.local_rank, peeled.task, peeled.host)
        if peeled.rank is not None:
            return ("rank", peeled.rank)
        if peeled.task is not None:
            return ("task", peeled.task)
        if peeled.pid is not None and peeled.source == "rank":
            return ("pid", peeled.pid, peeled.host)
        return ("unknown", peeled.host)
    return (peeled.source, peeled.host, peeled.task)


def launcher_instead(writer: Writer) -> Writer:
    """Name the launcher as the writer of what came through a writer's stream."""
    return Writer("launcher", None, None, writer.host, writer.attempt, writer.task)


def writer_of(peeled: Peeled, place: Place) -> Writer:
    """Put together what a line's prefixes and its file's place say of its writer."""
    source, host = peeled.source, peeled.host or place.host
    if source in (None, "rank"):
        rank = peeled.rank if peeled.rank is not None else place.rank
        local = peeled.local_rank if peeled.local_rank is not None else place.local_rank
        if source is None:
            source = "rank" if rank is not None or local is not None else "unknown"
        return Writer(source, rank, local, host, place.attempt, peeled.task)
    return Writer(source or "unknown", None, None, host, place.attempt, peeled.task)
