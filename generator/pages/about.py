"""What this encyclopedia is, how it knows what it says, and how that is held true."""

from collections import Counter
from collections.abc import Sequence

from generator.matrix import Outcome
from generator.pages.head import WIDE, front_matter
from generator.pages.labels import PROOFS
from generator.pages.markup import bullets, definitions, heading, paragraphs, table, wrapped
from generator.pages.shown import Shown

_LEAD = """\
Trainwreck is an encyclopedia of failures of ML training, and a [checker](checker.md) made from it
that finds them in a log. A page and the rule by which the checker knows its failure are one file,
so that neither can say what the other does not.
{ .lead }"""

_METHOD = (
    "**One mechanism, one remedy.** What is treated alike is one entry. A message that two causes "
    "share has a general entry, and exact ones that tell them apart.",
    "**Messages as they are printed.** They are taken from the source of the program that prints "
    "them, or from a run that failed, with the versions that print them.",
    "**Cause and fix with a source.** Each reference says what it supports. A range of versions "
    "without a source is not written down.",
    "**Look-alikes are tested too.** An entry is published only with logs that must be diagnosed, "
    "and with near misses that must not.",
    "**What was tried in vain stays.** Advice that does not help is on the page, with the reason.",
)

_LEVELS = {
    "reproduced": "A program of this project makes it happen; the entry names it and the versions.",
    "source": "The code that fails and the code that prints the message were read.",
    "maintainer": "A maintainer of the software said so in public.",
    "reported": "People report it, and nothing more is known. The checker never calls it certain.",
}

_READING = (
    "Begin with the first diagnosis: it is what failed first. What follows from it stands below, "
    "and is no failure of its own.",
    "**Certain** means that nothing else is known to leave these traces; **likely**, that "
    "something else does so rarely; **possible** is a hint, with the check that would decide.",
    "A rank in the report is the one that failed, which is mostly not the one that printed the "
    "most.",
    "What could not be read or told is said as such. Nothing found is not the same as nothing "
    "wrong.",
)


def about_pages(shown: Shown, results: Sequence[Outcome], repository: str | None) -> dict[str, str]:
    """Write the page; the scoreboard only where the examples were run."""
    title = "About Trainwreck"
    score = _scoreboard(results)
    page = paragraphs(
        front_matter(title, "How entries are written, proven and tested.", hide=WIDE),
        f"# {title}",
        _LEAD,
        heading("How is an entry written?", "method"),
        bullets(_METHOD),
        heading("How well is it proven?", "proof"),
        "Every page says it in its quick answer, with the date on which it was last compared with "
        "upstream.",
        _levels(shown),
        heading("How often is the checker right?", "scoreboard") if score else "",
        score,
        heading("How do I read a diagnosis?", "reading"),
        bullets(_READING),
        "[Read a diagnosis](diagnosis.md) explains every line of a report, and "
        "[how detection works](detection.md) the rules behind it.",
        heading("What leaves my machine?", "privacy"),
        "Nothing. The checker opens no connection, and the page that [diagnoses a log](paste.md) "
        "does it in the browser. This site sets no cookies, counts nobody and loads nothing from "
        "elsewhere; a policy in the head of every page makes the browser enforce that.",
        heading("Something is wrong or missing", "mistakes"),
        _mistakes(repository),
        heading("May I use it?", "license"),
        "Entries and pages are under CC BY 4.0, the code under Apache-2.0. "
        "[All of it as data](data.md) is there for programs.",
    )
    return {"about.md": page}


def _levels(shown: Shown) -> str:
    counts: Counter[str] = Counter(item.entry.proof.level for item in shown.listed)
    return definitions(
        (f"**{PROOFS[level]}** ({counts[level]} of {len(shown.listed)})", _LEVELS[level])
        for level in PROOFS
    )


def _scoreboard(results: Sequence[Outcome]) -> str:
    """Count what became of the examples when the site was built."""
    if not results:
        return ""
    diagnosed = [one for one in results if one.diagnosed]
    misses = [one for one in results if not one.diagnosed]
    rows = (
        ("logs that must be diagnosed", len(diagnosed), _good(diagnosed)),
        ("near misses that must not be", len(misses), _good(misses)),
    )
    return paragraphs(
        f"When this site was built, the checker read {len(results)} logs, each with all "
        f"{len({one.id for one in results})} entries:",
        wrapped(
            "counts",
            table(
                ("What", "Logs", "As their entry says"),
                ((what, str(count), str(good)) for what, count, good in rows),
            ),
        ),
        "This is no rate of success on logs that nobody has seen: these are the examples by which "
        "the entries were written. It says that no entry disturbs another. A build in which one "
        "comes out otherwise is refused. [The matrix](reference/matrix.md) has a row for every "
        "entry.",
    )


def _good(results: Sequence[Outcome]) -> int:
    return sum(not one.problems for one in results)


def _mistakes(repository: str | None) -> str:
    how = (
        "A page that is wrong does harm at three in the morning. Each page has a link at its end "
        "to change it or to report it."
        if repository
        else "A page that is wrong does harm at three in the morning. Tell who gave you this copy."
    )
    return paragraphs(
        how,
        "A failure that is missing is one file: `python3 trainwreck.py --draft LOG` begins it from "
        "a log, and [the entry reference](reference/entry.md) names every field.",
    )
