"""Checks beyond what the broken samples show: their other branches, and what they let pass."""

from pathlib import Path

import pytest

from generator.lint import check

SAMPLES = Path(__file__).parents[1] / "lint_samples"
BASE = (SAMPLES / "circular-refines" / "circular-refines.md").read_text(encoding="utf-8")
OTHER = (SAMPLES / "one-sided-confusion" / "other-failure.md").read_text(encoding="utf-8")
RELATIONS = "relations: {refines: [other-failure]}\n"
SIGNATURES = "  signatures:\n    - strong: full\n"
FIRST_URL = next(line for line in BASE.splitlines(True) if "url: " in line).strip("- \n") + "\n"
LOG = '"SampleSpoolError: spool <path:spool> has <size:free> left"'


def problems(folder: Path, **files: str) -> list[str]:
    """Check entries, named by their stems, and give the first line of each problem."""
    for stem, text in files.items():
        (folder / f"{stem.replace('_', '-')}.md").write_text(text, encoding="utf-8")
    _, found = check(folder)
    return [f"{p.path.rpartition('/')[2]}:{p.line}: {p.code}: {p.message}" for p in found]


def entry(*changes: tuple[str, str]) -> str:
    """Make a clean entry without relations, and change it."""
    text = BASE.replace(RELATIONS, "")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def detecting(signs: str, signatures: str) -> str:
    """Make an entry with more signs and other signatures."""
    return entry((SIGNATURES, f"{signs}  signatures:\n{signatures}"))


def related(text: str, relations: str) -> str:
    """Give an entry relations."""
    return text.replace("symptoms:\n", f"relations: {relations}\nsymptoms:\n", 1)


def test_unchanged_entry_is_clean(tmp_path: Path) -> None:
    """The entry that these tests change has no problem, with or without another one."""
    assert problems(tmp_path, a_failure=entry(), other_failure=OTHER) == []


class TestRelations:
    """How entries stand to each other."""

    def test_circle_of_three_is_one_problem(self, tmp_path: Path) -> None:
        """A circle is reported once, with its whole way."""
        texts = {"a": entry(), "b": OTHER, "c": OTHER.replace("locked by", "held by")}
        for name, general in (("a", "b"), ("b", "c"), ("c", "a")):
            texts[name] = related(texts[name], f"{{refines: [{general}]}}")

        found = [line for line in problems(tmp_path, **texts) if "circular" in line]

        assert found == [
            "a.md:16: circular-refines: the entries refine each other in a circle:"
            " 'a' -> 'b' -> 'c' -> 'a'"
        ]

    def test_what_leads_into_a_circle_is_not_in_it(self, tmp_path: Path) -> None:
        """Only the entries of the circle are named."""
        texts = {
            "a": related(entry(), "{refines: [b]}"),
            "b": related(OTHER, "{refines: [c]}"),
            "c": related(OTHER.replace("locked by", "held by"), "{refines: [b]}"),
        }

        (found,) = [line for line in problems(tmp_path, **texts) if "circular" in line]

        assert found.startswith("b.md:16:")
        assert "'a'" not in found

    def test_entry_that_refines_itself_is_one_problem(self, tmp_path: Path) -> None:
        """An entry that names itself is no circle besides."""
        text = related(entry(), "{refines: [a]}")

        assert problems(tmp_path, a=text) == ["a.md:16: self-relation: the entry names itself"]

    def test_mutual_confusion_is_clean(self, tmp_path: Path) -> None:
        """Two entries that name each other say how to tell them apart from both sides."""
        one = related(entry(), "{confused_with: [{id: b, tell: Only it names the folder.}]}")
        two = related(OTHER, "{confused_with: [{id: a, tell: Only it names a lock.}]}")

        assert problems(tmp_path, a=one, b=two) == []

    def test_broken_entry_spawns_no_unknown_id(self, tmp_path: Path) -> None:
        """Who names an entry that cannot be read does nothing wrong."""
        one = related(entry(), "{leads_to: [b], confused_with: [{id: b, tell: It has no lock.}]}")

        assert problems(tmp_path, a=one, b=OTHER.replace("phase: save", "phase: x")) == [
            "b.md:4: unknown-value: 'x' is not allowed here"
        ]

    def test_damage_needs_the_next_attempt(self, tmp_path: Path) -> None:
        """What only damages leads to nothing in its own attempt."""
        one = related(entry(("effect: dies", "effect: damages")), "{leads_to: [b]}")
        two = related(entry(("effect: dies", "effect: [dies, damages]")), "{leads_to: [b]}")

        assert problems(tmp_path, a=one, b=OTHER) == [
            "a.md:16: chain-across-attempts: an entry that only damages cannot lead to 'b' in the"
            " same attempt"
        ]
        assert problems(tmp_path, a=two) == []

    def test_condition_is_a_sign_of_its_own(self, tmp_path: Path) -> None:
        """An exact entry may share the text, if a condition tells it apart."""
        exact = related(
            entry(("strong: full", "strong: [full, {compare: free > 1GiB}]")), "{refines: [b]}"
        )
        general = OTHER.replace(
            '"SampleSpool: spool <path:spool> is locked by another writer"', LOG
        )

        assert problems(tmp_path, a=exact, b=general) == []

    def test_alias_of_two_entries(self, tmp_path: Path) -> None:
        """A former id belongs to one entry."""
        one, two = (
            text.replace("status:", "aliases: [old]\nstatus:", 1) for text in (entry(), OTHER)
        )

        assert problems(tmp_path, a=one, b=two) == [
            "b.md:7: duplicate-alias: 'old' is also a former id of 'a'"
        ]

    def test_alias_of_a_page_of_the_site(self, tmp_path: Path) -> None:
        """A former id does not take the place of a page that is no entry's."""
        text = entry(("status:", "aliases: [index]\nstatus:"))

        assert problems(tmp_path, a=text) == [
            "a.md:7: duplicate-alias: 'index' is also a page of the site"
        ]

    def test_also_of_examples_is_checked(self, tmp_path: Path) -> None:
        """An example may only name entries that exist."""
        text = entry(("name: a spool that became free\n", "name: free\n      also: [nobody]\n"))

        assert problems(tmp_path, a=text) == ["a.md:45: unknown-id: no entry is called 'nobody'"]


