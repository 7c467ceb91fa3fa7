"""What stands around the diagnoses in an HTML report: parts of a `Report` enter, nodes leave."""

from typing import Callable, Dict, List, Optional, Sequence, Tuple

from checker.judgement import Report
from checker.model import Fact, Line, RankState
from checker.report.clock_text import spoken_moment
from checker.report.compared_text import compared_sections
from checker.report.html_account import quote_nodes
from checker.report.lag_text import lag_rows
from checker.report.machine_text import machine_rows
from checker.report.markup import Node, element, folded, listed, section
from checker.report.pace_text import pace_texts
from checker.report.phrases import absent_inputs, counted, exit_phrase, ranks_phrase, state_words
from checker.report.process_text import process_rows
from checker.report.surroundings import not_looked_texts
from checker.report.terminal import Excerpt, TextRow
from checker.report.verdict_text import launcher_sentence

_MOST_TABLE_ROWS = 60
_RankRow = Tuple[str, str, str, str]
"""Attempt, host, what is said of the end, and the last time, of all ranks of a row."""


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], count: Optional[int] = None) -> Node:
    """Make a table, or nothing where it would be empty; what does not fit is counted.

    *count* is how many rows there are, where only the first are handed over.
    """
    if not rows:
        return ""
    head = element("tr", {}, *[element("th", {"scope": "col"}, text) for text in heads])
    body = [
        element("tr", {}, *[element("td", {}, *([text] if text else [])) for text in row])
        for row in rows[:_MOST_TABLE_ROWS]
    ]
    left = (len(rows) if count is None else count) - _MOST_TABLE_ROWS
    made = element("table", {}, element("thead", {}, head), element("tbody", {}, *body))
    more = element("p", {}, "and {}".format(counted(left, "more row"))) if left > 0 else ""
    return element("div", {"class": "wide", "tabindex": "0"}, made, more)


def lag_nodes(report: Report) -> Node:
    """Show where the ranks stood in their collectives."""
    rows = [text for _, text in lag_rows(report)]
    return section("Where the ranks were", element("pre", {}, "\n".join(rows)) if rows else "")


def rank_nodes(report: Report) -> List[Node]:
    """Say of every rank where it stood and how it ended, alike ranks in one row."""
    states = report.observations.ranks
    groups = _groups_of_ranks(states, _rank_row, _MOST_TABLE_ROWS)
    groups = groups or _groups_of_ranks(states, _short_rank_row, len(states))
    ordered = sorted(groups.items(), key=lambda group: (group[0][0], len(group[1]), group[1]))
    rows = [
        (ranks_phrase(ranks), host, attempt, said.strip(), last)
        for (attempt, host, said, last), ranks in ordered
    ]
    heads = ("Ranks", "Host", "Attempt", "Last step, and its end", "Last line with a time")
    launcher = launcher_sentence(report.verdict, False)
    launcher = launcher or launcher_sentence(report.verdict, True)
    return [
        section("The launcher's verdict", element("p", {}, launcher) if launcher else ""),
        folded("Ranks", table(heads, rows)),
    ]


def _groups_of_ranks(
    states: Sequence[RankState], row_of: Callable[[RankState], _RankRow], most: int
) -> Dict[_RankRow, List[int]]:
    """List the ranks under what is said of them; none where that is more than is shown."""
    groups: Dict[_RankRow, List[int]] = {}
    for state in states:
        groups.setdefault(row_of(state), []).append(state.rank)
        if len(groups) > most:
            return {}
    return groups


def _rank_row(state: RankState) -> _RankRow:
    step = "" if state.last_step is None else str(state.last_step)
    said = step + " " + exit_phrase(state.exit)
    return _attempt_word(state), state.host or "", said, spoken_moment(state.last_moment) or ""


def _short_rank_row(state: RankState) -> _RankRow:
    return _attempt_word(state), "", state_words(state), ""


def _attempt_word(state: RankState) -> str:
    return "" if state.attempt is None else str(state.attempt)


def pace_nodes(report: Report) -> Node:
    """Tell stalls and slow steps."""
    texts = [[text.strip()] for text in pace_texts(report)]
    return section("Pace of the steps", listed("ul", texts))


def unexplained_nodes(lines: Sequence[Line]) -> Node:
    """Quote the error lines that no entry explains."""
    nodes: List[Node] = []
    for line in lines[:_MOST_TABLE_ROWS]:
        start = max(0, line.shown.rfind(line.text))
        notes = [] if line.writer.rank is None else [ranks_phrase([line.writer.rank])]
        nodes += quote_nodes(line, Excerpt(line.shown, start, start, start), notes)
    left = len(lines) - _MOST_TABLE_ROWS
    if left > 0:
        nodes.append(element("p", {}, "and {}".format(counted(left, "more line"))))
    return folded("Errors that no entry explains ({:,})".format(len(lines)), *nodes)


def machine_nodes(report: Report) -> List[Node]:
    """Tell what processes did, what is wrong with the machines, and what has changed there."""
    facts = report.observations.facts
    sections = [("Machine", machine_rows(facts)), *compared_sections(report)]
    return [
        folded("Processes", _text_block(process_rows(facts))),
        *(section(heading, _text_block(rows)) for heading, rows in sections),
    ]


def _text_block(rows: Sequence[TextRow]) -> Node:
    return element("pre", {}, "\n".join(text for _, text in rows)) if rows else ""


def fact_nodes(facts: Sequence[Fact]) -> Node:
    """List what is known of the machines and the job, and why the rest is not."""
    rows = dict.fromkeys(map(_fact_row, facts))
    ordered = sorted(rows, key=lambda row: (row[0], row[2]))
    return folded("Facts", table(("Fact", "Value", "Host", "Read at"), ordered))


def _fact_row(fact: Fact) -> Tuple[str, ...]:
    where = "{}:{}".format(*fact.line.place) if fact.line else ""
    value = str(fact.value) if fact.unknown is None else "not known: " + fact.unknown
    return fact.name, value[:400], fact.host or "", where


def input_nodes(report: Report) -> List[Node]:
    """Say what was read, and so that silence is not taken for health, what was not."""
    inputs = report.observations.inputs
    rows = [
        (given.path, given.status, given.reason or "", counted(given.lines or 0, "line"))
        for given in inputs[:_MOST_TABLE_ROWS]
    ]
    absent = absent_inputs(report.observations)
    texts = not_looked_texts(report) + ["not among the inputs: " + text for text in absent]
    return [
        section("Not looked at", listed("ul", [[text] for text in texts])),
        folded("Inputs", table(("Path", "Status", "Reason", "Lines"), rows, len(inputs))),
    ]
