"""The gate never misses a literal that a naive search finds."""

import random
import re

import pytest

from checker.scan.gate import Gate, Wanted, templates_of

WORDS = ["Error", "loss", "rank", "NCCL", "x", "a", "7", "0xdead", "timeout", "é", "_", "watchdog"]


def random_text(choice: random.Random, length: int) -> str:
    """Make text of words that share letters with the literals."""
    separators = [" ", "  ", "\t", "", ": ", "\n"]
    return "".join(choice.choice(WORDS) + choice.choice(separators) for _ in range(length))


def naive(literal: str, row: str) -> bool:
    """Search a row with blanks of any number."""
    words = [re.escape(word) for word in literal.split()]
    return re.search(r"[ \t]{1,32}".join(words), row) is not None


@pytest.mark.parametrize("seed", range(60))
def test_gate_lets_every_line_with_a_literal_through(seed: int) -> None:
    """Each line in which a naive search finds a literal is a candidate for that literal."""
    choice = random.Random(seed)
    literals = set()
    while len(literals) < 25:
        literal = random_text(choice, choice.randint(1, 5)).replace("\n", " ").strip()
        if literal:
            literals.add(literal)
    wanted = Wanted(literals)
    gate = Gate(wanted)
    for _ in range(6):
        rows = random_text(choice, 300).split("\n")
        block = "\n".join(rows).encode()
        found = {index: names for index, names, _ in gate.candidates(block, templates_of(block))}
        for index, row in enumerate(rows):
            for literal in literals:
                if naive(literal, row):
                    assert literal in found.get(index, ())
                    assert wanted.stands_in(row.encode(), literal)


def test_gate_stays_quiet_where_nothing_is_wanted() -> None:
    """Repeated lines without a literal are no candidates."""
    gate = Gate(Wanted(["CUDA out of memory", "Killed"]))
    block = b"\n".join(b"step %d loss 2.%d" % (step, step) for step in range(1000))
    assert gate.candidates(block, templates_of(block)) == []
    assert gate.candidates(block, templates_of(block)) == []


def test_gate_finds_a_literal_without_letters() -> None:
    """A literal of digits and signs alone is found, though templates drop it."""
    gate = Gate(Wanted(["-9)"]))
    block = b"exit 0\nexit (-9)\nexit (-8)"
    assert [
        (index, set(names)) for index, names, _ in gate.candidates(block, templates_of(block))
    ] == [(1, {"-9)"})]
