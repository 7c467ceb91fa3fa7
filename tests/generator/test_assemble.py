"""The rules of assembly, each by a small package that breaks it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from generator.assemble import AssemblyError, assemble
from tests.needs import ROOT

INTERPRETER = '''"""Refuses old interpreters."""

import sys


def refuse_old_python(version):
    """Accept all."""
'''
CATALOGUE = '''"""Reads rows."""


def read_catalogue(rows, sha256, date):
    """Return the arguments."""
    return rows, sha256, date
'''
CLI = '''"""Prints the catalogue."""

import sys

from checker.catalogue import read_catalogue


# Why this comment stays: the script is meant to be read.
def main(argv, catalogue):
    """Print what the script carries."""
    print(argv, catalogue)
    return 3


def leave(status):
    """End with the status."""
    sys.exit(status)
'''


def package(folder: Path, **modules: str) -> Path:
    """Write a package `checker` with the modules every script needs, and these."""
    root = folder / "checker"
    root.mkdir()
    real = {
        name: (ROOT / "checker" / f"{name}.py").read_text() for name in ("later", "plain_typing")
    }
    own = {"interpreter": INTERPRETER, "catalogue": CATALOGUE, "cli": CLI}
    texts = {**real, **own, **modules}
    for name, text in texts.items():
        (root / f"{name}.py").write_text(text, encoding="utf-8")
    return root


def test_the_script_runs_and_carries_the_rows_unchanged(tmp_path: Path) -> None:
    """Quotes, backslashes and triple quotes in a row reach the program as JSON reads them."""
    rows = 'a\t[]\t{"text":"C:\\\\new \\"x\\" it\'s"}\n'
    script = tmp_path / "script.py"
    script.write_text(assemble(package(tmp_path), rows, "abc", "2026-11-30", "1.0"))

    done = subprocess.run(
        [sys.executable, "-I", "-S", script, "x"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout == f"['x'] ({chr(10) + rows!r}, 'abc', '2026-11-30')\n"


def test_comments_stay_and_every_module_has_a_banner(tmp_path: Path) -> None:
    """A person who opens the script finds the source as it was written."""
    text = assemble(package(tmp_path), "", "", "", "1.0")

    assert "# Why this comment stays: the script is meant to be read.\n" in text
    assert "# checker/cli.py\n#\n# Prints the catalogue.\n" in text
    assert text.index("# checker/interpreter.py") < text.index("# checker/catalogue.py")


MIXED = '''"""Holds functions of every kind."""

from functools import lru_cache

LIMIT = 2


def plain(text):
    """Say it."""
    return "\\n" + text


# Its neighbor stands in the same text.
def neighbor():
    return plain("x")


@lru_cache(maxsize=1)
def decorated():
    return 1


def walk():
    yield 1


def timed(start=len("ab")):
    return start


class Base:
    """Has methods."""

    size = 3
    kind = int

    def sized(self, by=size):
        return by

    def typed(self, by: kind):
        return by

    def __hidden(self):
        return 1

    def own(self):
        return self.size


class Child(Base):
    def __init__(self):
        super().__init__()
'''
MIXED_WRITTEN = '''\
now(@, vars(), r\'\'\'
LIMIT = 2


later(@, vars(), \'\'\', r\'\'\'
def plain(text):
    """Say it."""
    return "\\n" + text


# Its neighbor stands in the same text.
def neighbor():
    return plain("x")
\'\'\', r\'\'\')


@lru_cache(maxsize=1)
def decorated():
    return 1


def walk():
    yield 1


def timed(start=len("ab")):
    return start


class Base:
    """Has methods."""

    size = 3
    kind = int

    def sized(self, by=size):
        return by

    def typed(self, by: kind):
        return by

    def __hidden(self):
        return 1

    later(@, vars(), \'\'\', r\'\'\'
    def own(self):
        return self.size
    \'\'\', r\'\'\')


class Child(Base):
    def __init__(self):
        super().__init__()
\'\'\')
'''


def test_functions_stand_in_texts_unless_they_would_mean_something_else_there(
    tmp_path: Path,
) -> None:
    """What Python evaluates or renames where a function is defined stays code; so do generators."""
    text = assemble(package(tmp_path, mixed=MIXED), "", "", "", "1.0")

    assert MIXED_WRITTEN in re.sub(r"(later|now)\(\d+, vars", r"\1(@, vars", text)
    for number, line in enumerate(text.splitlines(), start=1):
        assert "vars()" not in line or line.lstrip() in (
            f"later({number}, vars(), ''', r'''",
            f"now({number}, vars(), r'''",
        )


def test_a_failure_in_a_text_is_shown_with_its_line_of_the_script(tmp_path: Path) -> None:
    """A person who reports a defect sends the line at which it happened."""
    cli = CLI.replace("print(argv, catalogue)", "raise ValueError(argv)")
    script = tmp_path / "script.py"
    script.write_text(assemble(package(tmp_path, cli=cli), "", "", "", "1.0"))

    done = subprocess.run(
        [sys.executable, "-I", "-S", script], capture_output=True, text=True, check=False
    )

    line = script.read_text().splitlines().index("    raise ValueError(argv)") + 1
    assert f'script.py", line {line}, in main\n    raise ValueError(argv)\n' in done.stderr


def test_what_typing_gives_costs_the_script_nothing(tmp_path: Path) -> None:
    """The names that modules import from `typing` are bound to stand-ins before all others."""
    shapes = "from typing import List, NamedTuple, TypeVar"
    text = assemble(package(tmp_path, shapes=f'"""Shapes."""\n{shapes}\n'), "", "", "", "1.0")

    assert "from typing" not in text
    assert text.index(
        "NamedTuple = PlainTuple\nAny = Dict = List = Tuple = TypeVar = PLAIN_HINT\n"
    ) < text.index("# checker/interpreter.py")


def test_three_quotes_in_a_row_cannot_end_the_catalogue(tmp_path: Path) -> None:
    """Text of an entry stays data, whatever it says."""
    rows = """a\t[]\t{"text":"'''+print(1)+'''"}\n"""

    text = assemble(package(tmp_path), rows, "", "", "1.0")

    assert "'''+print" not in text
    assert "\\u0027\\u0027\\u0027+print(1)" in text


BROKEN = {
    "an alias": (
        '"""Doc."""\nfrom checker.cli import main as other\n',
        "checker/extra.py:2: import names without star or alias",
    ),
    "a whole sibling": (
        '"""Doc."""\nimport checker.cli\n',
        "checker/extra.py:2: use 'from checker.x import name', without alias",
    ),
    "a hidden sibling": (
        '"""Doc."""\n\n\ndef load():\n    from checker.cli import main\n    return main\n',
        "checker/extra.py:5: an import stands inside code; move it to the top",
    ),
    "a future import": (
        '"""Doc."""\nfrom __future__ import annotations\n',
        "checker/extra.py:2: relative and future imports cannot be assembled",
    ),
    "its own file": (
        '"""Doc."""\n\nHERE = __file__\n',
        "checker/extra.py:3: '__file__' has no meaning in the assembled file",
    ),
    "a taken name": (
        '"""Doc."""\n\n\ndef main():\n    """Do nothing."""\n',
        "checker/cli.py: 'main' is already the name of something in checker/extra.py",
    ),
    "other characters than ASCII": (
        '"""Doc."""\n\nDASH = "\u2014"\n',
        "checker/extra.py: write other characters than ASCII as escapes",
    ),
    "three quotes in a function": (
        '"""Doc."""\n\n\ndef quote():\n    return "\'\'\'"\n',
        "checker/extra.py:5: ''' cannot stand in a module",
    ),
    "three quotes beside functions": (
        '"""Doc."""\n\nQUOTE = "\'\'\'"\n',
        "checker/extra.py:3: ''' cannot stand in a module",
    ),
    "a text that looks like a function": (
        '"""Doc."""\n\n\ndef quote():\n    return """\ndef f(\n"""\n',
        "checker/extra.py:6: a line of a text looks like the start of a function",
    ),
    "no docstring": ("X = 1\n", "checker/extra.py: the module says nothing about itself"),
    "an unknown sibling": (
        '"""Doc."""\nfrom checker.nowhere import thing\n',
        "checker/extra.py: imports unknown module checker.nowhere",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_module_that_cannot_be_assembled_is_named_with_its_line(
    kind: str, tmp_path: Path
) -> None:
    """Each rule of assembly has its own message."""
    text, message = BROKEN[kind]

    with pytest.raises(AssemblyError) as caught:
        assemble(package(tmp_path, extra=text), "", "", "", "1.0")

    assert str(caught.value) == message


def test_modules_that_import_each_other_are_refused(tmp_path: Path) -> None:
    """An order of bodies exists only without circles."""
    root = package(
        tmp_path,
        one='"""Doc."""\nfrom checker.two import b\n\na = 1\n',
        two='"""Doc."""\nfrom checker.one import a\n\nb = 1\n',
    )

    with pytest.raises(AssemblyError, match=r"^modules import each other: checker\.one -> "):
        assemble(root, "", "", "", "1.0")
