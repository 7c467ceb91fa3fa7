"""Signs of the lag table: the verdicts on process groups enter; whether one is so leaves.

A sighting is about a rank that holds the others up, where one is proven to; else, and for a
symptom, about each rank that waits. Who stands still itself shows that symptom itself, and the
others are its witnesses.
"""

from typing import Any, Dict, List, Tuple

from checker.collective.records import FROZEN, UNDECIDED, GroupLag
from checker.judgement import Truth
from checker.match.scene import line_place
from checker.match.signs_text import SignCase, make_sighting
from checker.model import Line, Sighting, Sign
from checker.report.phrases import ranks_phrase

_MOST_SIGHTED = 64


def judge_collective(case: SignCase) -> Truth:
    """Look for groups with this verdict."""
    wanted = case.sign["collective"]
    lags: Tuple[GroupLag, ...] = case.scene.observations.lags
    if not lags:
        return Truth(None, (), "nothing tells which collectives the ranks were in")
    fitting = [lag for lag in lags if lag.verdict == wanted]
    if fitting:
        return Truth(True, tuple(s for lag in fitting for s in _lag_sightings(case, lag)), "")
    undecided = [lag for lag in lags if lag.verdict == UNDECIDED]
    if undecided:
        return Truth(None, (), undecided[0].why)
    return Truth(False, (), lags[0].why)


def _lag_sightings(case: SignCase, lag: GroupLag) -> List[Sighting]:
    waiting = [row for row in lag.rows if row.told.waits_in is not None]
    rows = {row.rank: row for row in lag.rows}
    values = _lag_values(lag)
    if lag.verdict == FROZEN:
        places = list(lag.accused) or [row.rank for row in lag.rows if row.told.stuck]
    elif case.symptom and not waiting:
        lines = sorted(set(lag.lines), key=line_place)
        return [make_sighting(case, line, line.text.strip(), values) for line in lines]
    elif case.symptom or not lag.accused:
        places = [row.rank for row in waiting or lag.rows]
    else:
        places = list(lag.accused)
    witness = (waiting or lag.rows)[0]
    return [
        _sighting_of(case, lag.lines[rows.get(rank, witness).at], rank, values)
        for rank in places[:_MOST_SIGHTED]
    ]


def _lag_values(lag: GroupLag) -> Dict[str, Any]:
    call = lag.call
    known = {
        "group": lag.group + (" ({})".format(lag.described) if lag.described else ""),
        "seq": call.seq if call is not None else None,
        "op": call.op if call is not None else None,
        "numel": call.numel_in if call is not None else None,
        "timeout": lag.timeout,
        "ranks": ranks_phrase(lag.accused) if lag.accused else None,
        "why": lag.why,
    }
    return {name: value for name, value in known.items() if value not in (None, "")}


def _sighting_of(case: SignCase, line: Line, rank: int, values: Dict[str, Any]) -> Sighting:
    """Make a sighting about a rank, of which another one's line may tell."""
    made = make_sighting(case, line, line.text.strip(), values)
    if made.rank == rank:
        return made
    host = case.scene.rank_hosts.get(rank)
    return made._replace(rank=rank, local_rank=None, host=host, pid=None)


def words_collective(sign: Sign) -> str:
    """Name a verdict that is looked for."""
    return "process groups with the verdict '{}'".format(sign["collective"].replace("_", " "))
