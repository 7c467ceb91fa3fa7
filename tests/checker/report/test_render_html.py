"""The report as one HTML file."""

import re
from html.parser import HTMLParser

from checker.model import Fact, Moment, RankState
from checker.report.markup import element, escaped, html_text
from checker.report.render_html import render_html
from checker.snapshot.comparing import Comparison, FactChange
from tests.checker.report_records import (
    EXIT,
    KILL_CATALOGUE,
    KILL_DIAGNOSIS,
    KILL_REPORT,
    KILLED_AT,
    PEER_DIAGNOSIS,
    diagnosis,
    line,
    observations,
    read_input,
    report,
    rule,
    sighting,
    writer,
)

VERDICT = (
    '<header class="verdict"><p class="label">FAILED FIRST (certain)</p>'
    "<h1>The kernel killed a training process because the host ran out of memory</h1>"
    '<p class="place">Rank 1 on host node-a</p>'
    '<p class="soft">host-oom-kill, began 2026-08-14 03:11:52 - '
    '<a href="https://example.org/entries/host-oom-kill/" rel="noopener noreferrer">'
    "All about it</a></p>"
    '<p class="where">logs/dmesg.log:482  (kernel)</p>'
    "<pre>[912318.118233] Memory cgroup out of memory: <mark>Killed process 4242</mark> (python3) "
    "total-vm:30212344kB, anon-rss:20111888kB, file-rss:0kB, shmem-rss:0kB, UID:1000</pre>"
    "</header>"
    '<section class="do"><h2>What to do now</h2>'
    "<p>Lower the memory that each rank needs, then start again.</p></section>"
)
HOSTILE = "</pre><script>alert('hit')</script><img src=x onerror=\"hit\">\x1b[2J\u202e&amp;"
SHOWN = (
    "&lt;/pre&gt;&lt;script&gt;alert(&#39;hit&#39;)&lt;/script&gt;"
    "&lt;img src=x onerror=&quot;hit&quot;&gt;\\x1b[2J\\u202e&amp;amp;"
)


