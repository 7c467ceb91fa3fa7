"""What is wrong with the machine, as rows of the report: facts enter, rows leave.

A healthy machine has no rows. What did not answer is told like what is broken.
"""

from typing import Any, Dict, List, Optional, Sequence

from checker.model import Fact
from checker.report.accounts import bullet_rows
from checker.report.phrases import counted
from checker.report.terminal import TextRow, visible

_SHOWN_OF_A_KIND = 6
_FILES_LEFT, _FEW_FILES_LEFT = "process.files_left", 4
_BROKEN_LISTS = (
    ("mounts.silent", "{}"),
    ("mounts.full", "no free space on {}"),
    ("mounts.no_inodes", "no free inode on {}"),
    ("nfs.silent", "NFS: {}"),
    ("nfs.unreachable", "the file server {}"),
    ("lustre.lost", "Lustre: {}"),
    ("quota.exceeded", "over quota: {}"),
    ("gpu.pci.gone", "the GPU {} does not answer on the PCI bus"),
    ("gpu.errors", "{}"),
    ("gpu.throttled", "slowed down: {}"),
    ("gpu.foreign", "GPU memory: {}"),
    ("network.down", "the network card {} has no link"),
    ("network.flaps", "{}"),
    ("ib.down", "the InfiniBand port {} is not active"),
    ("ib.growing", "{}"),
    ("names.unknown", "the resolver does not know {}"),
    ("ranks.missing", "{}"),
    ("peers.silent", "{}"),
    ("nccl.ras", "NCCL: {}"),
    ("library.copies", "two copies are loaded of {}"),
    ("library.foreign", "{}"),
)
"""Lists of what is broken, and the words around each."""
_LINK_TROUBLE = ("link_downed", "link_error_recovery", "local_ack_timeout_err")
"""Other counters of a port grow on sound networks too."""
_BROKEN_TRUTHS = (
    ("system.rebooted", True, "the machine has booted since the logs were last written"),
    ("cgroup.frozen", True, "the cgroup is frozen"),
    ("gpfs.runs", False, "GPFS is mounted, and its daemon mmfsd does not run"),
    ("checkpoint.overdue", True, "three usual intervals have passed without a new checkpoint"),
    ("lustre.health", "NOT HEALTHY", "Lustre calls itself NOT HEALTHY"),
)
_MOST_TEXTS, _NAMED_HOSTS = 40, 4


def machine_rows(facts: Sequence[Fact]) -> List[TextRow]:
    """Tell what is full, broken, or gave no answer; of several machines on which of them."""
    hosts: Dict[Optional[str], List[Fact]] = {}
    for fact in facts:
        if fact.line is None or fact.name == _FILES_LEFT:
            hosts.setdefault(fact.host, []).append(fact)
    told: Dict[str, List[str]] = {}
    for host, probed in hosts.items():
        for text in _machine_texts(probed):
            told.setdefault(text, []).append(host or "this machine")
    texts = [text + _on_hosts(found, len(hosts)) for text, found in told.items()]
    left = len(texts) - _MOST_TEXTS
    more = ["and {} more (--format json has all)".format(left)] if left > 0 else []
    return bullet_rows([visible(text) for text in texts[:_MOST_TEXTS] + more])


def _on_hosts(hosts: Sequence[str], known: int) -> str:
    if known < 2:
        return ""
    named = ", ".join(sorted(hosts)[:_NAMED_HOSTS])
    left = len(hosts) - _NAMED_HOSTS
    return " (on {}{})".format(named, " and {:,} more".format(left) if left > 0 else "")


def _machine_texts(facts: Sequence[Fact]) -> List[str]:
    probed = [fact for fact in facts if fact.line is None]
    found = {fact.name: fact.value for fact in probed if fact.unknown is None}
    texts = [text for name, words in _BROKEN_LISTS for text in _listed(name, words, found)]
    texts += [words for name, value, words in _BROKEN_TRUTHS if _is(found.get(name), value)]
    texts += _joined_rows(found)
    texts += _full_rows(facts)
    texts += _unanswered_rows(probed)
    if found.get("probes.left"):
        left = counted(found["probes.left"], "probe")
        texts.append(left + " left behind: to end them is not possible until that answers")
    return texts


def _joined_rows(found: Dict[str, Any]) -> List[str]:
    """Tell what two facts say together, and what is told with its number."""
    texts = []
    if found.get("gpu.nvswitches") and found.get("gpu.fabric_manager") is False:
        texts.append("the GPUs are behind NVSwitches, and the fabric manager does not run")
    if found.get("cpu.allowed") == 1 and found.get("cpu.count", 1) > 1:
        texts.append("the process may run on one of {:,} processors".format(found["cpu.count"]))
    if found.get("memory.ecc.uncorrected"):
        texts.append(
            "{:,} memory errors were not corrected".format(found["memory.ecc.uncorrected"])
        )
    if found.get("gpu.trouble"):
        texts.append("nvidia-smi: " + found["gpu.trouble"])
    return texts


def _is(value: object, wanted: object) -> bool:
    """Compare, and take no truth for a number."""
    return type(value) is type(wanted) and value == wanted


def _listed(name: str, words: str, found: Dict[str, Any]) -> List[str]:
    values = found.get(name) or []
    if name == "ib.growing":
        values = [value for value in values if any(word in value for word in _LINK_TROUBLE)]
    texts = [words.format(value) for value in values[:_SHOWN_OF_A_KIND]]
    if len(values) > _SHOWN_OF_A_KIND:
        texts.append("{}: {:,} more".format(name, len(values) - _SHOWN_OF_A_KIND))
    return texts


def _full_rows(facts: Sequence[Fact]) -> List[str]:
    """Name the processes that can open hardly another file."""
    return [
        fact.line.shown
        for fact in facts
        if fact.name == _FILES_LEFT and fact.line is not None and fact.value < _FEW_FILES_LEFT
    ][:_SHOWN_OF_A_KIND]


def _unanswered_rows(facts: Sequence[Fact]) -> List[str]:
    """Group what is not known for want of an answer, or of a right that root has."""
    groups: Dict[str, List[str]] = {}
    for fact in facts:
        reason = fact.unknown or ""
        if reason.startswith(("did not answer", "not asked", "no right:", "the probe")):
            groups.setdefault(reason, []).append(fact.name)
    return ["{}: {}".format(", ".join(names), reason) for reason, names in groups.items()]
