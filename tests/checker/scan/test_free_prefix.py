"""A prefix in a form of one's own is read only where it is proven to hold a rank."""

from string import Template

import pytest

from checker.scan.observe import observe_texts

pytestmark = pytest.mark.rule("ranks")

AGENT = (
    "W1130 10:00:00.000000 4100 torch/distributed/run.py:793] "
    "*****************************************\n"
)
SAYS = [
    "begins",
    "loading the data",
    "step 1",
    "step 2",
    "Traceback (most recent call last):",
    '  File "train.py", line 3, in <module>',
    "    main()",
    "RuntimeError: no luck",
]


def console(template: str, ranks: int = 4, first: int = 0, says: list[str] = SAYS) -> str:
    """What torchrun prints for the ranks of one node with this template."""
    return "".join(
        Template(template).substitute(role_name="trainer", rank=first + local, local_rank=local)
        + text
        + "\n"
        for text in says
        for local in range(ranks)
    )


def told(text: str) -> list[tuple[int | None, int | None]]:
    """Rank and local rank of each line that fails."""
    seen = observe_texts({"console.log": text}, frozenset({"log no luck"}), {}, {})
    return [(hit.line.writer.rank, hit.line.writer.local_rank) for hit in seen.hits]


@pytest.mark.parametrize(
    "template",
    [
        "<${role_name}/${rank}> ",
        "(${rank}|${local_rank}) ",
        "[${role_name}-${local_rank}] ",
        "{r${rank}}",
        "[rank${rank}-group_rank0-attempt0]:",
        "${role_name} ${rank}| ",
    ],
)
def test_the_prefix_of_a_template_of_torchrun_names_the_rank(template: str) -> None:
    """Beside the launcher's own lines, what counts the writers of all lines is their rank."""
    text = AGENT * 3 + console(template)
    assert told(text) == [(local, local) for local in range(4)]
    seen = observe_texts({"console.log": text}, frozenset({"log no luck"}), {}, {})
    assert [block.line.writer.rank for block in seen.tracebacks] == [0, 1, 2, 3]


def test_of_two_numbers_the_lower_one_is_the_local_rank() -> None:
    """On a node after the first, both numbers differ by the same in all lines."""
    text = AGENT + console("<${rank}/${local_rank}>", first=8)
    assert told(text) == [(8 + local, local) for local in range(4)]


def test_lines_that_name_their_rank_prove_it_too() -> None:
    """What the program prints itself agrees with the prefix."""
    says = [*SAYS[:2], "Rank 7: x", *SAYS[2:]]
    text = console("<${rank}> ", says=says)
    own = "".join(
        line.replace("Rank 7", f"Rank {line[1]}") for line in text.splitlines(keepends=True)
    )
    assert told(own) == [(rank, None) for rank in range(4)]
    assert told(text) == [(None, None)] * 4


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(console("<${rank}> "), id="nothing shows that ranks were launched"),
        pytest.param(
            AGENT + "".join(f"<{n}> {text} no luck\n" for n, text in enumerate(SAYS * 2)),
            id="a counter",
        ),
        pytest.param(
            AGENT + console("(${rank}) ", says=["loss no luck"] * 8), id="layers, all with one text"
        ),
        pytest.param(AGENT * 20 + console("<${rank}> "), id="half of the lines have none"),
        pytest.param(AGENT + console("<${rank}> ", first=3), id="not from 0 on"),
        pytest.param(AGENT + console("<${rank}> ", ranks=1), id="always the same"),
    ],
)
def test_without_proof_nothing_is_claimed(text: str) -> None:
    """Numbers in brackets can be anything."""
    seen = observe_texts({"console.log": text}, frozenset({"log no luck"}), {}, {})
    assert {(h.line.writer.rank, h.line.writer.local_rank) for h in seen.hits} == {(None, None)}
