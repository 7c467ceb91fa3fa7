"""The report as one HTML file: a `Report` enters, ASCII text leaves.

The file asks nothing of a network and runs no script; a policy in it forbids both, since it holds
foreign text and is handed on. What can be opened or stretched is so by markup and style alone. Its
top says what failed first, and each part below goes deeper.
"""

from typing import Dict, List, Sequence, Tuple

from checker.catalogue import Catalogue
from checker.judgement import Report
from checker.model import Diagnosis
from checker.report.accounts import sentence
from checker.report.clock_text import clock_rows
from checker.report.html_account import (
    account_nodes,
    brief_nodes,
    depth_nodes,
    headline_nodes,
    quotes,
    todo_nodes,
)
from checker.report.html_surroundings import (
    fact_nodes,
    input_nodes,
    lag_nodes,
    machine_nodes,
    pace_nodes,
    rank_nodes,
    unexplained_nodes,
)
from checker.report.markup import Node, element, folded, html_text, listed, prose_nodes, section
from checker.report.page_style import page_style
from checker.report.phrases import anything_read
from checker.report.render_runs import report_of_run
from checker.report.render_text import footer_sentence
from checker.report.story import (
    Story,
    followed_from,
    leading_of,
    recognized,
    run_story,
    without_lone_attempt,
)
from checker.report.timeline_svg import timeline_nodes
from checker.report.tracks import Tracks, tracks_of
from checker.report.verdict_notes import unrecognized_text, verdict_notes
from checker.scan.moments import timeline

_MOST_RUN_PARTS = 12


