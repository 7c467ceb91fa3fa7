"""What leads to what: groups of entries and their columns."""

from generator.model import LeadsTo, Relations
from generator.pages.causes import Group, groups
from generator.pages.shown import Shown, choose
from tests.generator.pages.rendering import sample_collection


def shown(**leads: str) -> Shown:
    """Make entries of which each leads to the named others; `>` before a name refines it."""
    sample = sample_collection().entries["sample-peer-waits"]
    items = []
    for name, after in leads.items():
        names = after.split()
        relations = Relations(
            leads_to=[LeadsTo(id=one, where="run") for one in names if not one.startswith(">")],
            refines=[one.removeprefix(">") for one in names if one.startswith(">")],
        )
        entry = sample.entry.model_copy(update={"relations": relations, "title": name})
        items.append(sample._replace(id=name, entry=entry))
    return choose(items)


def test_what_leads_to_the_same_is_one_group() -> None:
    """Entries that nothing leads to stand together where they lead to the same."""
    assert groups(shown(a="end", b="end", c="other", end="", other="", alone="")) == [
        Group(("a", "b"), 1, ("end",), ()),
        Group(("c",), 1, ("other",), ()),
        Group(("end",), 0, (), ()),
        Group(("other",), 0, (), ()),
    ]


def test_a_step_that_a_chain_tells_is_left_out() -> None:
    """Where A leads to B and B to C, that A leads to C is not drawn."""
    assert groups(shown(a="b c", b="c", c="")) == [
        Group(("a",), 2, ("b",), ()),
        Group(("b",), 1, ("c",), ()),
        Group(("c",), 0, (), ()),
    ]


def test_a_special_case_stands_before_the_general() -> None:
    """It leads to what it leads to, and is a group of its own."""
    assert groups(shown(a=">general end", b="end", end="", general="")) == [
        Group(("a",), 1, ("end",), ("general",)),
        Group(("b",), 1, ("end",), ()),
        Group(("end",), 0, (), ()),
        Group(("general",), 0, (), ()),
    ]


def test_a_circle_ends() -> None:
    """Entries that bring about each other are drawn too."""
    found = groups(shown(a="b", b="c", c="a"))
    assert [(group.ids, group.leads_to) for group in found] == [
        (("a",), ("b",)),
        (("b",), ("c",)),
        (("c",), ("a",)),
    ]
