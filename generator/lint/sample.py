"""Check that an entry is no longer the sample that it was copied from."""

import re
from collections.abc import Iterator

from generator.lint.registry import Finding, entry_check
from generator.load import Loaded
from generator.nodes import Step

# Names that RFC 2606 reserves, so that nothing real is ever found there.
_RESERVED = re.compile(
    r"https://([^/?#]*\.)?(example\.(com|net|org)|[^/?#.]+\.(example|test|invalid))(:\d+)?([/?#]|$)"
)


@entry_check
def left_over_sample(loaded: Loaded) -> Iterator[Finding]:
    """A published entry is no copy of the sample: its title and addresses are its own."""
    if loaded.entry.status != "published":
        return
    if loaded.entry.title.split()[0].lower() == "sample":
        yield Finding(
            loaded,
            ("title",),
            "the title is that of a sample",
            "name the failure, or write 'status: draft' until the entry is ready",
        )
    for steps, url in _addresses(loaded):
        if _RESERVED.match(url):
            yield Finding(
                loaded,
                steps,
                "the address is reserved for examples, and nothing is there",
                "write the address of the page that you read",
            )


def _addresses(loaded: Loaded) -> Iterator[tuple[tuple[Step, ...], str]]:
    for index, reference in enumerate(loaded.entry.references):
        yield ("references", index, "url"), reference.url
    for index, affected in enumerate(loaded.entry.affects):
        if affected.source:
            yield ("affects", index, "source"), affected.source
