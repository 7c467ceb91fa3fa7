"""The facts that entries may ask for: their type, their unit and how long they hold."""

from typing import Dict, Mapping

from checker.fact_kind import FactKind
from checker.facts_devices import gpu_kinds, plan_kinds, process_kinds, storage_kinds
from checker.facts_host import limit_kinds, memory_kinds, network_kinds, system_kinds
from checker.model import Fact

_FACT_KINDS: Dict[str, FactKind] = {}


def gave_no_answer(fact: Fact) -> bool:
    """Tell what was asked in vain from what is absent, forbidden, or not of this system."""
    return fact.unknown is not None and fact.unknown.startswith("did not answer")


def fact_kinds() -> Mapping[str, FactKind]:
    """List what the facts mean, by name; they are made when first asked for: few runs need it."""
    if not _FACT_KINDS:
        for kinds in (
            *(system_kinds, memory_kinds, limit_kinds, network_kinds),
            *(storage_kinds, gpu_kinds, process_kinds, plan_kinds),
        ):
            _FACT_KINDS.update(kinds())
    return _FACT_KINDS
