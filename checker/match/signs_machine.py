"""Signs of the machine and of what is installed on it: facts and versions."""

from typing import Any, List, Sequence

from checker.facts import fact_kinds, gave_no_answer
from checker.judgement import Truth
from checker.match.homes import known_host
from checker.match.scene import Scene
from checker.match.signs_text import SignCase
from checker.match.values import version_in_range, version_order
from checker.model import Fact, Sighting, Sign

VERSION_FACT = "version "
"""A version is the fact of this name with the package behind it."""


def judge_fact(case: SignCase) -> Truth:
    """Compare what is known under the fact's name."""
    name = case.sign["fact"]
    facts = case.scene.facts.get(name, ())
    if not facts:
        return Truth(None, (), _why_no_fact(case.scene, name))
    kind = fact_kinds().get(name)
    of_living = kind is not None and kind.of_process and any(fact.line for fact in facts)
    if kind is not None and not kind.lasting and not of_living and _run_has_ended(case.scene):
        return Truth(None, (), "{} says nothing of a run that has ended".format(name))
    return _judge_known(case, facts, "{} is otherwise".format(name))


def _judge_known(case: SignCase, facts: Sequence[Fact], otherwise: str) -> Truth:
    known = [fact for fact in facts if fact.unknown is None]
    if not known:
        silent = any(map(gave_no_answer, facts))
        return Truth(None, (), "{}: {}".format(facts[0].name, facts[0].unknown), silent)
    fitting = [fact for fact in known if _fact_fits(fact.value, case.sign)]
    if fitting:
        return Truth(True, tuple(_fact_sighting(case, fact) for fact in fitting), "")
    return Truth(False, tuple(_fact_sighting(case, fact) for fact in known), otherwise)


def _why_no_fact(scene: Scene, name: str) -> str:
    if any(fact.line is None for fact in scene.observations.facts):
        return "{} was not asked of the machine".format(name)
    return "the machine was not probed"


def _run_has_ended(scene: Scene) -> bool:
    last = scene.attempts[-1]
    return any(ended.line.writer.attempt in (None, last) for ended in scene.observations.exits)


def _fact_fits(value: Any, sign: Sign) -> bool:
    if sign["kind"] == "version":
        return version_in_range(str(value), sign["range"])
    wanted, relation = sign["value"], sign["is"]
    if relation in ("equals", "differs"):
        return bool((value == wanted) == (relation == "equals"))
    if relation in ("contains", "lacks"):
        return bool(_holds(value, wanted) == (relation == "contains"))
    if isinstance(value, (int, float)) and isinstance(wanted, (int, float)):
        return bool(value > wanted) if relation == "above" else bool(value < wanted)
    return False


def _holds(value: Any, wanted: Any) -> bool:
    if isinstance(value, str):
        return str(wanted) in value
    if isinstance(value, (list, tuple)):
        return wanted in value or any(isinstance(v, str) and str(wanted) in v for v in value)
    return bool(value == wanted)


def _fact_sighting(case: SignCase, fact: Fact) -> Sighting:
    line = fact.line
    kind = fact_kinds().get(fact.name)
    process = line if kind is not None and kind.of_process else None
    return Sighting(
        case.name,
        case.sign["kind"],
        line,
        line.text.strip() if line else "{} = {}".format(fact.name, plain_value(fact.value)),
        process.writer.rank if process else None,
        process.writer.local_rank if process else None,
        known_host(line.writer.host if line else fact.host),
        process.pid if process else None,
        (("value", fact.value),),
        1,
        True,
        line.moment if line else None,
        case.sign["onset"],
    )


def plain_value(value: Any) -> str:
    """Write a fact's value as a person would."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(str(item) for item in value)
    return str(value)


def words_fact(sign: Sign) -> str:
    """Name a fact that is looked for."""
    kind = fact_kinds().get(sign["fact"])
    meaning = kind.meaning.rstrip(".") if kind is not None else sign["fact"]
    return "{} {} {} ({})".format(sign["fact"], sign["is"], plain_value(sign["value"]), meaning)


def judge_version(case: SignCase) -> Truth:
    """Compare the versions that are known of the package."""
    package = case.sign["version"]
    facts = version_facts(case.scene, package)
    if not facts:
        return Truth(None, (), "the version of {} is not known".format(package))
    return _judge_known(case, facts, "the version of {} is another".format(package))


def version_facts(scene: Scene, package: str) -> Sequence[Fact]:
    """List what is known of the version of a package."""
    return scene.facts.get(VERSION_FACT + package, ())


def known_versions(scene: Scene, package: str) -> List[str]:
    """List the versions of a package that were told, in their order."""
    told = {str(fact.value) for fact in version_facts(scene, package) if fact.unknown is None}
    return sorted(told, key=version_order)


def words_version(sign: Sign) -> str:
    """Name a version that is looked for."""
    return "{} {}".format(sign["version"], sign["range"])
