"""Several runs in one reading, each diagnosed alone: their files enter, one `Report` leaves."""

from typing import Callable, Dict, List, Optional, Sequence, Tuple

from checker.diagnose.runs import RunFiles, Runs
from checker.judgement import Nearest, Report
from checker.match.scene import line_place
from checker.model import Line, Observations

_MOST_SHARING = 32
_MOST_NEAREST_OF_RUNS = 10
_MOST_UNEXPLAINED_OF_RUNS = 20

Ask = Callable[[Sequence[str]], Report]
"""Reads the files of these paths and diagnoses them."""


def diagnose_apart(seen: Observations, runs: Runs, ask: Ask) -> Report:
    """Diagnose every run alone; what only a shared log says belongs to none of them."""
    told: List[Tuple[str, Report]] = []
    shared = runs.shared if len(runs.runs) <= _MOST_SHARING else ()
    taken = False
    for run in runs.runs:
        joined = _joined_with(run, shared, ask) if shared else None
        taken = taken or joined is not None
        told.append((run.label, joined if joined is not None else ask(run.paths)))
    rest = ask(runs.shared) if runs.shared and not taken else None
    return _put_together(seen, told, rest)


def _joined_with(run: RunFiles, shared: Sequence[str], ask: Ask) -> Optional[Report]:
    """Diagnose a run with the shared logs; None unless both together prove something."""
    report = ask((*run.paths, *shared))
    for diagnosis in report.diagnoses:
        paths = {s.line.path for s in diagnosis.evidence if s.line is not None}
        if not paths.isdisjoint(shared) and not paths.isdisjoint(run.paths):
            return report
    return None


def _put_together(
    seen: Observations, told: Sequence[Tuple[str, Report]], rest: Optional[Report]
) -> Report:
    reports = [report for _, report in told] + ([rest] if rest else [])
    lines = sorted((line for report in reports for line in report.unexplained), key=line_place)
    observations = seen._replace(
        ranks=tuple(s._replace(run=run) for run, r in told for s in r.observations.ranks),
        lags=tuple(lag._replace(run=run) for run, r in told for lag in r.observations.lags),
        world_size=None,
        verdicts=(),
    )
    return Report(
        observations,
        tuple(d._replace(run=run) for run, report in told for d in report.diagnoses)
        + (rest.diagnoses if rest else ()),
        tuple(d._replace(run=run) for run, report in told for d in report.recovered)
        + (rest.recovered if rest else ()),
        _distinct(lines)[:_MOST_UNEXPLAINED_OF_RUNS],
        _nearest_of(reports),
        tuple(
            pair
            for pair in reports[0].not_checked
            if all(pair in report.not_checked for report in reports)
        ),
        max(report.looked_for for report in reports),
        tuple(run for run, _ in told),
        unanswered=tuple(sorted({name for report in reports for name in report.unanswered})),
        story=next((r.story for r in reports if r.story is not None), None),
        traces=tuple(t._replace(run=run) for run, report in told for t in report.traces)
        + (rest.traces if rest else ()),
    )


def _distinct(lines: Sequence[Line]) -> Tuple[Line, ...]:
    """Keep one of what several runs tell of a shared log."""
    return tuple({line_place(line): line for line in lines}.values())


def _nearest_of(reports: Sequence[Report]) -> Tuple[Nearest, ...]:
    found: Dict[str, Nearest] = {}
    for report in reports:
        for near in report.nearest:
            found.setdefault(near.id, near)
    return tuple(found.values())[:_MOST_NEAREST_OF_RUNS]
