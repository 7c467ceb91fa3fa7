"""Another id for an entry, in all that names it."""

from pathlib import Path

from generator.renaming import renamed_texts

OWN, OTHER = Path("entries/spool-full.md"), Path("entries/spool-full-again.md")


def renamed(own: str, other: str) -> dict[Path, str]:
    """Rename spool-full in two texts."""
    return renamed_texts({OWN: own, OTHER: other}, OWN, "spool-full", "spool-folder-full")


def test_the_old_id_becomes_an_alias() -> None:
    """An entry without aliases gets a list below its date; one with them gets one more."""
    assert renamed("title: x\nupdated: 2026-11-30\nkind: stop\n", "") == {
        OWN: "title: x\nupdated: 2026-11-30\naliases: [spool-full]\nkind: stop\n"
    }
    assert renamed("updated: 2026-11-30\naliases: [spool-gone]\n", "") == {
        OWN: "updated: 2026-11-30\naliases: [spool-gone, spool-full]\n"
    }


def test_what_names_the_entry_names_it_anew() -> None:
    """Relations and links change; a longer id, a path and an address do not."""
    text = (
        "refines: [spool-full, spool-full-again, no-spool-full]\n"
        "- {id: spool-full}\n"
        "`spool-full`, [x](../entries/spool-full.md#fix), https://example.org/spool-full\n"
        "tests/logs/spool-full/a.log spool-full.log\n"
    )
    assert renamed("updated: 2026-11-30\n", text)[OTHER] == (
        "refines: [spool-folder-full, spool-full-again, no-spool-full]\n"
        "- {id: spool-folder-full}\n"
        "`spool-folder-full`, [x](../entries/spool-folder-full.md#fix), "
        "https://example.org/spool-full\n"
        "tests/logs/spool-full/a.log spool-full.log\n"
    )
