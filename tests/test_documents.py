"""What the project's own documents name is there, and what they claim of the checker is so."""

import re
from fnmatch import fnmatch

import pytest

from checker.catalogue import Catalogue, read_catalogue
from checker.match.conditions import CONDITION_JUDGES
from checker.model import CONFIDENCE
from checker.pipeline import diagnose_texts
from checker.wordings import PLACEHOLDERS
from generator import detection
from generator.catalogue import Published, compile_catalogue
from generator.commands.registry import commands as generator_commands
from generator.lint import check
from tests.needs import ROOT

DOCUMENTS = [name for name in ("README.md", "CONTRIBUTING.md") if (ROOT / name).exists()]
DETECTION = (ROOT / "site_overrides/pages/detection.md").read_text(encoding="utf-8")
# A path with this stem stands for a file that the reader chooses.
CHOSEN = "ID"
PATH = re.compile(r"\.?[\w-][\w.-]*(?:/[\w.-]+)*/?")
FILE_ENDINGS = (".md", ".toml", ".yml", ".lock", ".entries")


def read(document: str) -> str:
    """Read a document at the top of the repository."""
    return (ROOT / document).read_text(encoding="utf-8")


def spans(text: str) -> list[str]:
    """Give what stands in backticks, outside of blocks."""
    return re.findall(r"`([^`\n]+)`", text)


def named_paths(text: str) -> list[str]:
    """Give the words in backticks that can only be paths of the repository."""
    words = [word for span in spans(text) for word in span.split()]
    return sorted(
        {
            word
            for word in words
            if PATH.fullmatch(word) and ("/" in word or word.endswith(FILE_ENDINGS))
        }
    )


def commands(text: str) -> list[str]:
    """Give the command lines of a document: spans in backticks and indented blocks."""
    blocks = re.findall(r"^ {4}(\S.*)$", text, re.MULTILINE)
    return [line.partition("#")[0].strip() for line in [*spans(text), *blocks]]


def is_made(path: str) -> bool:
    """Tell whether a build makes what lies there, so that a fresh clone has it not."""
    patterns = [pattern.strip("/") for pattern in read(".gitignore").split()]
    top, _, _ = path.partition("/")
    return any(fnmatch(top, pattern) for pattern in patterns)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_that_a_document_names_exists(document: str) -> None:
    """A reader who follows a path arrives."""
    paths = [
        path
        for path in named_paths(read(document))
        if path.rpartition("/")[2].partition(".")[0] != CHOSEN and not is_made(path)
    ]
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_command_of_a_document_is_a_target(document: str) -> None:
    """What a reader types after `make` is in the Makefile."""
    targets = set(re.findall(r"^([a-z-]+):(?!=)", read("Makefile"), re.MULTILINE))
    typed = [line.split()[1:] for line in commands(read(document)) if line.split()[:1] == ["make"]]
    assert typed
    assert [
        word for words in typed for word in words if "=" not in word and word not in targets
    ] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_generator_command_of_a_document_is_registered(document: str) -> None:
    """What a reader types after `trainwreck-dev` or `python -m generator` is a command."""
    typed = re.findall(r"(?:python -m generator|trainwreck-dev) (\w+)", read(document))
    assert [name for name in typed if name not in generator_commands()] == []


def rows(heading: str, text: str = DETECTION) -> dict[str, str]:
    """Give the first table below a heading: what the first cell names, and the rest of the row."""
    below = text[text.index(heading) :]
    table = re.search(r"(?:^\|.*\n)+", below, re.MULTILINE)
    assert table
    cells = [line.split("|")[1:-1] for line in table.group().splitlines()[2:]]
    return {row[0].strip().strip("`*"): "|".join(row[1:]) for row in cells}


def test_every_kind_of_sign_is_told_with_its_fields() -> None:
    """The page has each kind of sign, in the order of the model, with every field it may have."""
    told = rows("{ #signs }")
    assert tuple(told) == detection.SIGN_KINDS
    for kind in detection.SIGN_KINDS:
        model = getattr(detection, f"{kind.capitalize()}Sign")
        fields = {field.alias or name for name, field in model.model_fields.items()} - {"onset"}
        assert set(re.findall(r"\w+", told[kind].partition("|")[0])) >= fields, kind


def test_every_condition_is_told() -> None:
    """The page has each condition, and `differ`, which goes with `same`."""
    assert set(rows("{ #signatures }")) == {*CONDITION_JUDGES, "differ"}


def test_every_placeholder_is_told() -> None:
    """The page has each placeholder, in the order of the checker."""
    assert [name.strip("<>") for name in rows("### Wordings")] == list(PLACEHOLDERS)


def test_the_parts_of_an_entry_that_are_taken_apart_are_its_own() -> None:
    """What the page quotes of an entry stands in it, line for line."""
    below = DETECTION[DETECTION.index("{ #example }") :]
    quoted = "".join(re.findall(r"```yaml\n(.*?)```", below, re.DOTALL)).splitlines()
    entry = [line.strip() for line in read("entries/host-oom-killer.md").splitlines()]
    assert quoted
    assert [line for line in quoted if line.strip() not in entry] == []


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    """Compile the catalogue of the entries."""
    collection, _ = check(ROOT / "entries")
    compiled = compile_catalogue(
        Published(loaded.id, loaded.entry) for loaded in collection.entries.values()
    )
    return read_catalogue(compiled.rows, compiled.sha256, compiled.date)


def example_confidence(catalogue: Catalogue, names: str, facts: dict[str, int]) -> str | None:
    """Diagnose some of the logs that the page shows; tell how sure the failure is."""
    logs = dict(re.findall(r'```text title="(\S+)"\n(.*?)```', DETECTION, re.DOTALL))
    chosen = {name: logs[name] for name in re.findall(r"[a-z]+\.log", names)}
    report = diagnose_texts(catalogue, chosen, facts, {})
    found = [item for item in report.diagnoses if item.rule["id"] == "host-oom-killer"]
    return CONFIDENCE[found[0].confidence] if found else None


def test_the_example_of_confidence_is_what_the_checker_says(catalogue: Catalogue) -> None:
    """Each row of the worked example gives its confidence."""
    told = {names: rest.split("|")[1].strip() for names, rest in rows("### An example").items()}
    assert len(told) == 5
    assert {names: example_confidence(catalogue, names, {}) for names in told} == told


def test_what_speaks_against_the_example_takes_one_step_off(catalogue: Catalogue) -> None:
    """A counter that says that nothing was killed lowers each row, and removes the possible one."""
    lower = {"certain": "likely", "likely": "possible", "possible": None}
    told = {names: rest.split("|")[1].strip() for names, rest in rows("### An example").items()}
    facts = {"memory.oom_kills": 0}
    found = {names: example_confidence(catalogue, names, facts) for names in told}
    assert found == {names: lower[confidence] for names, confidence in told.items()}
