"""One diagnosis in an HTML report: a `Diagnosis` enters, nodes leave."""

import itertools
from typing import Any, Dict, Iterable, List, Sequence

from checker.model import Diagnosis, Line, Observations, Rule, Sighting
from checker.report.accounts import (
    identity_words,
    one_a_line,
    resume_sentence,
    sentence,
    sighting_excerpt,
    verdict_label,
)
from checker.report.markup import Node, element, folded, listed, prose_nodes, section
from checker.report.phrases import (
    counted,
    doubts_of,
    place_phrase,
    ranks_phrase,
    spread_phrase,
    times_phrase,
)
from checker.report.surroundings import logs_note
from checker.report.terminal import Excerpt

_MOST_QUOTES = 40
_MOST_FOLLOWED = 30
_BEFORE_CHARACTERS, _MATCHED_CHARACTERS, _AFTER_CHARACTERS = 240, 600, 400


def headline_nodes(item: Diagnosis, surer: bool, heading: str) -> List[Node]:
    """Say what failed first and where, and quote the line that says so."""
    rule = item.rule
    link = page_link(rule, "All about it")
    about = element("p", {"class": "soft"}, identity_words(item), " - " if link else "", link)
    return [
        element("p", {"class": "label"}, verdict_label(item, surer)),
        element(heading, {}, sentence(rule["title"])),
        element("p", {"class": "place"}, sentence(place_phrase(item))),
        about,
    ]


def page_link(rule: Rule, text: str) -> Node:
    """Link to the entry's page, where there is one."""
    page = rule["page"]
    if not page or not page.startswith(("https://", "http://")):
        return ""
    return element("a", {"href": page, "rel": "noopener noreferrer"}, text)


def quotes(rule: Rule, sightings: Iterable[Sighting]) -> List[Node]:
    """Quote the lines that were seen, each under its place."""
    nodes: List[Node] = []
    for sighting in sightings:
        nodes += _sighting_nodes(rule, sighting)
    return nodes


def evidence_nodes(rule: Rule, sightings: Sequence[Sighting]) -> List[Node]:
    """Quote them all, or as many as a person would read."""
    distinct = one_a_line(sightings)
    nodes = quotes(rule, itertools.islice(distinct, _MOST_QUOTES))
    left = sum(1 for _ in distinct)
    if left > 0:
        said = "and {} (--format json has all)".format(counted(left, "more line"))
        nodes.append(element("p", {"class": "soft"}, said))
    return nodes


def _sighting_nodes(rule: Rule, sighting: Sighting) -> List[Node]:
    line = sighting.line
    if line is None:
        return [element("pre", {}, sighting.text[:_MATCHED_CHARACTERS])]
    notes = [times_phrase(sighting)]
    if sighting.rank is not None:
        notes.insert(0, ranks_phrase([sighting.rank]))
    elif line.writer.source not in ("rank", "unknown"):
        notes.insert(0, line.writer.source)
    notes += doubts_of(sighting)
    values = dict(sighting.values)
    frame: List[Node] = []
    if "frame" in values:
        raised = "\nraised at {}\n{}".format(values["frame"], values.get("code") or "")
        frame = [raised[:_MATCHED_CHARACTERS].rstrip()]
    return quote_nodes(line, sighting_excerpt(rule, sighting, line), notes, frame)


def quote_nodes(
    line: Line, excerpt: Excerpt, notes: Sequence[str], more: Sequence[Node] = ()
) -> List[Node]:
    """Quote a line under its place; what matters in it is marked."""
    text, start, end = excerpt[:3]
    begin = max(0, start - _BEFORE_CHARACTERS)
    stop = min(end, start + _MATCHED_CHARACTERS)
    after = text[stop : stop + _AFTER_CHARACTERS]
    where = "{}:{}".format(*line.place)
    said = ", ".join(note for note in notes if note)
    cut = len(text) > stop + _AFTER_CHARACTERS
    return [
        element("p", {"class": "where"}, where + ("  ({})".format(said) if said else "")),
        element(
            "pre",
            {},
            "..." + text[begin:start] if begin else text[:start].lstrip(),
            element("mark", {}, text[start:stop]) if stop > start else "",
            after + ("..." if cut else ""),
            *more,
        ),
    ]


