"""The page of one entry while it is written: what was saved enters, the page's Markdown leaves."""

from collections.abc import Sequence
from pathlib import Path

from generator.errors import Problem
from generator.lint.registry import findings_of
from generator.load import Collection, Loaded, load_file
from generator.pages.entry import entry_page
from generator.pages.head import front_matter
from generator.pages.markup import box, paragraphs
from generator.pages.shown import View, choose
from generator.reporting import as_text, counted

_DRAFT = "This is a draft: it has no page on the site, and is in no checker."


class Preview:
    """All entries as they were last readable, and the page of each as it would be now."""

    def __init__(self, collection: Collection) -> None:
        """Begin with what lies on disk."""
        self.collection = collection

    def is_published(self, entry_id: str) -> bool:
        """Tell whether the site has a page of the entry anyway."""
        found = self.collection.entries.get(entry_id)
        return found is not None and found.entry.status != "draft"

    def saved(self, file: Path, path: str) -> str:
        """Read one entry again and write its page, with its problems on top.

        A file that cannot be read as an entry leaves the page as it was last, below the problems.
        """
        loaded, _, problems = load_file(path, file)
        if loaded is not None:
            entries = {**self.collection.entries, file.stem: loaded}
            self.collection = self.collection._replace(entries=dict(sorted(entries.items())))
            problems = findings_of(loaded, self.collection)
        last = self.collection.entries.get(file.stem)
        if last is None:
            head = front_matter(file.stem, "An entry that cannot be read yet.")
            return paragraphs(head, f"# {file.stem}", _problem_box(problems))
        return _below_title(self._page(last), _boxes(last, problems))

    def _page(self, loaded: Loaded) -> str:
        shown_as = loaded
        if loaded.entry.status == "draft":
            published = loaded.entry.model_copy(update={"status": "published"})
            shown_as = loaded._replace(entry=published)
        entries = {**self.collection.entries, loaded.id: shown_as}
        return entry_page(View(shown_as, choose(entries.values())))


def _boxes(loaded: Loaded, problems: Sequence[Problem]) -> str:
    draft = box("note", "Draft", _DRAFT) if loaded.entry.status == "draft" else ""
    return paragraphs(_problem_box(problems), draft)


def _problem_box(problems: Sequence[Problem]) -> str:
    """Show problems as the command line does; nothing in them is markup."""
    if not problems:
        return ""
    text = as_text(sorted(problems)).rstrip("\n")
    fence = "`" * 3
    while fence in text:
        fence += "`"
    return box("failure", counted(len(problems), "problem"), f"{fence}text\n{text}\n{fence}")


def _below_title(page: str, boxes: str) -> str:
    """Put boxes between the title of a page and what follows."""
    if not boxes:
        return page
    lines = page.split("\n")
    title = next(number for number, line in enumerate(lines) if line.startswith("# "))
    return "\n".join([*lines[: title + 1], "", boxes, "", *lines[title + 1 :]])
