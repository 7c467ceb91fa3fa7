"""The catalogue as the generator writes and the checker reads it."""

import hashlib
import json
from datetime import date

from checker.catalogue import read_catalogue
from generator.catalogue import Published, catalogue_rows, compile_catalogue, compile_rule
from tests.generator.entries import make_entry

KILL = {
    "signs": {
        "kill": {"log": "Out of memory: Killed process <pid>", "source": "kernel"},
        "nine": {"exit": {"signal": 9}, "onset": "earlier"},
        "quota": {"traceback": "OSError", "message": "Disk quota exceeded"},
        "wsl": {"fact": "system.wsl", "is": "equals", "value": True},
        "silence": {"missing": "kill", "after": "nine"},
    },
    "signatures": [
        {"decisive": ["kill", "nine", {"same": ["pid"]}]},
        {"strong": ["kill"], "none": ["quota"]},
    ],
}


def test_row_can_be_read_by_the_checker() -> None:
    """What the generator writes, the checker reads: id, keys and rule."""
    compiled = compile_catalogue([Published("host-kill", make_entry(KILL))])
    catalogue = read_catalogue(compiled.rows, compiled.sha256, compiled.date)
    (entry,) = catalogue.entries
    assert entry.id == "host-kill"
    assert entry.keys == (
        "exit 9",
        "fact system.wsl",
        "log Out of memory: Killed process",
        "needs kernel",
        "traceback OSError",
    )
    assert entry.rule()["signs"]["nine"] == {
        "kind": "exit",
        "exit": {"signal": 9, "code": None, "by": None},
        "onset": "earlier",
    }


def test_rows_are_the_same_bytes_in_any_order_of_entries() -> None:
    """Rows are sorted by id, ASCII, and named by the digest of their bytes."""
    one = Published("b-entry", make_entry(KILL, title="Caf\u00e9"))
    two = Published("a-entry", make_entry(KILL))
    compiled = compile_catalogue([one, two])
    assert compiled == compile_catalogue([two, one])
    assert [row.split("\t")[0] for row in compiled.rows.splitlines()] == ["a-entry", "b-entry"]
    assert compiled.rows.isascii()
    assert compiled.sha256 == hashlib.sha256(compiled.rows.encode()).hexdigest()


def test_only_published_entries_are_carried() -> None:
    """Drafts and withdrawn entries are no part of the catalogue, nor of its date."""
    draft = make_entry(KILL, status="draft", updated=date(2026, 5, 5))
    compiled = compile_catalogue([Published("draft", draft), Published("done", make_entry(KILL))])
    assert compiled.rows.count("\n") == 1
    assert compiled.date == "2026-01-02"


def test_general_entry_knows_those_that_refine_it() -> None:
    """`refines` of the exact entry becomes `refined_by` of the general one."""
    exact = make_entry(KILL, relations={"refines": ["general"]})
    rows = catalogue_rows([Published("exact", exact), Published("general", make_entry(KILL))])
    rules = {entry.id: entry.rule() for entry in read_catalogue(rows, "", "").entries}
    assert rules["general"]["refined_by"] == ["exact"]
    assert rules["exact"]["refines"] == ["general"]


def test_rule_carries_the_mechanism_and_the_address() -> None:
    """Of the body, only the mechanism is carried; the address is that of the whole page."""
    body = [("Why it happens", "So."), ("From one GPU to a thousand", "More of it.")]
    rule = compile_rule("x", make_entry(KILL), body, page="https://example.org/x/")
    assert rule["sections"] == [{"heading": "Why it happens", "text": "So."}]
    assert rule["page"] == "https://example.org/x/"


def test_recovery_follows_from_the_effect_where_the_entry_is_silent() -> None:
    """What ends or hangs recovers by progress, a stop is outlived."""
    assert compile_rule("x", make_entry(KILL))["recovers"] == "progress"
    assert compile_rule("x", make_entry(KILL, kind="stop"))["recovers"] == "outlived"
    assert compile_rule("x", make_entry(KILL, effect="wrong"))["recovers"] == "never"


def test_framework_that_an_entry_affects_is_named_by_a_key() -> None:
    """A system that an entry affects is no package with code of its own."""
    affects = [{"package": "deepspeed"}, {"package": "linux"}]
    entry = make_entry(KILL, frameworks=["deepspeed"], affects=affects)
    rows = catalogue_rows([Published("x", entry)])
    (found,) = read_catalogue(rows, "", "").entries
    assert [key for key in found.keys if key.startswith("package")] == ["package deepspeed"]


def test_a_text_is_carried_alone_and_compiled_when_the_rule_is_decoded() -> None:
    """The row holds what a person wrote; expression, literal and types follow from it."""
    detect = {
        "signs": {
            "plain": "Killed process <pid>",
            "dated": {"log": {"text": "Killed process", "until": "5.0"}},
            "shaped": {"log": {"regex": "Detected [0-9]{1,9} oom.kill event"}},
        },
        "signatures": [{"strong": ["plain", "dated", "shaped"]}],
    }
    item = Published("x", make_entry(detect))
    (entry,) = read_catalogue(catalogue_rows([item]), "", "").entries
    signs = json.loads(entry.rule_text)["signs"]
    assert signs["plain"]["log"] == ["Killed process <pid>"]
    assert signs["dated"]["log"] == [{"text": "Killed process", "until": "5.0"}]
    assert signs["shaped"]["log"][0]["literal"] == "kill event"
    assert entry.rule()["signs"] == compile_rule("x", item.entry)["signs"]


def test_a_row_carries_the_shortest_example_of_either_kind() -> None:
    """Every start of the checker pays for the bytes of its rows."""
    examples = {
        kind: [
            {"name": size, "origin": "constructed", "log": f"{kind}{filler}"}
            for size, filler in (("long", " and more of it" * 9), ("short", ""), ("middle", " so"))
        ]
        for kind in ("diagnosed", "not_diagnosed")
    }
    item = Published("x", make_entry(KILL, examples=examples))
    (entry,) = read_catalogue(catalogue_rows([item]), "", "").entries
    carried = [(example["diagnosed"], example["name"]) for example in entry.rule()["examples"]]
    assert carried == [(True, "short"), (False, "short")]
    assert len(compile_rule("x", item.entry)["examples"]) == 6
