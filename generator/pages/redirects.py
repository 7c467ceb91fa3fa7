"""Pages under the former ids of entries, so that old links and printed ids lead somewhere."""

from generator.pages.head import front_matter
from generator.pages.shown import Shown, title_of
from generator.pages.text import link


def redirect_pages(shown: Shown) -> dict[str, str]:
    """Write one page for every former id."""
    return {
        f"entries/{alias}.md": _moved(item.id, title_of(item.entry), item.entry.title)
        for item in shown.items
        for alias in item.entry.aliases
    }


def _moved(entry_id: str, written: str, title: str) -> str:
    return "\n\n".join(
        (
            front_matter(
                title,
                template="redirect.html",
                redirect=f"../{entry_id}/",
            ),
            f"# {written}",
            f"This page has moved: {link(written, f'{entry_id}.md')}.",
        )
    )
