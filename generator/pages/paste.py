"""The page that diagnoses a log in the browser, and the logs that it offers to try."""

import json
from collections.abc import Iterator

from generator.model import Example
from generator.pages.head import front_matter
from generator.pages.markup import bullets, heading, paragraphs
from generator.pages.shown import Shown
from generator.pages.text import plain

_PATH = "paste"
PYTHON_PAGES = (f"{_PATH}/index.html",)
"""The pages of the site that may run Python."""
_MOST_SAMPLES = 6

_LEAD = """\
Drop what the run left behind. The checker reads it **here, in this tab: nothing leaves your
machine**, and it tells you which rank failed first, why, and how sure it is.
{ .lead }"""

_WITHOUT = """\
This copy of the site was built without the Python that runs in a browser. Use
[the checker](checker.md) instead: it is one file, and needs only the Python that is there."""

_ANSWERS = (
    (
        "What leaves this machine?",
        "leaves",
        "Nothing. The page loads Python and [`trainwreck.py`](trainwreck.py), the very file that "
        "you can download, from the server of this site, and reads your files where they lie. A "
        "policy in the head of the page makes the browser refuse any request to another server, in "
        "the page and in the worker that runs Python. Nothing is stored: close the tab, and all of "
        "it is gone. If you want to be sure, try a sample first, and then take the network away.",
    ),
    (
        "What can I give it?",
        "inputs",
        "Files, folders as launchers leave them, archives (`.tar`, `.gz`, `.bz2`, `.xz`), "
        "notebooks, and text from the clipboard. Give it the logs of *all* ranks together, and the "
        "kernel's log of the host if you have it. Files are read in pieces, so that they may be "
        "larger than the memory of the tab.",
    ),
    (
        "What can it not see?",
        "limits",
        "The machine itself. [The checker](checker.md) on the node also reads the host's kernel "
        "log, mounts and memory limits with `--machine`, and it is several times faster there.",
    ),
)


def paste_pages(shown: Shown, has_runtime: bool, sha256: str) -> dict[str, str]:
    """Write the page, and beside it the samples as data."""
    samples = list(_samples(shown)) if has_runtime else []
    page = paragraphs(
        front_matter(
            "Paste your log",
            "Diagnose the logs of a training run in your browser. Nothing leaves your machine.",
            hide=["navigation", "toc"],
            template="paste.html",
            runtime=has_runtime,
            samples=[{"name": name, "at": at} for at, (name, _) in enumerate(samples)],
        ),
        "# Paste your log",
        _LEAD if has_runtime else _WITHOUT,
        # The template puts the form where this stands.
        "<!-- form -->" if has_runtime else "",
        *(
            block
            for question, anchor, answer in _ANSWERS
            if has_runtime
            for block in (heading(question, anchor), answer)
        ),
        heading("The checker as a file", "file"),
        bullets(
            (
                "[`trainwreck.py`](trainwreck.py): Python 3.8 or newer, no package, no network",
                f"SHA-256: `{sha256}`",
            )
        ),
    )
    logs = [{"name": name, "files": files} for name, files in samples]
    data = {f"{_PATH}-samples.json": json.dumps(logs, indent=1) + "\n"} if has_runtime else {}
    return {f"{_PATH}.md": page, **data}


def _samples(shown: Shown) -> Iterator[tuple[str, dict[str, str]]]:
    """Choose logs of real runs: of several entries, those with the most to read."""
    captured = [
        (plain(item.entry.title), example)
        for item in shown.listed
        for example in item.entry.examples.diagnosed
        if example.origin == "captured"
    ]
    longest: dict[str, Example] = {}
    for title, example in captured:
        if title not in longest or _length(example) > _length(longest[title]):
            longest[title] = example
    chosen = sorted(longest.items(), key=lambda pair: (-_length(pair[1]), pair[0]))[:_MOST_SAMPLES]
    for title, example in sorted(chosen):
        yield title, dict(example.files) or {"train.log": example.log or ""}


def _length(example: Example) -> int:
    return sum(map(len, [example.log or "", *example.files.values()]))
