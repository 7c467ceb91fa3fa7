"""The facts that entries may ask for: their type, their unit and how long they hold."""

from typing import Dict

from checker.fact_kind import FactKind
from checker.facts_devices import gpu_kinds, plan_kinds, process_kinds, storage_kinds
from checker.facts_host import limit_kinds, memory_kinds, network_kinds, system_kinds


def fact_kinds() -> Dict[str, FactKind]:
    """List what the facts mean, by name; a function, since few runs need it."""
    return {
        **system_kinds(),
        **memory_kinds(),
        **limit_kinds(),
        **network_kinds(),
        **storage_kinds(),
        **gpu_kinds(),
        **process_kinds(),
        **plan_kinds(),
    }
