"""The command `preflight`: what is planned enters, what the run would meet leaves."""

import os
from typing import FrozenSet, List, Optional

from checker.arguments import Request, UsageError
from checker.catalogue import Catalogue
from checker.check import asked_seconds, chosen_format
from checker.match.values import size_in_bytes
from checker.model import Fact
from checker.outcome import (
    DIAGNOSED,
    INTERRUPTED,
    NO_ANSWER,
    NOTHING_RECOGNIZED,
    Outcome,
)
from checker.preflight.packages import package_facts
from checker.preflight.plan import USUAL_PORT, RunPlan, plan_facts
from checker.preflight.risk_text import risk_rows, risks_json, unanswered
from checker.preflight.risks import Outlook, asked_facts, outlook_of
from checker.probe.children import Children
from checker.probe.machine import Machine
from checker.probe.registry import Probe, probe_machine, probes
from checker.report.terminal import paint

_BUDGET_BEFORE = 30.0
_FORMS = {"text": "text", "json": "json"}


def run_preflight(request: Request, catalogue: Catalogue) -> Outcome:
    """Ask the machine by what entries are known before a run, and tell those that are met."""
    form = chosen_format(request.options.get("--format", "text"), _FORMS)
    plan = _plan_of(request)
    paths = () if plan.folder is None else (os.path.abspath(plan.folder),)
    budget = asked_seconds(request, "--budget") or _BUDGET_BEFORE
    machine = Machine(Children(budget), paths=paths, say=request.say)
    facts: List[Fact] = []
    interrupted = False
    try:
        _ask_all(machine, plan, asked_facts(catalogue), facts)
    except KeyboardInterrupt:
        interrupted = True
    outlook = outlook_of(catalogue, facts)
    text = (
        paint(risk_rows(outlook, facts), request.color)
        if form == "text"
        else risks_json(outlook, facts)
    )
    return Outcome(INTERRUPTED if interrupted else _status_of(outlook, facts), text)


def _ask_all(machine: Machine, plan: RunPlan, asked: FrozenSet[str], facts: List[Fact]) -> None:
    """Ask the plan first, and of the machine what entries ask for."""
    facts += plan_facts(machine, plan)
    facts += package_facts(machine)
    for probe in probes():
        if _is_asked(probe, asked):
            if probe.first is not None:
                probe.first(machine)
            facts += probe_machine(machine, [probe])


def _is_asked(probe: Probe, asked: FrozenSet[str]) -> bool:
    # Which system it is rules entries out.
    names = probe.gives.split()
    return "system.wsl" in names or "probes.left" in names or not asked.isdisjoint(names)


def _status_of(outlook: Outlook, facts: List[Fact]) -> int:
    if outlook.risks:
        return DIAGNOSED
    return NO_ANSWER if unanswered(outlook, facts) else NOTHING_RECOGNIZED


def _plan_of(request: Request) -> RunPlan:
    if len(request.words) > 1 or (request.words and "--output" in request.options):
        raise UsageError("a run has one folder for checkpoints", "name the one that matters most")
    folder = request.options.get("--output") or next(iter(request.words), None)
    return RunPlan(folder, _named_size(request), _port())


def _named_size(request: Request) -> Optional[int]:
    text = request.options.get("--size")
    if text is None:
        return None
    try:
        return size_in_bytes(text.strip())
    except (ValueError, KeyError, IndexError, AttributeError):
        raise UsageError(
            "--size is the size of a checkpoint, and '{}' is none".format(text), "write --size 80GB"
        ) from None


def _port() -> int:
    text = os.environ.get("MASTER_PORT", "")
    return int(text) if text.isdigit() and 0 < int(text[:6]) < 65536 else USUAL_PORT
