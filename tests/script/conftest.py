"""The built checker, made once from the entries and modules as they stand."""

from pathlib import Path

import pytest

from generator.build import products
from generator.lint import check
from generator.products import write_products
from tests.needs import ROOT


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The products, name to text."""
    collection, problems = check(ROOT / "entries")
    assert [problem.render() for problem in problems] == []
    return products(ROOT, collection)


@pytest.fixture(scope="session")
def dist(built: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the products."""
    folder = tmp_path_factory.mktemp("dist")
    write_products(folder, built)
    return folder


@pytest.fixture(scope="session")
def script(dist: Path) -> Path:
    """The one file that people copy."""
    return dist / "trainwreck.py"
