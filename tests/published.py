"""The catalogue of the published entries, for tests that ask what the checker says of real logs."""

from functools import cache

from checker.catalogue import Catalogue, read_catalogue
from generator.build import published
from generator.catalogue import compile_catalogue
from generator.lint import check
from tests.needs import ROOT


@cache
def published_catalogue() -> Catalogue:
    """Compile the published entries, as the build does."""
    collection, _ = check(ROOT / "entries")
    return read_catalogue(*compile_catalogue(published(collection)))
