"""The guide from what a person sees to the entries that it can be, and the index of messages."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from generator.load import Loaded
from generator.model import Entry
from generator.pages.comparison import by_first_phase, sortable
from generator.pages.head import WIDE, front_matter
from generator.pages.labels import LAYERS, PHASES
from generator.pages.markup import bullets, folded, heading, paragraphs
from generator.pages.messages import Message, messages
from generator.pages.recognize import logs_of
from generator.pages.shown import Shown, title_of
from generator.pages.text import code, link, prose


class Sight(NamedTuple):
    """What a person sees of a run, and the entries that look like that."""

    anchor: str
    title: str
    first: str
    """What to do or to know first, whatever it turns out to be."""
    fits: Callable[[Entry], bool]


_FROM_OUTSIDE = ("killed", "scheduler")
_MANY = 8
_BEFORE_TRAINING = {"import", "launch", "first-step"}

SIGHTS = (
    Sight(
        "hang",
        "It stands still",
        "Most ranks of a run that stands still only wait. Ask what the one that does *not* wait "
        "did last. Keep the logs and the stacks before you end anything: they are gone afterwards.",
        lambda entry: "hangs" in entry.effect,
    ),
    Sight(
        "crash",
        "It stopped with an error",
        "The loudest error is seldom the first. Look for the rank that failed before its peers "
        "lost it; a traceback about a connection or a timeout is nearly always a consequence.",
        lambda entry: "dies" in entry.effect and entry.category not in _FROM_OUTSIDE,
    ),
    Sight(
        "killed",
        "It was ended, and says nothing about why",
        "The reason stands in another log: the kernel's, the scheduler's, or that of the launcher. "
        "An exit code above 128, or a negative one, names the signal.",
        lambda entry: entry.category in _FROM_OUTSIDE or entry.kind == "stop",
    ),
    Sight(
        "start",
        "It does not start",
        "The first rank that complains is not always the one that is wrong: ranks that wait for a "
        "missing one complain first.",
        lambda entry: bool(_BEFORE_TRAINING & set(entry.phase)),
    ),
    Sight(
        "wrong",
        "It runs, and the numbers are wrong",
        "Find the first step at which a value is off; what is printed later follows from it.",
        lambda entry: "wrong" in entry.effect,
    ),
    Sight(
        "slow",
        "It runs, and is slow",
        "Compare ranks and steps before you look for a cause: one slow rank slows all of them.",
        lambda entry: "slows" in entry.effect,
    ),
    Sight(
        "damaged",
        "A checkpoint or another file is damaged",
        "Do not overwrite anything. The run that reads a file is often not the one that broke it.",
        lambda entry: "damages" in entry.effect or "resume" in entry.phase,
    ),
)


def guide_pages(shown: Shown) -> dict[str, str]:
    """Write the guide and the index of messages."""
    return {"guide.md": _guide(shown), "messages.md": _message_index(shown)}


def _guide(shown: Shown) -> str:
    sights = [(sight, [i for i in shown.listed if sight.fits(i.entry)]) for sight in SIGHTS]
    return paragraphs(
        front_matter(
            "What do you see?",
            "From what a run does to the failures that it can be: hang, crash, kill, slow, wrong.",
        ),
        "# What do you see?",
        "You have no message to search for, or too many? Start with what the run does. If you have "
        "its logs, [paste them](paste.md) or ask the [checker](checker.md): it reads all of "
        "them at once.\n{ .lead }",
        *(
            paragraphs(heading(sight.title, sight.anchor), sight.first, *_by_phase(items))
            for sight, items in sights
            if items
        ),
    )


def _by_phase(items: Sequence[Loaded]) -> Iterator[str]:
    """Fold the candidates by the phase in which they happen; each stands once."""
    for phase, found in by_first_phase(items).items():
        label = PHASES[phase]
        title = f"{label[0].upper()}{label[1:]} ({len(found)})"
        yield folded("phase", title, _candidates(found))


def _candidates(found: Sequence[Loaded]) -> str:
    """List candidates; many are parted by where their causes lie."""
    if len(found) <= _MANY:
        return bullets(_candidate(item) for item in found)
    parts = [
        paragraphs(f"**The cause lies in {label}:**", bullets(map(_candidate, items)))
        for name, label in LAYERS.items()
        if (items := [item for item in found if item.entry.layer == name])
    ]
    return paragraphs(*parts)


def _candidate(item: Loaded) -> str:
    entry = item.entry
    where = link(title_of(entry), f"entries/{item.id}.md")
    only = " *Another failure causes it.*" if entry.kind == "symptom" else ""
    check = prose(entry.confirm[0].check, links=False)
    return paragraphs(f"{where}{only}", f"First check: {check}")


def _message_index(shown: Shown) -> str:
    rows = sorted(
        {
            (message.text, item.id, tells)
            for item in shown.listed
            for tells, found in zip(_TELLS, _found(item), strict=True)
            for message in found
            if message.text
        },
        key=lambda row: (row[0].lower().lstrip("<[('\""), row),
    )
    header = ("Message", "Failure", "Alone it makes it")
    return paragraphs(
        front_matter(
            "All messages",
            "Every message by which this encyclopedia knows a failure.",
            hide=WIDE,
        ),
        "# All messages",
        f"{len(rows)} messages, as programs print them. What stands in angle brackets differs from "
        "run to run. A message that several failures print stands once for each. A likely one may "
        "make it certain together with others.",
        sortable(
            header,
            (
                (code(text), link(shown.titles[entry_id], f"entries/{entry_id}.md"), tells)
                for text, entry_id, tells in rows
            ),
            {2: _TELLS},
            "messages",
        ),
    )


_TELLS = ("certain", "likely", "possible")


def _found(item: Loaded) -> Iterable[list[Message]]:
    return messages(item.entry.detect, logs_of(item.entry))
