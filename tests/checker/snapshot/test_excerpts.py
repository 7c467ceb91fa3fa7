"""What is kept of a log: the rows that were read, within bounds."""

from checker.snapshot.excerpts import ExcerptBook, ExcerptShelf, KeptLog


def test_a_row_is_kept_once_and_in_its_place() -> None:
    """However often and in whatever order rows are read."""
    book = ExcerptBook()
    for number, row in ((9, b"last"), (2, b"first"), (9, b"last"), (9, b"its second piece")):
        book.note(number, row, frozenset())

    assert book.rows() == ((2, "first"), (9, "last"), (9, "its second piece"))


def test_too_much_loses_its_middle_and_there_what_only_stands_around() -> None:
    """Beginning, end and what is looked for remain, and what is missing is counted."""
    book = ExcerptBook()
    marked = frozenset(("Error",))
    for number in range(1, 5001):
        book.note(number, b"x" * 1000, marked if number == 2500 else frozenset())
    numbers = [number for number, _ in book.rows()]

    assert numbers[:2] == [1, 2]
    assert numbers[-1] == 5000
    assert 2500 in numbers
    assert sum(len(text) for _, text in book.rows()) <= 3 << 20
    assert len(numbers) + book.cut == 5000


def test_a_bar_that_was_drawn_over_keeps_what_matters() -> None:
    """Of megabytes in one line the last pieces, and those that hold what is looked for."""
    book = ExcerptBook()
    bar = b"\r".join(b"step %d" % number for number in range(5000))
    book.note(1, bar + b"\rError: full\rstep 5001\rstep 5002", frozenset(("Error",)))

    assert book.rows() == ((1, "Error: full\rstep 5001\rstep 5002"),)


def test_a_log_that_is_read_again_counts_as_it_was_read_last() -> None:
    """The files of a rotated log are found in any order."""
    shelf = ExcerptShelf()
    one = KeptLog("a.log", (), ((1, "new"),), 0, False, ())
    shelf.keep(one)
    shelf.keep(one._replace(path="b.log"))
    shelf.keep(one._replace(rows=((1, "old"), (2, "new"))))

    assert [(log.path, len(log.rows)) for log in shelf.logs()] == [("b.log", 1), ("a.log", 2)]
