"""The page on detection promises nothing that no test looks at."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "site_overrides" / "pages" / "detection.md"
# Sections that explain and promise nothing by themselves.
EXPLAINING = {"an-example", "example", "not-yet", "code"}


def sections() -> Iterator[str]:
    """The anchors of all sections, as the site makes them."""
    for title, anchor in re.findall(
        r"^##+ (.*?)(?: \{ #([\w-]+) \})?$", PAGE.read_text(encoding="utf-8"), re.M
    ):
        yield anchor or re.sub(r"\W+", "-", title.lower())


def claims() -> Iterator[str]:
    """The sections that test modules and tests claim with the mark `rule`."""
    for path in sorted((ROOT / "tests" / "checker").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.rule":
                yield from (ast.literal_eval(argument) for argument in node.args)


def test_every_section_has_tests() -> None:
    """Each section with rules is claimed, and no claim names a section that is not there."""
    assert set(claims()) == set(sections()) - EXPLAINING
