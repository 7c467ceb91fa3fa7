"""All pages together: complete, linked, and the same for the same entries."""

import re

import pytest

from generator.load import Collection
from generator.pages import labels, openings, render
from tests.generator.pages.rendering import sample_collection


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """Render the samples."""
    return render(sample_collection())


def _targets(text: str) -> set[str]:
    return set(re.findall(r"\]\(([^)#]+)", text))


def test_the_site_has_these_pages(pages: dict[str, str]) -> None:
    """Each entry, former id, category and framework has a page, and drafts have none."""
    assert list(pages) == [
        "about.md",
        "api/v1/entries.json",
        "api/v1/entries/sample-hang.json",
        "api/v1/entries/sample-peer-waits.json",
        "api/v1/entries/sample-writer-stalls.json",
        "categories/hang.md",
        "categories/index.md",
        "entries/index.md",
        "entries/sample-hang.md",
        "entries/sample-peer-waits.md",
        "entries/sample-save-hangs.md",
        "entries/sample-writer-stalls.md",
        "frameworks/index.md",
        "frameworks/pytorch.md",
        "frameworks/sample-trainer.md",
        "guide.md",
        "index.md",
        "layers/framework.md",
        "layers/storage.md",
        "llms.txt",
        "map.md",
        "messages.md",
        "paste.md",
        "phases/save.md",
        "phases/shutdown.md",
        "phases/training.md",
        "recent.md",
        "reference/commands.md",
        "reference/contributing.md",
        "reference/entry.md",
        "reference/index.md",
        "reference/lint.md",
        "reference/probe.md",
        "reference/report.md",
        "search/data.js",
    ]


def test_every_entry_is_linked_from_the_index_and_its_hubs(pages: dict[str, str]) -> None:
    """An entry is found by its category, by each of its frameworks and in the index."""
    for entry_id, loaded in sample_collection().entries.items():
        assert f"{entry_id}.md" in _targets(pages["entries/index.md"])
        if loaded.entry.status == "withdrawn":
            continue
        link = f"../entries/{entry_id}.md"
        assert link in _targets(pages[f"categories/{loaded.entry.category}.md"])
        for name in loaded.entry.frameworks:
            assert link in _targets(pages[f"frameworks/{name}.md"])


def test_rendering_does_not_depend_on_the_order_of_entries(pages: dict[str, str]) -> None:
    """The same entries in another order give the same pages."""
    collection = sample_collection()
    turned = dict(reversed(collection.entries.items()))
    again = render(Collection(turned, collection.problems, collection.broken))
    assert list(again.items()) == list(pages.items())


def test_drafts_have_no_page() -> None:
    """A draft is not shown, and links to it only name it."""
    collection = sample_collection()
    draft = collection.entries["sample-peer-waits"]
    draft = draft._replace(entry=draft.entry.model_copy(update={"status": "draft"}))
    entries = {**collection.entries, draft.id: draft}
    pages = render(collection._replace(entries=entries))
    assert "entries/sample-peer-waits.md" not in pages
    assert not [path for path, text in pages.items() if "sample-peer-waits.md" in text]
    assert "`sample-peer-waits`" in pages["entries/sample-writer-stalls.md"]


def test_two_pages_with_one_path_are_refused() -> None:
    """A hand-written page does not silently replace one that is made from entries."""
    with pytest.raises(ValueError, match=r"^two pages have one path: index\.md$"):
        render(sample_collection(), {"index.md": "mine\n"})


def test_hand_written_pages_pass_unchanged(pages: dict[str, str]) -> None:
    """What is not made from entries stands beside it as it was written."""
    beside = render(sample_collection(), {"checker.md": "# Checker\n"})
    assert beside == {**pages, "checker.md": "# Checker\n"}


def test_a_former_id_leads_to_the_entry(pages: dict[str, str]) -> None:
    """The page under a former id leads on at once."""
    assert pages["entries/sample-save-hangs.md"] == (
        "---\n"
        'title: "Sample trainer: a save to a shared folder never returns from write()"\n'
        'hide: ["navigation"]\n'
        'template: "redirect.html"\n'
        'redirect: "../sample-writer-stalls/"\n'
        "---\n"
        "\n"
        "# Sample trainer: a save to a shared folder never returns from `write()`\n"
        "\n"
        "This page has moved: [Sample trainer: a save to a shared folder never returns from "
        "`write()`](sample-writer-stalls.md).\n"
    )


def test_a_hub_compares_its_failures(pages: dict[str, str]) -> None:
    """A hub says how many there are, and compares them in a table that a script can sort."""
    _, _, hub = pages["frameworks/sample-trainer.md"].partition("# Sample trainer\n\n")
    before, _, after = hub.partition(' data-table="')
    assert before == (
        '1 failure.\n\n## Side by side { #table }\n\n<div class="comparison entries-table"'
    )
    assert after.partition("\n\n")[2] == (
        "| Failure | What you see | Kind | The run | When | Cause in | Proof |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
        "| [Sample trainer: a save to a shared folder never returns from `write()`]"
        "(../entries/sample-writer-stalls.md) | The progress bar stands still at a save; "
        "the process lives, uses no CPU, and `kill -9` does not end it. | Hang | hangs | "
        "save, shutdown | storage | reproduced |\n"
        "\n"
        "</div>\n"
    )


def test_a_large_hub_folds_its_phases() -> None:
    """Titles of many failures do not push the table out of sight; what is folded is counted."""
    collection = sample_collection()
    stalls = collection.entries["sample-writer-stalls"]
    entries = {
        name: stalls._replace(
            id=name, entry=stalls.entry.model_copy(update={"phase": [phase], "aliases": []})
        )
        for number in range(24)
        for name, phase in [(f"sample-{number}", "save" if number else "launch")]
    }
    hub = render(collection._replace(entries=entries))["frameworks/pytorch.md"]
    assert '\n\n??? phase "At launch (1)"\n\n    -   [Sample trainer: ' in hub
    assert '\n\n??? phase "When saving (23)"\n\n    -   [Sample trainer: ' in hub
    assert hub.index("??? phase") < hub.index("{ #table }")


def test_every_hub_opens_with_how_failures_come_about() -> None:
    """Each category, phase and layer has its words; a framework has them, or none."""
    assert openings.CATEGORY_OPENINGS.keys() == labels.CATEGORIES.keys()
    assert openings.PHASE_OPENINGS.keys() == labels.PHASES.keys()
    assert openings.LAYER_OPENINGS.keys() == labels.LAYERS.keys()
