"""The products: the same bytes everywhere, checkable, and nothing in them that should not be."""

import ast
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from checker.catalogue import read_catalogue
from generator.build import products
from generator.lint import check
from tests.needs import ROOT, find_python, needs


def test_two_builds_give_the_same_bytes(built: dict[str, str]) -> None:
    """Nothing of the clock, the machine or the order of a folder is in the products."""
    collection, _ = check(ROOT / "entries")

    assert products(ROOT, collection) == built


@pytest.mark.parametrize(
    "version", [pytest.param(v, marks=needs(f"python{v}")) for v in ("3.12", "3.13")]
)
def test_another_python_assembles_the_same_script(
    version: str, built: dict[str, str], tmp_path: Path
) -> None:
    """The text does not depend on how an interpreter would print a syntax tree."""
    rows = tmp_path / "rows"
    rows.write_text("a\t[]\t{}\n")
    program = (
        "import pathlib, sys; from generator.assemble import assemble;"
        "rows = pathlib.Path(sys.argv[1]).read_text();"
        "sys.stdout.write(assemble(pathlib.Path('checker'), rows, 'x', 'y', 'z'))"
    )
    here, there = (
        subprocess.run(
            [python, "-c", program, str(rows)], cwd=ROOT, capture_output=True, check=True
        ).stdout
        for python in (sys.executable, find_python(version) or "")
    )

    assert hashlib.sha256(here).hexdigest() == hashlib.sha256(there).hexdigest()
    assert here


def test_the_checksums_are_those_of_the_files(dist: Path) -> None:
    """`sha256sum --check` accepts what is published."""
    done = subprocess.run(
        ["sha256sum", "--check", "SHA256SUMS"], cwd=dist, capture_output=True, check=False
    )

    assert done.returncode == 0
    assert done.stdout == (
        b"catalogue.json: OK\nentry.schema.json: OK\nreport.schema.json: OK\ntrainwreck.py: OK\n"
    )


def test_the_script_imports_the_standard_library_only(built: dict[str, str]) -> None:
    """Also nothing that opens a connection, and psutil only where it is asked for by a probe."""
    imported = set()
    for node in ast.walk(ast.parse(built["trainwreck.py"])):
        if isinstance(node, ast.Import):
            imported.update(item.name.split(".")[0] for item in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])

    assert imported <= set(sys.stdlib_module_names)
    assert not imported & {"socket", "ssl", "urllib", "http", "ftplib", "smtplib", "asyncio"}


def test_the_catalogue_is_the_same_in_the_script_and_as_data(built: dict[str, str]) -> None:
    """Other programs read what the checker carries, one entry a line and in plain text."""
    data = json.loads(built["catalogue.json"])
    text = "".join(
        line + "\n"
        for line in built["trainwreck.py"].splitlines()
        if line.count("\t") == 2 and "{" in line
    )
    carried = read_catalogue(text, data["sha256"], data["date"]).entries

    assert data["entries"] == [
        {"id": entry.id, "keys": list(entry.keys), **entry.rule()} for entry in carried
    ]
    assert data["date"] == max(entry["updated"] for entry in data["entries"])
