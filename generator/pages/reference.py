"""The references: an entry's fields, from its model; the checks of lint; the probes."""

from collections.abc import Iterator

from generator.body import HEADINGS
from generator.errors import LOAD_CODES
from generator.lint.registry import checks
from generator.pages.command_reference import command_pages
from generator.pages.head import front_matter
from generator.pages.labels import CATEGORIES, EFFECTS, LAYERS, PHASES, PROOFS
from generator.pages.markup import bullets, definitions, heading, paragraphs
from generator.pages.probes import probe_reference
from generator.pages.schema_fields import schema_fields
from generator.pages.text import code, prose
from generator.schema import entry_schema, report_schema

_MATRIX = (("[The matrix](matrix.md)", "What the checker makes of every example of every entry."),)


def reference_pages(has_matrix: bool = False) -> dict[str, str]:
    """Write the references, and the page that leads to all that is looked up.

    *has_matrix* says that the page of the matrix is there.
    """
    return {
        **command_pages(),
        "reference/index.md": _references(has_matrix),
        "reference/entry.md": _entry_reference(),
        "reference/lint.md": _lint_reference(),
        "reference/report.md": _report_reference(),
        "reference/probe.md": probe_reference(),
    }


def _references(has_matrix: bool) -> str:
    title = "Reference"
    return paragraphs(
        front_matter(title, "Rules, fields, formats: what is looked up."),
        f"# {title}",
        definitions(
            (
                (
                    "[How detection works](../detection.md)",
                    "The rules by which signs become evidence, evidence a diagnosis, and one of "
                    "several diagnoses the first.",
                ),
                (
                    "[Architecture](../architecture.md)",
                    "How entries become pages and a checker, and which part may know which.",
                ),
                (
                    "[Snapshots](../snapshots.md)",
                    "What a machine shows and its logs tell, in one file; joined for many nodes; "
                    "what is masked in it.",
                ),
                (
                    "[In an editor](../editors.md)",
                    "The checker in VS Code, in code scanning, and wherever lines of a compiler "
                    "are understood.",
                ),
                (
                    "[For programs](../data.md)",
                    "All entries as data, the catalogue, the schema, a feed.",
                ),
                (
                    "[Probe reference](probe.md)",
                    "What the checker asks a machine, and what each fact means.",
                ),
                (
                    "[The checker's command line](commands.md)",
                    "Commands, options and exit statuses.",
                ),
                (
                    "[The contributors' command line](contributing.md)",
                    "What `trainwreck-dev` does for who writes entries.",
                ),
                ("[Entry reference](entry.md)", "Every field of an entry, for who writes one."),
                ("[The report as JSON](report.md)", "Every field of `--format json`."),
                ("[Lint reference](lint.md)", "Every problem that lint can find in an entry."),
                *_MATRIX[:has_matrix],
            )
        ),
    )


def _entry_reference() -> str:
    schema = entry_schema()
    title = "Entry reference"
    return paragraphs(
        front_matter(title, "Every field of an entry, with its allowed values."),
        f"# {title}",
        "An entry is a Markdown file: front matter between two lines `---`, then the body. This "
        "page is made from the model that checks every entry. [How detection works]"
        "(../detection.md) explains signs and signatures, and the [lint reference](lint.md) every "
        "message of the checks.",
        heading("Front matter", "entry"),
        *schema_fields(schema),
        heading("What the values mean", "values"),
        *_values(),
        heading("The body", "body"),
        "The body has these sections, in this order, each as `## Heading`:",
        bullets(_section(one.title, one.required, one.answers) for one in HEADINGS),
    )


def _section(title: str, required: bool, answers: str) -> str:
    return f"**{title}**{' (required)' if required else ''}: {prose(answers)}"


def _values() -> Iterator[str]:
    words = {
        "category": {name: label.says for name, label in CATEGORIES.items()},
        "effect": EFFECTS,
        "phase": PHASES,
        "layer": {name: f"the cause lies in {where}" for name, where in LAYERS.items()},
        "proof.level": PROOFS,
    }
    for field, meanings in words.items():
        yield f"{code(field)}:"
        yield definitions((code(value), prose(meaning)) for value, meaning in meanings.items())


def _report_reference() -> str:
    title = "The report as JSON"
    return paragraphs(
        front_matter(title, "Every field of `--format json`, for programs."),
        f"# {title}",
        "`python3 trainwreck.py --format json PATH` writes one document. Every key is always "
        "there; what is not known is `null`. Times are ISO 8601 as far as the log tells them, "
        "ranks are global. The same is the JSON Schema "
        "[`report.schema.json`](../report.schema.json), to which a test holds every report. "
        "[How to read a diagnosis](../diagnosis.md) tells what confidence and role mean.",
        heading("The document", "report"),
        *schema_fields(report_schema(), marked=False),
    )


def _lint_reference() -> str:
    title = "Lint reference"
    return paragraphs(
        front_matter(title, "Every problem that lint can find in an entry."),
        f"# {title}",
        "`trainwreck-dev lint` names each problem by one of these codes, with its place and "
        "what to do. The [entry reference](entry.md) has the fields.",
        heading("Problems of the file and its fields", "load"),
        "A file with one of these is not checked further until it is solved.",
        definitions((code(name), prose(text)) for name, text in LOAD_CODES.items()),
        heading("Checks of the content", "checks"),
        definitions((code(check.code), prose(check.text)) for check in checks().values()),
    )
