"""Which failures a run would meet: the catalogue and facts enter, risks leave.

The entries say themselves by which facts they are known before a run (`preflight`).
"""

from typing import FrozenSet, NamedTuple, Sequence, Tuple

from checker.catalogue import Catalogue
from checker.match.scene import Scene, build_scene
from checker.match.signs import judge_signs
from checker.model import Fact, Observations, Rule, Sighting

_ASKED = "preflight "


class Risk(NamedTuple):
    """One entry that a run would meet."""

    rule: Rule
    evidence: Tuple[Sighting, ...]


class Outlook(NamedTuple):
    """What the facts say of a run that is to begin."""

    risks: Tuple[Risk, ...]
    asked: FrozenSet[str]
    """The facts that entries ask for."""
    entries: int
    """How many entries can be known before a run."""


def asked_facts(catalogue: Catalogue) -> FrozenSet[str]:
    """List the facts by which entries are known before a run."""
    return frozenset(
        key[len(_ASKED) :]
        for entry in catalogue.entries
        for key in entry.keys
        if key.startswith(_ASKED)
    )


def outlook_of(catalogue: Catalogue, facts: Sequence[Fact]) -> Outlook:
    """Judge all entries that can be known before a run, in the order of their ids."""
    scene = build_scene(_nothing_but(facts), ())
    rules = [
        entry.rule()
        for entry in catalogue.entries
        if any(key.startswith(_ASKED) for key in entry.keys)
    ]
    found = [(rule, _evidence(rule, scene)) for rule in rules]
    risks = [Risk(rule, evidence) for rule, evidence in found if evidence]
    return Outlook(tuple(risks), asked_facts(catalogue), len(rules))


def _evidence(rule: Rule, scene: Scene) -> Tuple[Sighting, ...]:
    """List what says that an entry lies ahead; nothing where a fact rules it out."""
    names = {*rule["preflight"], *rule["rules_out"]}
    signs = {
        name: sign
        for name, sign in rule["signs"].items()
        if name in names and sign["kind"] in ("fact", "version")
    }
    truths = judge_signs({**rule, "signs": signs}, scene)
    if any(truths[name].value for name in rule["rules_out"] if name in truths):
        return ()
    return tuple(
        sighting
        for name in rule["preflight"]
        if truths[name].value
        for sighting in truths[name].sightings
    )


def _nothing_but(facts: Sequence[Fact]) -> Observations:
    return Observations((), (), (), (), (), (), tuple(facts), (), (), None, frozenset())