class TestAddresses:
    """What a reference may point to."""

    @pytest.mark.parametrize(
        "url", ["https://me:secret@example.org/x", "https://[::1/x", "https://host:99999/x"]
    )
    def test_no_public_page(self, url: str, tmp_path: Path) -> None:
        """A password is never published, and what cannot be taken apart is no address."""
        text = BASE.replace(RELATIONS, "").replace(FIRST_URL, f"url: {url}\n", 1)

        found = [line.split(": ")[1] for line in problems(tmp_path, a=text)]

        assert "bad-url" in found

    def test_turned_text(self, tmp_path: Path) -> None:
        """A character that turns the text around it is seen by nobody who reviews it."""
        text = entry(("kind: failure\n", "kind: failure # \u202e\n"))

        assert problems(tmp_path, a=text) == [
            "a.md:10: control-character: there is an invisible character, U+202E"
        ]


class TestSizes:
    """What is too large to be meant is a problem at its place, and no defect."""

    @pytest.mark.parametrize(
        ("sign", "found"),
        [
            ("{exit: {code: " + "9" * 5000 + "}}", "out-of-range"),
            ("{exit: {code: 0x" + "f" * 5000 + "}}", "out-of-range"),
            ("{regex: 'spool is full now a{99999999999999999999}'}", "bad-regex"),
            ("{regex: '[[a]spool is full now, so that'}", "bad-regex"),
            ("{regex: '" + "(" * 500 + "spool is full" + ")" * 500 + "'}", "bad-regex"),
            ("{version: torch, range: '>=" + "9" * 150 + "'}", "malformed-range"),
            ("{version: torch, range: '>=" + "9" * 5000 + "'}", "too-long"),
        ],
    )
    def test_of_signs(self, sign: str, found: str, tmp_path: Path) -> None:
        """The place and a short message are given."""
        sign = "{log: " + sign + "}" if "regex" in sign else sign
        text = detecting(f"    big: {sign}\n", "    - strong: [full, big]\n")

        lines = problems(tmp_path, a=text)

        assert found in [line.split(": ")[1] for line in lines]
        assert max(map(len, lines)) < 300

    def test_of_comparisons(self, tmp_path: Path) -> None:
        """A number beyond all numbers is not compared with."""
        text = entry(("strong: full", "strong: [full, {compare: free > " + "9" * 400 + "}]"))

        assert [line.split(": ")[1] for line in problems(tmp_path, a=text)] == ["too-long"]


