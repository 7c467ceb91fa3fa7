"""The body of an entry: Markdown sections under fixed headings."""

from typing import NamedTuple


class Heading(NamedTuple):
    """A heading that a body may have."""

    title: str
    required: bool
    answers: str
    """What the section must tell."""


HEADINGS: tuple[Heading, ...] = (
    Heading(
        "What it looks like in production",
        True,
        "what is seen first, by whom, after how long, at which moment of a run",
    ),
    Heading(
        "Why it happens",
        True,
        "the mechanism: what exactly waits for, or breaks, what",
    ),
    Heading(
        "Is it hardware or software",
        False,
        "which of the two, and the observation that decides",
    ),
    Heading(
        "Why only sometimes",
        False,
        "which circumstances decide whether it happens",
    ),
    Heading(
        "From one GPU to a thousand",
        False,
        "what changes with the number of ranks and nodes",
    ),
    Heading(
        "What other accounts get wrong",
        False,
        "statements in circulation that upstream refutes, and what is true",
    ),
)