class Outline(HTMLParser):
    """Checks that every tag is closed in its turn, and keeps the tags and headings."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the tag; those without content are not closed."""
        self.tags.append(tag)
        if tag not in ("meta", "link", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost tag."""
        assert self.open.pop() == tag


def page(*args: object, **fields: object) -> str:
    """The page of a report."""
    return render_html(report(*args, **fields), KILL_CATALOGUE)  # type: ignore[arg-type]


def test_what_failed_first_stands_on_top() -> None:
    """Verdict, place, the line that proves it, and what to do come before all else."""
    shown = render_html(KILL_REPORT, KILL_CATALOGUE)
    assert shown[shown.index("<main>") + 6 :].startswith(VERDICT)


def test_the_parts_follow_in_order() -> None:
    """What goes deeper, and what was not looked at, has its own heading."""
    headings = re.findall("<h2>([^<]*)</h2>", render_html(KILL_REPORT, KILL_CATALOGUE))
    assert headings == [
        "What to do now",
        "Ranks over time",
        "Evidence",
        "Why",
        "Steps",
        "Checkpoints",
        "How to confirm",
        "What followed from it",
        "The launcher&#39;s verdict",
        "Ranks",
        "Facts",
        "Not looked at",
        "Inputs",
    ]


def test_the_page_is_well_formed_and_ascii() -> None:
    """Every tag is closed in its turn, and no script is there."""
    shown = render_html(KILL_REPORT, KILL_CATALOGUE)
    outline = Outline(shown)
    assert outline.open == []
    assert "script" not in outline.tags
    assert shown.isascii()


def test_nothing_may_be_loaded() -> None:
    """The policy allows the style by its digest, and nothing else."""
    policy = re.findall('content="(default-src[^"]*)"', render_html(KILL_REPORT, KILL_CATALOGUE))
    assert len(policy) == 1
    assert re.fullmatch(
        r"default-src &#39;none&#39;; style-src &#39;sha256-[A-Za-z0-9+/]{43}=&#39;; "
        r"img-src data:; base-uri &#39;none&#39;; form-action &#39;none&#39;",
        policy[0],
    )


def test_a_hostile_log_is_shown_as_text() -> None:
    """Markup, terminal codes and turned directions of a line, a path and a host change nothing."""
    who = writer(3, "rank", HOSTILE)
    seen = line(HOSTILE, 1, "[rank3]:" + HOSTILE, who, KILLED_AT)
    found = diagnosis(
        rule("some", page="javascript:alert(1)"),
        rank=3,
        host=HOSTILE,
        evidence=(sighting(seen, HOSTILE),),
    )
    state = RankState(3, HOSTILE, None, 9, Moment(KILLED_AT.seconds - 9, "local", 1.0), EXIT)
    shown = page(observations(read_input(HOSTILE), ranks=(state,)), found, unexplained=(seen,))
    assert SHOWN in shown
    assert Outline(shown).open == []
    assert set(Outline(shown).tags).isdisjoint({"script", "img"})
    assert 'href="javascript' not in shown
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", shown)


def test_a_line_of_megabytes_is_cut() -> None:
    """Only what is near the match is quoted."""
    long = "x" * 5_000_000 + "Killed process 4242" + "y" * 5_000_000
    seen = line("a.log", 1, "[rank1]:" + long, writer(1))
    found = KILL_DIAGNOSIS._replace(evidence=(sighting(seen, "Killed process 4242"),))
    shown = page(observations(read_input("a.log")), found, unexplained=(seen,))
    assert "xxx<mark>Killed process 4242</mark>yyy" in shown
    assert len(shown) < 30_000


def test_8192_ranks_make_no_large_page() -> None:
    """Ranks that went alike share rows, so that a browser opens it at once."""
    states = tuple(
        RankState(
            rank,
            f"node-{rank // 8}",
            None,
            rank % 7,
            Moment(KILLED_AT.seconds - rank % 97, "local", 0.001),
            EXIT._replace(rank=rank, moment=Moment(KILLED_AT.seconds + rank % 89, "local", 0.001)),
        )
        for rank in range(8192)
    )
    shown = page(observations(read_input("a.log"), ranks=states), KILL_DIAGNOSIS)
    assert Outline(shown).open == []
    assert len(shown) < 400_000


def test_ranks_that_went_alike_share_a_row() -> None:
    """What differs by less than is seen on the whole is no other row, but drawn where it is."""
    states = tuple(
        RankState(
            rank,
            "node-a",
            None,
            9,
            Moment(KILLED_AT.seconds + 60 + rank / 10, "local", 0.001),
            None,
        )
        for rank in range(2, 9)
    )
    shown = page(observations(read_input("a.log"), ranks=states), KILL_DIAGNOSIS)
    assert (
        '<li title="ranks 2-8: last step 9">ranks 2-8 (7)<small>last step 9</small></li>' in shown
    )


def test_a_clock_of_whole_seconds_leaves_a_doubt() -> None:
    """The chart shows until when the first failure can have been."""
    onset = Moment(KILLED_AT.seconds, "local", 1.0)
    state = RankState(2, "node-a", None, 9, Moment(onset.seconds + 4.0, "local", 0.001), None)
    seen = observations(read_input("a.log"), ranks=(state,))
    shown = page(seen, KILL_DIAGNOSIS._replace(onset=onset))
    assert '<line class="doubt" x1="2.000%" x2="26.000%" y1="68" y2="68">' in shown
    assert "or up to 1 s later: host-oom-kill began</title>" in shown
    assert 'class="doubt"' not in page(seen, KILL_DIAGNOSIS)


def test_what_followed_says_from_what() -> None:
    """A symptom whose cause was seen is not called one whose cause was not."""
    assert (
        "<summary>FOLLOWED FROM host-oom-kill (likely): The connection to a peer was lost - "
        "ranks 0, 2-3</summary>"
    ) in render_html(KILL_REPORT, KILL_CATALOGUE)


def test_where_to_look_stands_before_the_quote() -> None:
    """Of a symptom, the ranks that do not show it matter more than the line of those that do."""
    states = tuple(RankState(rank, None, None, 9, None, None) for rank in range(4))
    symptom = PEER_DIAGNOSIS._replace(role="initiating", consequence_of=None)
    shown = page(observations(read_input("a.log"), ranks=states), symptom)
    assert shown.index("Not seen on rank 1: look there first.") < shown.index("<pre>")


def test_nothing_recognized_is_said_in_the_headline() -> None:
    """An empty report is not taken for health."""
    shown = page(observations(read_input("a.log")))
    assert (
        '<header class="verdict caution"><p class="label">NO KNOWN FAILURE RECOGNIZED</p>'
        "<h1>No known failure recognized; no line is one that this version knows as an error. "
        "Whether the run ended well is not known.</h1></header>"
    ) in shown


def test_what_machines_show_is_told_with_their_hosts() -> None:
    """What is wrong and what changed since an older look, in the words of the text report."""
    full = Fact("mounts.full", ["/scratch"], None, None, "node-a")
    free = Fact("mounts.full", [], None, None, "node-b")
    change = FactChange("node-a", "mounts.full", full._replace(value=[]), full)
    compared = Comparison("before.snap", "2026-08-13T09:00:00Z", (change,), 1, 2)
    shown = page(observations(read_input("a.log"), facts=(free, full)), compared=compared)
    assert (
        "<section><h2>Machine</h2><pre>  - no free space on /scratch (on node-a)</pre></section>"
        "<section><h2>Changed since before.snap (2026-08-13T09:00:00Z)</h2>"
        "<pre>  - node-a: mounts.full: now /scratch\n"
        "  - 2 facts as before, 1 number moved by little</pre></section>"
    ) in shown
    assert (
        "<tr><td>mounts.full</td><td>[&#39;/scratch&#39;]</td><td>node-a</td><td></td></tr>"
        "<tr><td>mounts.full</td><td>[]</td><td>node-b</td><td></td></tr>"
    ) in shown


def test_several_runs_are_told_one_by_one() -> None:
    """Each has its verdict under the one heading of the page."""
    first = KILL_DIAGNOSIS._replace(run="a")
    shown = page(observations(read_input("a/x.log")), first, runs=("a", "b"))
    assert "<h1>2 different runs; a known failure was recognized in 1</h1>" in shown
    assert shown.count("<h1>") == 1


def test_text_is_escaped_wherever_it_stands() -> None:
    """In attributes as in content, and only the style is written as it is."""
    assert html_text(element("p", {"title": '"<'}, "a<b", "")) == (
        '<p title="&quot;&lt;">a&lt;b</p>'
    )
    assert escaped("\ud800\u00e9\n\t") == "\\ud800\u00e9\n    "
    assert html_text("\u00e9") == "&#233;"
