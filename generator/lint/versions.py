"""Checks of what an entry says about versions."""

import re
from collections.abc import Iterator

from checker.match.values import version_in_range, version_order
from generator.detection import VersionSign
from generator.errors import shortened
from generator.lint.registry import Finding, entry_check
from generator.load import Loaded
from generator.nodes import Step
from generator.wordings import matched_texts

_BOUND = re.compile(r"(>=|<=|==|!=|>|<) ?[0-9]{1,9}(\.[0-9]{1,9})*[a-z0-9.+-]{0,40}")


@entry_check
def unsourced_range(loaded: Loaded) -> Iterator[Finding]:
    """A statement about versions has a source that says so."""
    for index, affected in enumerate(loaded.entry.affects):
        if (affected.range or affected.fixed_in) and not affected.source:
            key = "range" if affected.range else "fixed_in"
            yield Finding(
                loaded,
                ("affects", index, key),
                f"nothing says that these versions of '{affected.package}' are the ones",
                "add 'source:' with the address of the change log, commit or issue that says it",
            )


@entry_check
def malformed_range(loaded: Loaded) -> Iterator[Finding]:
    """A version range is made of comparisons that a program can read."""
    for steps, wanted in _ranges(loaded):
        for bound in wanted.split(","):
            if not _BOUND.fullmatch(bound.strip()):
                yield Finding(
                    loaded,
                    steps,
                    f"'{shortened(bound.strip())}' is not a comparison with a version",
                    "write comparisons with commas between them, as '>=2.1,<2.4'",
                )
                break


@entry_check
def fixed_inside_range(loaded: Loaded) -> Iterator[Finding]:
    """The version that has the fix is not one that has the failure."""
    for index, affected in enumerate(loaded.entry.affects):
        fixed, wanted = affected.fixed_in, affected.range
        if fixed and wanted and _is_range(wanted) and version_in_range(fixed, wanted):
            yield Finding(
                loaded,
                ("affects", index, "fixed_in"),
                f"the version {fixed} lies in the range '{wanted}'",
                f"end the range before it: '<{fixed}'",
            )


@entry_check
def since_after_until(loaded: Loaded) -> Iterator[Finding]:
    """A wording's first version is not later than its last."""
    for text in matched_texts(loaded.entry):
        since, until = text.wording.since, text.wording.until
        if since and until and version_order(since) > version_order(until):
            yield Finding(
                loaded,
                (*text.steps[:-1], "since"),
                f"the first version {since} is later than the last, {until}",
                "exchange the two, or correct them",
            )


def _is_range(wanted: str) -> bool:
    return all(_BOUND.fullmatch(bound.strip()) for bound in wanted.split(","))


def _ranges(loaded: Loaded) -> Iterator[tuple[tuple[Step, ...], str]]:
    for index, affected in enumerate(loaded.entry.affects):
        if affected.range:
            yield ("affects", index, "range"), affected.range
    for name, sign in loaded.entry.detect.signs.items():
        if isinstance(sign, VersionSign):
            yield ("detect", "signs", name, "version-sign", "range"), sign.range
