"""The reference of the checker's probes, made from their registry and the facts that they give."""

import inspect
from collections.abc import Sequence

from checker.facts import fact_kinds
from checker.probe.registry import JobProbe, Probe, job_probes, probes
from generator.pages.head import front_matter
from generator.pages.markup import heading, paragraphs, table, wrapped
from generator.pages.text import code, prose

_SYSTEMS = {"darwin": "macOS", "win32": "Windows"}
_TYPES = {"text": "text", "number": "number", "truth": "yes or no", "list": "list of texts"}


def probe_reference() -> str:
    """Write the page: each probe with what it asks, and each fact with what it means."""
    title = "Probe reference"
    lists = [probe.gives for probe in probes()] + [probe.gives for probe in job_probes()]
    given = {name for names in lists for name in names.split()}
    others = [name for name in fact_kinds() if name not in given]
    return paragraphs(
        front_matter(title, "What the checker asks a machine, and what it learns."),
        f"# {title}",
        "This page is made from the list of the checker's probes. [How detection works]"
        "(../detection.md#machine) tells when they are asked and how their facts count. A fact has "
        "a value, or the reason why it is unknown; `--format json` shows all of them.",
        heading("What it asks of a machine", "machine"),
        *(_section(probe) for probe in probes()),
        heading("What it asks of a run", "run"),
        "These are asked where a run was found, without a path or with `--pid`.",
        *(_section(probe) for probe in job_probes()),
        heading("What two looks at the processes tell", "processes"),
        "[What runs](../detection.md#live) explains these.",
        _facts(others),
    )


def _section(probe: Probe | JobProbe) -> str:
    name = probe.run.__name__.removeprefix("probe_")
    words = name.replace("_", " ").replace("gpu", "GPU").replace("nccl ras", "NCCL RAS")
    text = inspect.getdoc(probe.run) or ""
    return paragraphs(
        heading(words[:1].upper() + words[1:], name.replace("_", "-"), 3),
        *(prose(" ".join(part.split())) for part in text.split("\n\n")),
        _how(probe),
        _facts(probe.gives.split()),
    )


def _how(probe: Probe | JobProbe) -> str:
    said = [
        "Can block, and is asked in a child process with a time limit."
        if probe.blocks
        else "Reads texts of the kernel, which do not block."
    ]
    if probe.first is not None:
        said.append("Is looked at twice.")
    if probe.elsewhere:
        said.append(f"Also on {' and '.join(_SYSTEMS[name] for name in probe.elsewhere)}.")
    if probe.root_adds:
        said.append("As root it tells more: " + probe.root_adds[:1].lower() + probe.root_adds[1:])
    return prose(" ".join(said))


def _facts(names: Sequence[str]) -> str:
    kinds = fact_kinds()
    rows = (
        (
            code(name),
            _TYPES[kinds[name].type] + (f", in {kinds[name].unit}" if kinds[name].unit else ""),
            prose(kinds[name].meaning + ("" if kinds[name].lasting else " Holds while it runs.")),
        )
        for name in names
    )
    return wrapped("comparison keys", table(("Fact", "Value", "Meaning"), rows))