class TestSigns:
    """Signs and signatures."""

    EXIT = "    ended: {exit: {signal: 9}}\n    still: {progress: stopped}\n"

    @pytest.mark.parametrize(
        ("signature", "refused"),
        [
            ("decisive: [full, ended, still]", False),
            ("decisive: [ended, still]", True),
            ("{strength: decisive, any: [full, ended], all: [still]}", True),
            ("{strength: decisive, any: [ended, still], all: [full]}", False),
            ("{strength: decisive, all: [ended, {same: [pid]}], any: [still]}", True),
            ("strong: [ended, still]", False),
        ],
    )
    def test_circumstances_are_not_decisive(
        self, signature: str, refused: bool, tmp_path: Path
    ) -> None:
        """A signature that could be met by circumstances alone is not decisive."""
        text = detecting(self.EXIT, f"    - {signature}\n    - weak: [full, ended, still]\n")

        assert any("circumstantial" in line for line in problems(tmp_path, a=text)) is refused

    @pytest.mark.parametrize(
        ("recovers", "found"),
        [
            ("progress", []),
            ("full", []),
            ("series", ["no sign is a metric whose series could be good again"]),
            ("later", ["'later' shows no recovery"]),
        ],
    )
    def test_recoveries(self, recovers: str, found: list[str], tmp_path: Path) -> None:
        """Progress and signs show recovery; a series only where a metric is a sign."""
        text = entry(("kind: failure\n", f"kind: failure\nrecovers: {recovers}\n"))

        assert problems(tmp_path, a=text) == [f"a.md:11: unknown-recovery: {m}" for m in found]

    def test_stop_does_not_recover(self, tmp_path: Path) -> None:
        """What was ended on purpose does not come back by itself."""
        text = entry(("kind: failure\n", "kind: stop\nrecovers: progress\n"))

        assert problems(tmp_path, a=text) == [
            "a.md:11: unknown-recovery: a stop passes by no such thing"
        ]

    def test_signs_named_by_missing_signs_and_conditions_are_used(self, tmp_path: Path) -> None:
        """A sign is used wherever its name stands."""
        signs = (
            '    went_on: "Sample trainer saved checkpoint number <n>"\n'
            "    silent: {missing: went_on, after: full}\n"
        )
        text = detecting(signs, "    - strong: [{order: [full, silent]}, full]\n")

        assert problems(tmp_path, a=text) == []

    def test_joining_keys_and_kinds_need_no_capture(self, tmp_path: Path) -> None:
        """What the checker knows by itself may be joined and compared on."""
        text = detecting(
            "    ended: {exit: {signal: 9}}\n",
            "    - strong: [full, ended, {same: [rank, host]}, {compare: signal == 9}]\n",
        )

        assert problems(tmp_path, a=text) == []

    def test_refused_pattern_spawns_no_unknown_capture(self, tmp_path: Path) -> None:
        """Where a text cannot be compiled its captures are not missed."""
        text = entry(
            ("<path:spool>", "<pth:spool>"), ("- strong: full", "- strong: [full, {same: [spool]}]")
        )

        assert problems(tmp_path, a=text) == [
            "a.md:26: bad-placeholder: unknown placeholder '<pth:spool>'"
        ]

    def test_capture_pieces_and_heads_are_checked(self, tmp_path: Path) -> None:
        """Texts beside a sign's own wording follow the same rules, but may be short."""
        signs = (
            "    late:\n"
            '      log: "SampleSpoolError: the spool is late"\n'
            '      capture: ["by <ms:late>", "<size><size:x>y"]\n'
            '      under: "<word>"\n'
        )

        assert problems(tmp_path, a=detecting(signs, "    - strong: [full, late]\n")) == [
            "a.md:29: touching-placeholders: the placeholders '<size><size:x>' touch",
            "a.md:30: no-literal: there is no fixed text",
        ]


class TestFacts:
    """Facts that are asked for and given."""

    def test_types_of_facts(self, tmp_path: Path) -> None:
        """A list holds or lacks a text, a number is above another, a text contains one."""
        signs = (
            "    waits: {fact: process.state, is: contains, value: D}\n"
            "    kills: {fact: memory.oom_kills, is: above, value: 0}\n"
            "    mount: {fact: checkpoint.mount.type, is: equals, value: 9p}\n"
        )
        text = detecting(signs, "    - strong: [full, waits, kills, mount]\n")

        assert problems(tmp_path, a=text) == []

    def test_facts_of_examples_are_checked(self, tmp_path: Path) -> None:
        """The facts of an example are known and of their type."""
        text = entry(
            (
                "name: a spool that became free\n",
                "name: free\n      facts: {process.state: D, memory.kills: 1}\n",
            )
        )

        assert problems(tmp_path, a=text) == [
            "a.md:45: wrong-fact-value: 'process.state' is a list of texts",
            "a.md:45: unknown-fact: no fact is called 'memory.kills'",
        ]


