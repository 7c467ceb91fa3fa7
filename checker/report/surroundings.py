"""What stands around the diagnoses: the parts of a `Report` enter, rows of text leave.

The state of the ranks, errors that no entry explains, entries that nearly fit, and, so that
silence is not taken for health, everything that was not looked at.
"""

import os
from typing import Dict, Iterable, List, Sequence, Tuple

from checker.diagnose.next_check import WORD_FOR_LOGS
from checker.judgement import Nearest, Report
from checker.model import Line, Observations, RankState
from checker.report.accounts import bullet_rows, plain, quote_rows
from checker.report.phrases import absent_inputs, counted, ranks_phrase, state_words
from checker.report.terminal import Excerpt, TextRow, wrap_text
from checker.report.verdict_text import launcher_sentence

# What an entry's commands say for the logs.
_SHOWN_NEAREST = 3
_MOST_TOLD_GROUPS = 6
_MOST_NAMES = 4
_MOST_COLUMNS_OF_NAMES = 100


def rank_rows(report: Report) -> List[TextRow]:
    """Say where the ranks stood and how they ended, if that tells some of them from others."""
    states = [state for state in last_states(report) if state_words(state)]
    if not failed_ranks(report) and len({state.last_step for state in states}) < 2:
        return []
    groups: Dict[str, List[int]] = {}
    for state in states:
        groups.setdefault(state_words(state), []).append(state.rank)
    ordered = sorted(groups.items(), key=lambda group: (len(group[1]), group[1]))
    rows: List[TextRow] = []
    for state_text, ranks in ordered[:_MOST_TOLD_GROUPS]:
        text = "{}: {}".format(ranks_phrase(ranks), state_text)
        rows += plain(wrap_text(text, "  ", "    "))
    left = sum(len(ranks) for _, ranks in ordered[_MOST_TOLD_GROUPS:])
    if left:
        rows += plain(["  and {} in other states".format(counted(left, "rank"))])
    launcher = launcher_sentence(report.verdict, False)
    return rows + (plain(wrap_text(launcher, "  ", "    ")) if launcher else [])


def last_states(report: Report) -> List[RankState]:
    """List the ranks of the last attempt."""
    states = report.observations.ranks
    known = [state.attempt for state in states if state.attempt is not None]
    known += [number for _, _, number in report.observations.attempts]
    last = max(known, default=None)
    return [state for state in states if state.attempt in (None, last)]


def failed_ranks(report: Report) -> List[int]:
    """List the ranks whose process failed by itself, not in the launcher's teardown."""
    return [
        state.rank
        for state in last_states(report)
        if state.exit is not None
        and state.exit.by != "launcher"
        and (state.exit.signal is not None or state.exit.code)
    ]


def unexplained_rows(lines: Sequence[Line], most: int) -> List[TextRow]:
    """Quote the first error lines that no entry explains."""
    rows: List[TextRow] = []
    for line in lines[:most]:
        start = max(0, line.shown.rfind(line.text))
        notes = [] if line.writer.rank is None else [ranks_phrase([line.writer.rank])]
        rows += quote_rows(line, Excerpt(line.shown, start, start, start), notes, 2, "  ")
    left = len(lines) - most
    if left > 0:
        rows += plain(["  and {} (--format json has all)".format(counted(left, "more line"))])
    return rows


def nearest_rows(nearest: Sequence[Nearest]) -> List[TextRow]:
    """Name the entries that nearly fit, each with what it lacks."""
    return bullet_rows(
        ["{}: {}".format(near.id, near.missing) for near in nearest[:_SHOWN_NEAREST]]
    )


def not_looked_rows(report: Report) -> List[TextRow]:
    """Sum up, one line a reason, what was not looked at."""
    return bullet_rows(not_looked_texts(report))


def not_looked_texts(report: Report) -> List[str]:
    """Sum up, one text a reason, the inputs not (fully) read and the entries not looked for."""
    inputs: List[Tuple[str, str]] = [
        (given.reason or given.status, given.path)
        for given in report.observations.inputs
        if given.reason or given.status != "read"
    ]
    entries = [(reason, name) for name, reason in report.not_checked]
    return _by_reason(inputs, "input", "inputs") + _by_reason(entries, "entry", "entries")


def wanted_rows(observations: Observations) -> List[TextRow]:
    """Ask for the logs that were not among the inputs."""
    absent = absent_inputs(observations)
    if not absent:
        return []
    return plain(["  Give these too, if you can get them:"]) + bullet_rows(absent, "    ")


def logs_rows(commands: Iterable[str], observations: Observations, indent: str) -> List[TextRow]:
    """Say what to write for the word LOGS."""
    text = logs_note(commands, observations)
    return plain(wrap_text(text, indent, indent + "  ")) if text else []


def logs_note(commands: Iterable[str], observations: Observations) -> str:
    """Say what the word LOGS stands for in an entry's commands, where one has it."""
    if not any(WORD_FOR_LOGS in command.split() for command in commands):
        return ""
    return "{} stands for your logs: {}".format(WORD_FOR_LOGS, _common_place(observations))


def _common_place(observations: Observations) -> str:
    """Name the file that was read, or the folder that holds all of them."""
    paths = [given.path for given in observations.inputs if given.status == "read"]
    folders = {os.path.dirname(path) for path in paths}
    if len(paths) == 1:
        return "the file that you piped in" if paths[0] == "-" else paths[0]
    try:
        return os.path.commonpath(folders) or "."
    except ValueError:
        return "the files and folders that you named"


def _by_reason(pairs: Sequence[Tuple[str, str]], one: str, many: str) -> List[str]:
    groups: Dict[str, List[str]] = {}
    for reason, name in pairs:
        groups.setdefault(reason, []).append(name)
    texts = []
    for reason, names in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        texts.append("{}: {} ({})".format(counted(len(names), one, many), reason, _some(names)))
    return texts


def _some(names: Sequence[str]) -> str:
    """Name the first few, fewer if they are long."""
    ordered = sorted(names)
    shown = ordered[:1]
    for name in ordered[1:_MOST_NAMES]:
        if len(", ".join([*shown, name])) > _MOST_COLUMNS_OF_NAMES:
            break
        shown.append(name)
    return ", ".join(shown + (["..."] if len(shown) < len(ordered) else []))
