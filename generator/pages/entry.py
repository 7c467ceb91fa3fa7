"""The page of one entry: questions as headings, each only where the entry has an answer."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from generator.pages import chain, recognize, repair, surroundings
from generator.pages.head import front_matter
from generator.pages.labels import CATEGORIES, LAYERS, PROOFS, effects, framework, phases
from generator.pages.markup import box, definitions, heading, paragraphs
from generator.pages.shown import View, title_of
from generator.pages.structured import as_text, structured
from generator.pages.text import escape, link, prose


class Question(NamedTuple):
    """A question that a page may answer."""

    anchor: str
    """Its place in the page's address; links rely on it, so it never changes."""
    label: str
    """Its name where the page lists its questions, short enough to be found at a glance."""
    title: str
    answer: Callable[[View], str]
    """Writes the answer; empty where the entry has none."""


QUESTIONS: tuple[Question, ...] = (
    Question("readers", "For you", "What does it mean for me?", surroundings.by_reader),
    Question("log", "In my log", "Is it in my log?", recognize.in_a_log),
    Question(
        "production",
        "In production",
        "What does it look like in production?",
        recognize.in_production,
    ),
    Question("confirm", "Confirm", "How do I confirm it?", recognize.confirmed),
    Question(
        "hardware-or-software",
        "Hardware or software",
        "Is it hardware or software?",
        surroundings.hardware_or_software,
    ),
    Question("why", "Why it happens", "Why does it happen?", surroundings.why),
    Question(
        "sometimes",
        "Why only sometimes",
        "Why only sometimes, and why did earlier runs work?",
        surroundings.only_sometimes,
    ),
    Question("stop", "Stop the run", "How do I stop the stuck run safely?", repair.stopped_safely),
    Question("fix", "Fix", "How do I fix it?", repair.fixed),
    Question("verify", "Verify the fix", "How do I know the fix worked?", repair.verified),
    Question("resume", "Resume", "Can I resume from the last checkpoint?", repair.resumed),
    Question("in-vain", "What does not help", "What does not help?", repair.tried_in_vain),
    Question("look-alikes", "Look-alikes", "What else could it be?", surroundings.look_alikes),
    Question("chain", "Chain", "What leads to it, and where does it lead?", chain.drawn),
    Question(
        "consequences", "Elsewhere", "What does it cause elsewhere?", surroundings.consequences
    ),
    Question("causes", "Causes", "What causes it?", surroundings.causes),
    Question(
        "impact",
        "Evaluation and serving",
        "Does it affect evaluation and serving too?",
        surroundings.impact,
    ),
    Question(
        "scale", "At scale", "What changes from one GPU to a thousand?", surroundings.at_scale
    ),
    Question("time-to-fix", "Time to fix", "How long does the fix take?", surroundings.time_to_fix),
    Question("prevent", "Prevent", "Will it come back, and how do I prevent it?", repair.prevented),
    Question("monitor", "Monitor", "What should I monitor?", repair.monitored),
    Question("versions", "Versions", "Which versions are affected?", surroundings.versions),
    Question(
        "other-accounts",
        "Other accounts",
        "What do other accounts get wrong?",
        surroundings.other_accounts,
    ),
    Question(
        "checker",
        "Rules of the checker",
        "How does the checker recognize it?",
        recognize.by_the_checker,
    ),
    Question("examples", "Example logs", "What do example logs look like?", recognize.examples),
    Question("references", "References", "Where is this documented?", surroundings.references),
)
_IN_A_HURRY = {"log", "confirm", "stop", "fix", "resume", "look-alikes"}


def entry_page(view: View) -> str:
    """Write the page of an entry."""
    answered = [(one, answer) for one in QUESTIONS if (answer := one.answer(view))]
    return paragraphs(
        front_matter(
            view.entry.title,
            view.entry.summary.symptom,
            structured=as_text(structured(view.entry)),
            updated=view.entry.updated.isoformat(),
        ),
        heading(title_of(view.entry), "entry", level=1),
        _facts(view),
        recognize.kind_of_entry(view),
        _quick_answer(view),
        _jumps(question for question, _ in answered),
        *(_section(*one) for one in answered),
        _footer(view),
    )


def _section(question: Question, answer: str) -> str:
    return paragraphs(heading(question.title, question.anchor, label=question.label), answer)


def _jumps(questions: Iterable[Question]) -> str:
    """Link to what is asked in a hurry, for screens without room for the list of all questions."""
    asked = [one for one in questions if one.anchor in _IN_A_HURRY]
    return " · ".join(link(one.label, f"#{one.anchor}") for one in asked) + "\n{ .jumps }"


def _facts(view: View) -> str:
    """Write where the entry belongs, in one line."""
    entry = view.entry
    category = link(CATEGORIES[entry.category].name, f"../categories/{entry.category}.md")
    frameworks = [link(escape(framework(f)), f"../frameworks/{f}.md") for f in entry.frameworks]
    what = f"{effects(entry.effect)}, {phases(entry.phase)}"
    parts = [category, *frameworks, what, f"the cause lies in {LAYERS[entry.layer]}"]
    return " · ".join(parts) + "\n{ .facts }"


def _quick_answer(view: View) -> str:
    entry = view.entry
    versions = "; ".join(surroundings.version_range(one) for one in entry.affects)
    proof = f"{PROOFS[entry.proof.level]}, last checked on {entry.proof.verified}"
    pairs = [
        ("Symptom", prose(entry.summary.symptom)),
        ("Cause", prose(entry.summary.cause)),
        ("Fix", f"{prose(entry.summary.fix)} [All steps](#fix)"),
        ("Versions", versions),
        ("Proof", link(proof[0].upper() + proof[1:], "../diagnosis.md#proof")),
    ]
    return box("quick-answer", "Quick answer", definitions(pair for pair in pairs if pair[1]))


def _footer(view: View) -> str:
    entry = view.entry
    return paragraphs(
        f"Written {entry.created}, updated {entry.updated}. "
        f"Proof ({PROOFS[entry.proof.level]}, {entry.proof.verified}): {prose(entry.proof.by)}"
        "\n{ .entry-footer }",
        f"{_sources(view)}\n{{ .entry-links }}",
    )


def _sources(view: View) -> str:
    """Link to where the entry can be changed, and to what a program reads of it."""
    data = link("This entry as data", f"../api/v1/entries/{view.id}.json")
    if view.repository is None or not view.item.path.endswith(f"entries/{view.id}.md"):
        return data
    file = f"main/entries/{view.id}.md"
    return " · ".join(
        (
            link("Edit this page", f"{view.repository}/edit/{file}"),
            link(
                "Report a mistake",
                f"{view.repository}/issues/new?template=wrong-page.yml&entry={view.id}",
            ),
            link("History", f"{view.repository}/commits/{file}"),
            data,
        )
    )
