"""The gate never misses a literal that a naive search finds."""

import random
import re

import pytest

from checker.scan.gate import Gate, Wanted

WORDS = ["Error", "loss", "rank", "NCCL", "x", "a", "7", "0xdead", "timeout", "é", "_", "watchdog"]
LETTERS = str.maketrans("0123456789", "ghijklmnop")


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
    # So many that the gate turns to testing new text as it is, and back.
    for _ in range(24):
        rows = random_text(choice, 100).split("\n")
        block = "\n".join(rows).encode()
        shapes, hot = gate.sift(block)
        assert len(shapes) == len(rows)
        for shape, row in zip(shapes, rows, strict=True):
            for literal in literals:
                if naive(literal, row):
                    assert literal in hot.get(shape, ())
                    assert wanted.stands_in(row.encode(), literal)


def test_gate_stays_quiet_where_nothing_is_wanted() -> None:
    """Repeated lines without a literal are no candidates."""
    gate = Gate(Wanted(["CUDA out of memory", "Killed"]))
    block = b"\n".join(b"step %d loss 2.%d" % (step, step) for step in range(1000))
    assert gate.sift(block).hot == {}
    assert gate.sift(block).hot == {}


def test_gate_finds_a_literal_without_letters() -> None:
    """A literal of digits and signs alone is found, though templates drop it."""
    gate = Gate(Wanted(["-9)"]))
    block = b"exit 0\nexit (-9)\nexit (-8)"
    assert gate.sift(block).hot == {b"xit": frozenset({"-9)"})}


def test_gate_looks_for_what_stands_beside_a_literal_without_letters() -> None:
    """Where all lines that matter of a literal have certain letters, others are not looked at."""
    gate = Gate(Wanted(["[<0>]"], {"[<0>]": "+0x/0x"}))
    block = b"eth0:10.0.0.1[<0>]\n[<0>] poll+0x9/0x20\n[1] poll+0x9/0x20"
    found = gate.sift(block)
    assert found.shapes == [b"th", b"pollxx", b"pollxx"]
    assert found.hot == {b"pollxx": frozenset({"[<0>]"})}


def test_words_of_a_literal_that_stand_apart_are_not_the_literal() -> None:
    """A literal is found between any blanks, and not where only its words stand, however often."""
    wanted = Wanted(["Saving the model: now"])
    for _ in range(70):
        assert wanted.stands_in(b"now: Saving the best model: 3", "Saving the model: now") is False
        assert wanted.stands_in(b"Saving the model", "Saving the model: now") is False
        assert wanted.stands_in(b"Saving \t the  model: now", "Saving the model: now") is True


def test_gate_leaves_out_a_literal_that_stands_nowhere_in_the_block() -> None:
    """A template whose lines look like a literal counts only where the literal itself stands."""
    gate = Gate(Wanted(["nranks 8", "Killed"]))
    assert gate.sift(b"[nranks=64] opCount 7\n[nranks=64] opCount 8").hot == {}
    assert gate.sift(b"[nranks=64] opCount 9\nKilled").hot == {b"Kill": frozenset({"Killed"})}


def test_gate_knows_templates_again_after_many_new_ones() -> None:
    """What was forgotten because too much was new is found again."""
    gate = Gate(Wanted(["watchdog thread"]))
    for count in range(40):
        made = [f"{count * 3000 + number:06}".translate(LETTERS) for number in range(3000)]
        block = "\n".join([*made, "the watchdog thread ran"]).encode()
        assert list(gate.sift(block).hot.values()) == [frozenset({"watchdog thread"})]


def test_rows_that_hold_a_literal_each_are_told_from_one_that_holds_it_twice() -> None:
    """A literal stands in all rows only if each of them has it, however often others do."""
    wanted = Wanted(["lost rank 7", "[7]"])
    every = frozenset({"lost rank 7"})
    once, twice = b"lostrnk", b"lostrnklostrnk"
    assert wanted.stand_in_all([b"lost rank 7", b"lost rank 7"], every, once) is True
    assert wanted.stand_in_all([b"lost rank 7", b"lost rank 8"], every, once) is False
    rows = [b"lost rank 7, lost rank 7", b"lost rank 8, lost rank 8"]
    assert wanted.stand_in_all(rows, every, twice) is False
    assert wanted.stand_in_all([b"[7] x", b"[8] x"], frozenset({"[7]"}), b"x") is False
