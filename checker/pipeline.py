"""One way from logs to a report: paths or texts and the catalogue enter, a `Report` leaves."""

from typing import Any, FrozenSet, Mapping, Optional, Sequence

from checker.catalogue import Catalogue
from checker.diagnose import diagnose
from checker.model import Report
from checker.scan import observe, observe_texts


def diagnose_paths(catalogue: Catalogue, paths: Sequence[str], only: Optional[str]) -> Report:
    """Read the files and folders, and diagnose what they hold."""
    return diagnose(catalogue, observe(paths, _catalogue_keys(catalogue)), only)


def diagnose_texts(
    catalogue: Catalogue,
    files: Mapping[str, str],
    facts: Mapping[str, Any],
    versions: Mapping[str, str],
) -> Report:
    """Diagnose texts as if they were files of these names."""
    observations = observe_texts(files, _catalogue_keys(catalogue), facts, versions)
    return diagnose(catalogue, observations, None)


def _catalogue_keys(catalogue: Catalogue) -> FrozenSet[str]:
    return frozenset(key for entry in catalogue.entries for key in entry.keys)
