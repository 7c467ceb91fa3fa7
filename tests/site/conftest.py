"""The site of the sample entries, built once for all tests."""

from pathlib import Path

import pytest

from tests.generator.pages.rendering import sample_collection
from tests.site.building import build_site


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site of the sample entries."""
    return build_site(tmp_path_factory.mktemp("site"), sample_collection())