def render_html(report: Report, catalogue: Catalogue) -> str:
    """Render the whole report."""
    import base64  # noqa: PLC0415 - costs start-up
    import hashlib  # noqa: PLC0415 - costs start-up

    content = _runs_nodes(report) if report.runs else _run_nodes(without_lone_attempt(report))
    title = _page_title(report)
    style = page_style()
    digest = base64.b64encode(hashlib.sha256(style.encode("ascii")).digest()).decode("ascii")
    policy = (
        "default-src 'none'; style-src 'sha256-{}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    ).format(digest)
    head = element(
        "head",
        {},
        element("meta", {"charset": "utf-8"}),
        element("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("meta", {"name": "referrer", "content": "no-referrer"}),
        element("title", {}, title),
        element("link", {"rel": "icon", "href": "data:,"}),
        element("style", {}, style),
    )
    footer = element("footer", {"class": "soft"}, footer_sentence(report, catalogue))
    body = element("body", {}, element("main", {}, *content), footer)
    return "<!DOCTYPE html>\n" + html_text(element("html", {"lang": "en"}, head, body)) + "\n"


def _page_title(report: Report) -> str:
    if report.runs or not report.diagnoses:
        return "Trainwreck report"
    return sentence(report.diagnoses[0].rule["title"]) + " - Trainwreck report"


def _run_nodes(report: Report) -> List[Node]:
    """Tell the story of one run."""
    story = run_story(report)
    nodes = [_verdict_node(report, story.current, "h1")]
    top = story.current[:1]
    nodes += [todo_nodes(item) for item in top if item.confidence > 1]
    nodes.append(_timeline_section(report, story))
    nodes.append(lag_nodes(report))
    for item in top:
        nodes += account_nodes(item)
        nodes += depth_nodes(item, report.observations)
    nodes += _other_parts(report, story)
    nodes += rank_nodes(report)
    nodes.append(pace_nodes(report))
    clocks = [text for _, text in clock_rows(report.observations.clocks)]
    quoted = element("pre", {}, "\n".join(clocks)) if clocks else ""
    nodes.append(folded("Clocks, for the order of events", quoted))
    nodes.append(unexplained_nodes(report.unexplained))
    nearest = [["{}: {}".format(near.id, near.missing)] for near in story.nearest]
    nodes.append(folded("Nearest entries, and what is missing", listed("ul", nearest)))
    nodes += machine_nodes(report)
    nodes.append(fact_nodes(report.observations.facts))
    return [*nodes, *input_nodes(report)]


def _other_parts(report: Report, story: Story) -> List[Node]:
    followed = [d for item in story.current[:1] for d in followed_from(item, story.current)]
    independent = "Independent of it" if recognized(story.others) else "Also possible"
    decide = [
        [element("pre", {}, item.next["command"]), *prose_nodes(item.next["decides"])]
        for item in leading_of(story.current)
        if item.next
    ]
    return [
        section("What followed from it", *brief_nodes(followed)),
        section("It, or this: both rest on the same lines", *brief_nodes(story.rivals)),
        section(independent, *brief_nodes(story.others)),
        section("Symptoms whose cause was not seen", *brief_nodes(story.symptoms)),
        section("What would decide", listed("ul", decide)),
        section("Earlier attempts", *brief_nodes(story.earlier)),
        section("Seen, but the run recovered from it", *brief_nodes(report.recovered)),
    ]


def _verdict_node(report: Report, current: Sequence[Diagnosis], heading: str) -> Node:
    """Say in one place what a person has to see first."""
    said = verdict_notes(report, current)
    cautions = [element("p", {"class": "note"}, text) for style, text in said if style == "caution"]
    notes = [element("p", {}, text) for style, text in said if style != "caution"]
    sure = recognized(current)
    kind = "verdict" if sure else "verdict caution"
    if not current:
        return element(
            "header", {"class": kind}, *_unrecognized_nodes(report, heading), *cautions, *notes
        )
    top = current[0]
    lead = ""
    if not sure:
        harmless = top.rule["kind"] == "benign"
        what = "no harm found" if harmless else "possible, but not proven"
        lead = element("p", {}, "No known failure recognized; {}:".format(what))
    headline = headline_nodes(top, sure, heading)
    quote = quotes(top.rule, top.evidence[:1])
    return element("header", {"class": kind}, lead, *headline, *cautions, *quote, *notes)


def _unrecognized_nodes(report: Report, heading: str) -> List[Node]:
    if not anything_read(report.observations):
        text = "Nothing was readable, so nothing is known about this run."
        return [element(heading, {}, text)]
    label = element("p", {"class": "label"}, "NO KNOWN FAILURE RECOGNIZED")
    return [label, element(heading, {}, unrecognized_text(report))]


def _timeline_section(report: Report, story: Story) -> Node:
    seen = report.observations
    found = tracks_of(report, seen.ranks, (*story.current, *story.earlier))
    drawn = timeline_nodes(found, _attempts_before(report, found))
    if not drawn and seen.ranks:
        text = "The logs carry too few times to draw this; the table of ranks is below."
        drawn = [element("p", {"class": "soft"}, text)]
    return section("Ranks over time", *drawn)


def _attempts_before(report: Report, found: Tracks) -> List[Tuple[int, float]]:
    """List the attempts before the last, and when each printed its last line."""
    ends: Dict[int, float] = {}
    for number, moment in report.observations.last_times:
        axis, at = timeline(moment)
        if number is not None and axis == found.axis:
            ends[number] = max(at, ends.get(number, at))
    return sorted(ends.items())[:-1]


def _runs_nodes(report: Report) -> List[Node]:
    """Tell each of several runs by its verdict; each has its own report if it is read alone."""
    failed = {d.run for d in report.diagnoses if d.run is not None and recognized([d])}
    text = "{} different runs; a known failure was recognized in {}".format(
        len(report.runs), len(failed) or "none of them"
    )
    nodes: List[Node] = [element("h1", {}, text)]
    for run in report.runs[:_MOST_RUN_PARTS]:
        part = report_of_run(report, run)
        story = run_story(part)
        nodes.append(element("p", {"class": "where"}, run))
        nodes.append(_verdict_node(part, story.current, "h2"))
        nodes += [todo_nodes(item) for item in story.current[:1] if item.confidence > 1]
        nodes += brief_nodes([*story.current[1:], *story.earlier])
    more = [[run] for run in report.runs[_MOST_RUN_PARTS:]]
    nodes.append(folded("More runs", listed("ul", more)))
    shared = report_of_run(report, None)
    heading = "In logs that no run could be joined with"
    nodes.append(section(heading, *brief_nodes(shared.diagnoses)))
    nodes.append(unexplained_nodes(report.unexplained))
    return [*nodes, *machine_nodes(report), *input_nodes(report)]
