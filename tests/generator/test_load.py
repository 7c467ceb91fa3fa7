"""Loading a folder: what is an entry, what is refused, and where the parts stand."""

import os
from pathlib import Path

import pytest

from generator.load import Collection, load

SAMPLES = Path(__file__).parents[1] / "lint_samples"
GOOD = (SAMPLES / "good.md").read_text(encoding="utf-8")


def loaded(folder: Path, **files: str) -> Collection:
    """Write files, named by their stems, into a folder and load it."""
    folder.mkdir()
    for stem, text in files.items():
        (folder / f"{stem.replace('_', '-')}.md").write_text(text, encoding="utf-8")
    return load(folder)


def rendered(collection: Collection) -> str:
    """Write all problems as the person sees them."""
    return "\n".join(problem.render() for problem in collection.problems)


@pytest.fixture(autouse=True)
def _in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class TestFolder:
    """What lies in the folder of entries."""

    def test_empty_folder_is_refused(self) -> None:
        """A folder without any entry is an error, not an empty encyclopedia."""
        assert rendered(loaded(Path("entries"))) == (
            "entries:1:1: no-entries: the folder has no entry\n"
            "  help: put at least one entry into it, as entries/rank-killed.md"
        )

    def test_absent_folder_is_refused(self) -> None:
        """A folder that is not there is named."""
        assert rendered(load(Path("entries"))) == (
            "entries:1:1: no-entries: there is no such folder\n"
            "  help: put at least one entry into it, as entries/rank-killed.md"
        )

    def test_other_names_are_refused(self) -> None:
        """Only `<id>.md` is the name of an entry, and there are no folders below."""
        loaded(Path("entries"), good=GOOD)
        Path("entries/NCCL_Hang.md").write_text(GOOD, encoding="utf-8")
        Path("entries/notes.txt").write_text("x", encoding="utf-8")
        Path("entries/gpu").mkdir()
        Path("entries/.keep").write_text("", encoding="utf-8")

        assert rendered(load(Path("entries"))) == (
            "entries/NCCL_Hang.md:1:1: bad-file-name: 'NCCL_Hang.md' is not the name of an entry\n"
            "  help: rename it to 'nccl-hang.md', or move it elsewhere\n"
            "entries/gpu:1:1: bad-file-name: a folder lies among the entries\n"
            "  help: move the entries out of it: each is one file beside the others\n"
            "entries/notes.txt:1:1: bad-file-name: 'notes.txt' is not the name of an entry\n"
            "  help: rename it to 'notes.md', or move it elsewhere"
        )

    def test_names_and_kinds_of_files_that_are_no_entry(self) -> None:
        """The site's own page keeps its name, and a pipe is not waited for."""
        loaded(Path("entries"), good=GOOD, index=GOOD)
        os.mkfifo("entries/pipe.md")

        assert rendered(load(Path("entries"))) == (
            "entries/index.md:1:1: bad-file-name: the id 'index' is reserved: the site has a page"
            " of that name\n"
            "  help: rename it, as 'some-failure-index.md'\n"
            "entries/pipe.md:1:1: bad-file-name: this is no regular file\n"
            "  help: put a file with the text of the entry there"
        )

    def test_unreadable_file_is_named(self) -> None:
        """A file that cannot be read is one problem, and the others are read."""
        loaded(Path("entries"), good=GOOD)
        Path("entries/gone.md").symlink_to("nowhere")

        collection = load(Path("entries"))

        assert rendered(collection) == (
            "entries/gone.md:1:1: unreadable: cannot read: no such file or directory\n"
            "  help: check that the file exists and may be read"
        )
        assert list(collection.entries) == ["good"]


