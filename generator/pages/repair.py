"""Answers by which a reader gets out of the failure and stays out."""

from generator.model import Code
from generator.pages.labels import SAFE
from generator.pages.markup import bullets, definitions, marked, numbered, paragraphs, tabs
from generator.pages.shown import View
from generator.pages.text import escape, fenced, plain, prose


def stopped_safely(view: View) -> str:
    """List how to end the stuck run."""
    return numbered(prose(step) for step in view.entry.stop_safely)


def fixed(view: View) -> str:
    """Tell the steps now, the steps for good, why they work, and the code."""
    fix = view.entry.fix
    lasting = bullets(prose(step) for step in fix.for_good)
    return paragraphs(
        "**Now:**",
        numbered(prose(step) for step in fix.now),
        "**For good:**" if lasting else "",
        lasting,
        f"**Why it works:** {prose(fix.why)}",
        _code(view.entry.code),
    )


def _code(snippets: list[Code]) -> str:
    stacks: dict[str, list[str]] = {}
    for snippet in snippets:
        stacks.setdefault(escape(plain(snippet.stack)), []).append(_snippet(snippet))
    return tabs((stack, paragraphs(*written)) for stack, written in stacks.items())


def _snippet(snippet: Code) -> str:
    before = fenced(snippet.before, snippet.language) if snippet.before else ""
    return paragraphs(
        "Before:" if before else "",
        before,
        "After:" if before else "",
        fenced(snippet.after, snippet.language),
        prose(snippet.why),
    )


def verified(view: View) -> str:
    """List what shows that the fix worked."""
    return bullets(prose(sign) for sign in view.entry.verify)


def resumed(view: View) -> str:
    """Say whether the last checkpoint may be used."""
    answer, name = SAFE[view.entry.resume.safe]
    impact = view.entry.impact
    return paragraphs(
        f"{marked(answer, name)} {prose(view.entry.resume.why)}",
        f"Checkpoints already saved: {prose(impact.checkpoints)}" if impact else "",
    )


def tried_in_vain(view: View) -> str:
    """List what does not help, and why."""
    return definitions((prose(one.attempt), prose(one.why)) for one in view.entry.dead_ends)


def prevented(view: View) -> str:
    """Say whether it comes back, and what keeps it away."""
    impact = view.entry.impact
    steps = bullets(prose(step) for step in view.entry.prevent)
    return paragraphs(
        prose(impact.recurs) if impact else "",
        "To prevent it:" if steps else "",
        steps,
    )


def monitored(view: View) -> str:
    """List the fingerprints worth an alert."""
    return bullets(prose(sign) for sign in view.entry.monitor)