class TestBody:
    """Headings and what stands below them."""

    def test_level_of_a_heading(self, tmp_path: Path) -> None:
        """A fixed heading of another level is not the heading."""
        text = entry(("## Why it happens", "### Why it happens"))

        assert problems(tmp_path, a=text) == ["a.md:54: bad-heading: the heading is of level 3"]

    def test_code_alone_is_no_answer(self, tmp_path: Path) -> None:
        """A section is told in words."""
        block = "```text\none two three four five six seven eight nine ten\n```\n"
        text = entry() + f"\n## Why only sometimes\n\n{block}"

        assert problems(tmp_path, a=text) == [
            "a.md:58: empty-section: there is nothing below the heading"
        ]

    def test_entry_without_a_body(self, tmp_path: Path) -> None:
        """Every required section that is missing is named."""
        text = entry()
        text = text[: text.index("## What it looks")]

        assert problems(tmp_path, a=text) == [
            "a.md:47: missing-heading: the section 'What it looks like in production' is missing",
            "a.md:47: missing-heading: the section 'Why it happens' is missing",
        ]

    def test_placeholder_in_the_body(self, tmp_path: Path) -> None:
        """A mark of unwritten text is found at its line, but not inside code."""
        text = entry() + "\nThe rest is\nTBD.\n\n```\nTODO\n```\n"

        assert problems(tmp_path, a=text) == ["a.md:59: placeholder-text: 'TBD' is no answer"]


class TestProse:
    """Sentences."""

    def test_short_sentences_may_be_repeated(self, tmp_path: Path) -> None:
        """Common short sentences are nobody's."""
        one = entry() + "\nNothing is lost.\n"

        assert problems(tmp_path, a=one, b=OTHER + "\nNothing is lost.\n") == []

    def test_commands_and_logs_may_be_repeated(self, tmp_path: Path) -> None:
        """What is run or printed is the same in every entry that shows it."""
        other = OTHER.replace(
            "check: List the lock file with its time.",
            "check: List the lock file with its time.\n"
            "    run: df -h /var/spool/sample-trainer # and a comment that is long enough to count",
        )
        one = entry(
            ("run: df -h /var/spool/sample-trainer", other[other.index("run: df") :].split("\n")[0])
        )

        assert problems(tmp_path, a=one, b=other) == []

    def test_wrapped_sentence_is_the_same(self, tmp_path: Path) -> None:
        """Where a line ends makes no difference."""
        wrapped = "The writer puts the whole checkpoint into\nthe spool folder before it moves it."

        assert problems(tmp_path, a=entry(), b=f"{OTHER}\n{wrapped}\n") == [
            "b.md:57: repeated-sentence: the sentence 'The writer puts the whole checkpoint into"
            f" the spool folde...' also stands in {tmp_path.as_posix()}/a.md:56"
        ]


class TestCode:
    """Snippets."""

    @pytest.mark.parametrize(
        ("language", "text", "wrong"),
        [
            ("python", "  x = {\n    1: 2}", False),
            ("python", "x = '\\d'", False),
            ("json", '{"a": 1,}', True),
            ("yaml", "a: [", True),
            ("toml", "a = ", True),
            ("ini", "a = 1", True),
            ("ini", "[a]\nb = %x", False),
            ("bash", "for (", False),
        ],
    )
    def test_languages(self, language: str, text: str, wrong: bool, tmp_path: Path) -> None:
        """Snippets of the languages that we can read are read."""
        lines = "".join(f"      {line}\n" for line in text.split("\n"))
        snippet = (
            f"code:\n  - stack: Sample trainer\n    language: {language}\n"
            f"    after: |2\n{lines}    why: The scratch disk holds more.\n"
        ).replace("|2", "|" if not text.startswith(" ") else "|2")
        entry_text = entry(("references:\n", f"{snippet}references:\n"))

        assert any("code-syntax" in line for line in problems(tmp_path, a=entry_text)) is wrong


class TestStatus:
    """What drafts may still lack, and what published entries may not keep of the sample."""

    def test_published_entry_is_no_copy_of_the_sample(self, tmp_path: Path) -> None:
        """Each address that is reserved for examples is named, and a title that says sample."""
        text = entry(("status: draft", "status: published"))
        addresses = [
            "https://example.org/sample-trainer/issues/17",
            "https://www.example.com/",
            "https://docs.sample.test",
        ]
        for url in addresses:
            found = problems(tmp_path, a=text.replace(addresses[0], url))
            assert [line for line in found if "left-over-sample" in line] == [
                "a.md:2: left-over-sample: the title is that of a sample",
                "a.md:34: left-over-sample: the address is reserved for examples, and nothing is "
                "there",
            ]
        found = problems(tmp_path, a=text.replace(addresses[0], "https://notexample.org/a.test"))
        assert [line for line in found if "the address" in line] == []

    def test_draft_may_lack_examples(self, tmp_path: Path) -> None:
        """Both kinds of examples are asked of what is published."""
        text = entry()
        text = text[: text.index("examples:")] + "examples: {}\n" + text[text.index("proof:") :]

        assert problems(tmp_path, a=text) == []

    def test_reproduced_names_a_program(self, tmp_path: Path) -> None:
        """Without the name of a program nobody can do it again."""
        text = entry(("level: source", "level: reproduced"))

        assert problems(tmp_path, a=text) == ["a.md:47: unknown-program: no program is named"]
