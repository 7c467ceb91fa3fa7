"""Keep the quoted output in the project's documents what the checker really prints.

A quotation is a marker, `<!-- output: PATH, first N lines -->`, and the code block below it.
"""

import re
import subprocess
import sys
from pathlib import Path

CHECKER = "dist/trainwreck.py"
DOCUMENTS = ("README.md", "site_overrides/pages/diagnosis.md")

_QUOTATION = re.compile(
    r"<!-- output: (?P<path>\S+), first (?P<lines>\d+) lines -->\n\n```\n(?P<text>.*?)```\n",
    re.DOTALL,
)


def with_output(root: Path, text: str) -> str:
    """Return the text of a document with every quotation made anew by the built checker."""

    def quoted(found: "re.Match[str]") -> str:
        path, lines = found["path"], int(found["lines"])
        report = _report(root, path).splitlines()
        shown = report[:lines] + (["..."] if len(report) > lines else [])
        body = "\n".join([f"$ python3 {CHECKER} {path}", *shown])
        return f"<!-- output: {path}, first {lines} lines -->\n\n```\n{body}\n```\n"

    return _QUOTATION.sub(quoted, text)


def _report(root: Path, path: str) -> str:
    done = subprocess.run(
        [sys.executable, "-I", "-S", CHECKER, path],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.stderr:
        raise ValueError(f"the checker complains of {path}: {done.stderr}")
    return done.stdout
