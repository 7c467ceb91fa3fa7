"""The pages about the encyclopedia itself: what it is, and what changed last."""

from datetime import date

from generator.matrix import Outcome
from generator.pages.about import about_pages
from generator.pages.recent import recent_pages
from generator.pages.shown import choose
from tests.generator.pages.rendering import sample_collection


def outcome(name: str, diagnosed: bool, *problems: str) -> Outcome:
    """Make what became of an example."""
    return Outcome(name, "an example", diagnosed, (), problems)


def test_the_scoreboard_counts_the_examples() -> None:
    """Logs and near misses are counted apart, and it says what the numbers do not say."""
    shown = choose(sample_collection().entries.values())
    results = [outcome("a", True), outcome("b", True), outcome("a", False)]
    page = about_pages(shown, results, None)["about.md"]
    assert "the checker read 3 logs, each with all 2 entries:" in page
    assert "| logs that must be diagnosed | 2 | 2 |" in page
    assert "| near misses that must not be | 1 | 1 |" in page
    assert "This is no rate of success" in page
    assert "How often is the checker right?" not in about_pages(shown, [], None)["about.md"]


def test_recent_changes_stand_by_day() -> None:
    """The newest day is first; what was new on that day is told from what changed."""
    entries = sample_collection().entries
    changed = entries["sample-peer-waits"]
    changed = changed._replace(
        entry=changed.entry.model_copy(
            update={"created": date(2027, 1, 2), "updated": date(2027, 2, 3)}
        )
    )
    shown = choose({**entries, changed.id: changed}.values())
    page = recent_pages(shown, has_feed=True)["recent.md"]
    assert "[Atom feed](feed.xml)" in page
    first, second, *_ = page.split("\n## ")[1:]
    assert first.startswith("3 February 2027 { #d2027-02-03 }\n\n-   **Changed** [")
    assert second.startswith("3 March 2025 { #d2025-03-03 }\n\n-   **Changed** [Sample trainer: a")
    assert "feed.xml" not in recent_pages(shown, has_feed=False)["recent.md"]
