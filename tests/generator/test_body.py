"""Splitting a body at its headings."""

from generator.body import split_body


def test_headings_in_code_are_no_headings() -> None:
    """A line of a code block, whatever its fence, belongs to the section."""
    body = (
        "\n## A\n\n```bash\n# not a heading\n```\n\n~~~~\n## nor this\n~~~\n~~~~\n\n## B ##\ntext\n"
    )

    assert [(s.heading, s.level, s.line, s.text_line) for s in split_body(body, 10)] == [
        ("A", 2, 11, 13),
        ("B", 2, 22, 23),
    ]


def test_underlined_headings_are_headings() -> None:
    """A line of dashes below a text makes it a heading; below a blank line it does not."""
    sections = split_body("Title\n-----\n\ntext\n\n---\n", 1)

    assert [(s.heading, s.level, s.line, s.text) for s in sections] == [
        ("Title", 2, 1, "text\n\n---")
    ]


def test_text_before_the_first_heading_is_kept() -> None:
    """What stands before the first heading has no heading and level 0."""
    sections = split_body("\nhello\n\n### C\n", 5)

    assert [(s.heading, s.level, s.text, s.text_line) for s in sections] == [
        ("", 0, "hello", 6),
        ("C", 3, "", 10),
    ]


def test_an_empty_body_has_no_sections() -> None:
    """Nothing but blank lines is no section."""
    assert split_body("\n\n", 3) == ()