class TestLoaded:
    """What a loaded entry knows."""

    def test_id_is_the_stem(self) -> None:
        """The id comes from the file's name, and to restate it inside is an error."""
        collection = loaded(
            Path("entries"), good=GOOD, other=GOOD.replace("category:", "id: x\ncategory:")
        )

        assert rendered(collection) == (
            "entries/other.md:3:1: unknown-key: id: unknown key 'id'\n"
            "  help: remove it: the file's name without '.md' is the id"
        )
        assert list(collection.entries) == ["good"]
        assert collection.broken == {"other"}

    def test_places_of_values(self) -> None:
        """A value is found by its steps in the long form, whatever form was written."""
        entry = loaded(Path("entries"), good=GOOD).entries["good"]

        steps = ("detect", "signatures", 1, "all", 1)
        assert entry.place(steps)[1:] == (44, 27, "detect.signatures[1].weak[1]")
        steps = ("detect", "signs", "waited", "log-sign", "log", 0, "text")
        assert entry.place(steps)[1:] == (41, 13, "detect.signs.waited")
        assert entry.place_of_key(("summary", "fix"))[1:] == (17, 3, "summary.fix")

    def test_sections_by_heading(self) -> None:
        """The body is known by its headings, with the lines where they stand."""
        entry = loaded(Path("entries"), good=GOOD).entries["good"]

        section = entry.sections["Why only sometimes"]
        assert (section.line, section.text_line) == (125, 127)
        assert section.text == (
            "The spool folder is shared by the jobs of a node, so that a second job decides"
            " whether there is room."
        )

    def test_carriage_returns_and_byte_order_mark_change_nothing(self) -> None:
        """A file from another system loads as the same entry with the same places."""
        Path("entries").mkdir()
        Path("entries/good.md").write_bytes(
            b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode("utf-8")
        )

        collection = load(Path("entries"))

        assert collection.problems == []
        assert collection == loaded(Path("other"), good=GOOD)._replace(
            entries={"good": load(Path("other")).entries["good"]._replace(path="entries/good.md")}
        )


class TestNoFollowingErrors:
    """One mistake is one problem."""

    def test_misspelled_key_is_not_missing_too(self) -> None:
        """A key that was meant is not reported as absent."""
        text = GOOD.replace("  cause: The", "  cuase: The")

        assert rendered(loaded(Path("entries"), good=text)) == (
            "entries/good.md:16:3: unknown-key: summary.cuase: unknown key 'cuase'\n"
            "  help: did you mean 'cause'?"
        )

    def test_misspelled_strength_is_one_problem(self) -> None:
        """The short form of a signature is understood when its key is misspelled."""
        text = GOOD.replace("- {weak: [", "- {week: [")

        assert rendered(loaded(Path("entries"), good=text)) == (
            "entries/good.md:44:8: unknown-key: detect.signatures[1].week: unknown key 'week'\n"
            "  help: did you mean 'weak'?"
        )

    def test_trapped_value_is_one_problem(self) -> None:
        """A word that YAML misreads is not reported a second time for its type."""
        text = GOOD.replace("code: 74", "code: 074")

        assert rendered(loaded(Path("entries"), good=text)) == (
            "entries/good.md:40:26: yaml-trap: detect.signs.ended.exit.code: YAML reads 074 as"
            " the number 60\n"
            '  help: put it in quotes: "074"'
        )

    def test_union_is_one_problem_without_its_tags(self) -> None:
        """A value that fits none of several types is one problem, at the place that was written."""
        text = GOOD.replace("{exit: {code: 74}, onset: earlier}", "{fact: system.wsl, is: 1}")

        assert rendered(loaded(Path("entries"), good=text)) == (
            "entries/good.md:40:12: missing-key: detect.signs.ended.value: the key 'value' is"
            " missing\n"
            "  help: add 'value:' with true or false, a number or a text\n"
            "entries/good.md:40:35: yaml-trap: detect.signs.ended.is: YAML reads 1 as a number\n"
            '  help: put it in quotes: "1"'
        )

    def test_broken_entry_is_still_known_to_others(self) -> None:
        """An entry that cannot be read still counts as one that others may name."""
        broken = GOOD.replace("status:", "aliases: [old]\nstatus:").replace(
            "phase: save", "phase: x"
        )

        assert loaded(Path("entries"), broken=broken).broken == {"broken", "old"}