def step_list(steps: Sequence[str]) -> Node:
    """Number the steps."""
    return listed("ol", [prose_nodes(step) for step in steps])


def todo_nodes(item: Diagnosis) -> Node:
    """Say what to do at once, in a sentence or two."""
    rule = item.rule
    call = rule["on_call"]
    said = prose_nodes("On call: " + call) if call else []
    return element(
        "section",
        {"class": "do"},
        element("h2", {}, "What to do now"),
        element("p", {}, *prose_nodes(rule["summary"]["fix"])),
        element("p", {}, *said) if said else "",
    )


def depth_nodes(item: Diagnosis, observations: Observations) -> List[Node]:
    """Tell why it happens, every step, and how to confirm it; of a possibility that is first."""
    rule = item.rule
    why = section("Why", element("p", {}, *prose_nodes(rule["summary"]["cause"])))
    confirm = section("How to confirm", *_check_nodes(rule["confirm"], observations))
    if item.confidence == 1:
        steps = section("What to do if it is confirmed", step_list(rule["fix"]["now"]))
        return [why, confirm, steps]
    ended = [state.exit is not None for state in observations.ranks]
    stop = [] if ended and all(ended) else rule["stop_safely"]
    resume = resume_sentence(rule)
    return [
        why,
        section("Before you stop the run", step_list(stop)),
        section("Steps", step_list(rule["fix"]["now"])),
        section("Checkpoints", element("p", {}, *prose_nodes(resume)) if resume else ""),
        confirm,
    ]


def _check_nodes(checks: Sequence[Dict[str, Any]], observations: Observations) -> List[Node]:
    items = []
    for check in checks:
        command = check.get("run")
        items.append(
            [
                *prose_nodes(check["check"]),
                element("pre", {}, command.rstrip("\n")) if command else "",
                element("p", {}, element("strong", {}, "Yes: "), *prose_nodes(check["yes"])),
                element("p", {}, element("strong", {}, "No: "), *prose_nodes(check["no"])),
            ]
        )
    note = logs_note([check.get("run") or "" for check in checks], observations)
    return [listed("ol", items), element("p", {"class": "soft"}, note) if note else ""]


def brief_nodes(items: Sequence[Diagnosis]) -> List[Node]:
    """Tell each diagnosis in a line that opens to its evidence."""
    nodes: List[Node] = []
    for item in items[:_MOST_FOLLOWED]:
        rule = item.rule
        where = spread_phrase(item)
        if item.attempt is not None:
            where += (", " if where else "") + "attempt {}".format(item.attempt)
        text = "{}: {}{}".format(
            verdict_label(item, False), sentence(rule["title"]), " - " + where if where else ""
        )
        todo = element("p", {}, "Do: ", *prose_nodes(rule["summary"]["fix"]))
        about = element("p", {"class": "soft"}, rule["id"], " ", page_link(rule, "(its page)"))
        summary = element("summary", {}, text)
        evidence = evidence_nodes(rule, item.evidence)
        nodes.append(element("details", {}, summary, about, *evidence, todo))
    left = len(items) - _MOST_FOLLOWED
    if left > 0:
        nodes.append(element("p", {}, "and {}".format(counted(left, "more", "more"))))
    return nodes


def account_nodes(item: Diagnosis) -> List[Node]:
    """Fold in all that speaks for a diagnosis, and against it."""
    rule = item.rule
    return [
        folded("Evidence", *evidence_nodes(rule, item.evidence)),
        folded("Against it", *evidence_nodes(rule, item.against)),
    ]
