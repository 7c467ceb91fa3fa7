"""The guide from what a person sees, the index of messages, and the hubs by phase and by layer."""

import pytest

from generator.model import Entry
from generator.pages import render
from generator.pages.guide import SIGHTS
from tests.generator.pages.rendering import sample_collection


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """All pages of the sample entries."""
    return render(sample_collection())


def test_the_guide_leads_from_a_sight_over_the_phase_to_the_first_check(
    pages: dict[str, str],
) -> None:
    """A person without a message finds what it can be, and how to tell at the least cost."""
    guide = pages["guide.md"]
    part = guide.split("## It stands still { #hang }")[1].split("\n## ")[0]

    assert '??? phase "When saving (' in part
    assert (
        "[Sample trainer: a save to a shared folder never returns from `write()`]"
        "(entries/sample-writer-stalls.md)" in part
    )
    check = sample_collection().entries["sample-writer-stalls"].entry.confirm[0].check
    assert f"First check: {check}" in " ".join(part.split())


def test_many_candidates_are_parted_by_where_their_causes_lie() -> None:
    """A list of dozens under one phase would be read by nobody."""
    collection = sample_collection()
    sample = collection.entries["sample-peer-waits"]
    copies = {
        f"sample-copy-{number}": sample._replace(
            id=f"sample-copy-{number}",
            entry=sample.entry.model_copy(
                update={"aliases": [], "layer": "gpu" if number % 2 else "data"}
            ),
        )
        for number in range(12)
    }
    guide = render(collection._replace(entries={**collection.entries, **copies}))["guide.md"]
    assert guide.index("**The cause lies in the data:**") < guide.index(
        "(entries/sample-copy-0.md)"
    )
    assert "**The cause lies in the GPU:**" in guide


def test_a_symptom_is_named_as_what_another_failure_causes(pages: dict[str, str]) -> None:
    """Nobody should stop looking at a consequence."""
    text = " ".join(pages["guide.md"].split())

    symptom = sample_collection().entries["sample-peer-waits"].entry
    assert symptom.kind == "symptom"
    assert "(entries/sample-peer-waits.md) *Another failure causes it.*" in text


def test_every_listed_entry_is_reached_from_the_guide(pages: dict[str, str]) -> None:
    """Whatever an entry does to a run is something that a person sees."""
    for item in sample_collection().entries.values():
        if item.entry.status == "published":
            assert f"(entries/{item.id}.md)" in pages["guide.md"]


def test_every_effect_and_every_early_phase_is_a_sight() -> None:
    """No value of the model is left without a place in the guide."""
    entry = sample_collection().entries["sample-writer-stalls"].entry

    def reached(**changed: object) -> bool:
        one: Entry = entry.model_copy(update={"phase": ["training"], "kind": "failure", **changed})
        return any(sight.fits(one) for sight in SIGHTS)

    assert [
        e for e in ("dies", "hangs", "slows", "wrong", "damages") if not reached(effect=[e])
    ] == []
    assert reached(effect=["dies"], category="killed")


def test_the_index_of_messages_has_each_with_its_failure_and_its_weight(
    pages: dict[str, str],
) -> None:
    """Who has a message and no search finds it in one table."""
    row = next(line for line in pages["messages.md"].splitlines() if "Watchdog caught" in line)

    message, failure, weight = (cell.strip() for cell in row.strip("|").split(" | "))
    assert message.startswith("<code>")
    assert failure.endswith("(entries/sample-peer-waits.md)")
    assert weight in {"certain", "likely", "possible"}


def test_a_hub_of_a_phase_and_one_of_a_layer_compare_their_failures(pages: dict[str, str]) -> None:
    """The same table as for categories, by another question."""
    for path, title in (
        ("phases/save.md", "# Failures when saving"),
        ("layers/storage.md", "# Failures of the storage"),
    ):
        assert title in pages[path]
        assert "(../entries/sample-writer-stalls.md)" in pages[path]
    index = pages["entries/index.md"]
    assert "[when saving](../phases/save.md) (" in index
    assert "[the storage](../layers/storage.md) (" in index
