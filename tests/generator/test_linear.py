"""Linear patterns: what is refused, and that what is accepted stays fast on hostile lines."""

import re
import time

import pytest

from checker.wordings import PLACEHOLDERS, compile_text
from generator.linear import LONGEST, NotLinearError, prove

UNBOUNDED = "a repeat has no bound, or a large one"
GROUP = "a group is repeated"
TOUCH = "two repeats that share characters touch"
SHARE = "two repeats can share the text between them in too many ways"
EMPTY = "an alternative is empty, or is the beginning of another"
WAYS = "the alternatives and optional groups can be combined in too many ways"
ALL_WAYS = "the alternatives, optional groups and repeats can be combined in too many ways"


@pytest.mark.parametrize(
    ("regex", "message"),
    [
        (r"error: .*", UNBOUNDED),
        (r"(a+)+b", UNBOUNDED),
        (r"a{1,1025}", UNBOUNDED),
        (r"a{3,}", UNBOUNDED),
        (r"(?:a{1,9}){1,9}b", GROUP),
        (r"(?:ab){1,9}(?:ab){1,9}c", GROUP),
        (r"(?:a|a){20}b", GROUP),
        (r"\d{1,9}\d{1,9}x", TOUCH),
        (r"\w{1,99}[a-z]?\w{1,99}!", TOUCH),
        (r"[^x]{1,99}-{0,3}[^y]{1,99}z", TOUCH),
        (r"\w{1,99}a\w{1,99}b", SHARE),
        (r".{0,400}step.{0,400}loss", SHARE),
        (r".{1,40}a.{1,40}b.{1,40}c", SHARE),
        (r"(a)b\1", "a reference to an earlier group is not allowed"),
        (r"(?=a)b", "a look around the match is not allowed"),
        (r"(?<!a)b", "a look around the match is not allowed"),
        (r"(a)?(?(1)b|c)", "a condition on a group is not allowed"),
        (r"(?>ab)c", "an atomic group is not allowed"),
        (r"a?+b", "a possessive repeat is not allowed"),
        (r"abc|", EMPTY),
        (r"abc|ab", EMPTY),
        (r"a()b", "a group is empty"),
        ("(?:foo|far|bar)" * 8, WAYS),
        ("(?:ab)?" * 11 + "c", WAYS),
        ("(?:[ab]a|[ac]a)" * 10 + "a{0,1023}spool is full", WAYS),
        ("(?:[ab]a|[ac]a)" * 6 + "a{0,1023}spool is full", ALL_WAYS),
        ("[ab]{0,1023}(?:[ab]x|[ac]y)" * 3, ALL_WAYS),
        ("(?:[ab]a|[ac]a)" * 3 + r"\w{0,22}a\w{0,22}b", ALL_WAYS),
        (r"(?i)error", "the expression sets flags"),
        (r"(?i:error)", "the expression sets flags"),
        ("caf\u00e9", "the expression holds characters outside of ASCII"),
        (r"error(", "this is not a regular expression"),
        (r"[[a]", "this is not a regular expression"),
    ],
)
def test_refused(regex: str, message: str) -> None:
    """Whatever may take more than linear time, or is no plain expression, is refused."""
    with pytest.raises(NotLinearError) as refused:
        prove(regex)

    assert str(refused.value) == message
    assert refused.value.help


ACCEPTED = (
    r"rank \d{1,5}: (?:dead|gone)",
    r"[^:]{1,1024}: \w{1,64}",
    r"x{1,9} y{1,9}",
    r".{0,40}step \d{1,7}",
    r"exitcode: (?P<n>-?\d{1,5})(?: \(pid: \d{1,9}\))?",
    r"^error \[\w{1,30}\]$",
    r"\w{1,1024}!",
    r"[ab]{0,30}c[ab]{0,30}d",
    "(?:[ab]a|[ac]a)" * 6 + r"a{0,63}spool is full",
)
TEXTS = (
    "CUDA out of memory. Tried to allocate <size:tried>",
    "SeqNum=<n:seq>, OpType=<word:op>, NumelIn=<n:numel>, Timeout(ms)=<ms:t>) ran for <ms:w> ms",
    "<size:idle> is reserved by PyTorch but unallocated",
    "copied <path:a> to <path:b> on <host>:<n> in <dur>",
    "<path> failed",
    *(f"value <{name}> and <{name}>, <n>" for name in PLACEHOLDERS),
)


@pytest.mark.parametrize("regex", ACCEPTED)
def test_accepted(regex: str) -> None:
    """Bounded classes with fixed text between them are linear."""
    prove(regex)


@pytest.mark.parametrize("text", TEXTS)
def test_accepted_texts(text: str) -> None:
    """Texts with placeholders that cannot share characters are linear."""
    prove(compile_text(text).regex, placeholders=True)


@pytest.mark.parametrize(
    "text", ["in <path>:<n>", "name <word><path>", "<word>(<word>) rank", "<path>/<word> gone"]
)
def test_refused_texts(text: str) -> None:
    """Two placeholders between which any cut would fit are refused."""
    with pytest.raises(NotLinearError) as refused:
        prove(compile_text(text).regex, placeholders=True)

    assert str(refused.value) == SHARE


@pytest.mark.parametrize(
    "regex",
    [*ACCEPTED, *(compile_text(text).regex for text in TEXTS)],
    ids=lambda regex: regex[:40],
)
def test_accepted_patterns_stay_fast_on_pumped_lines(regex: str) -> None:
    """A line four times as long takes about four times as long, whatever it repeats."""
    compiled = re.compile(regex)
    for piece in ("a", "1", "ab", "a ", "1.1", "x:", "1:", "aa!a", "0.1 M", "step 1", "rank 1: d"):
        short, long = (_seconds(compiled, piece * (size // len(piece))) for size in (1_000, 4_000))
        assert long < 0.2 + 10 * short, (regex, piece)


@pytest.mark.parametrize(
    "regex", [r"(a{1,4}){1,6}b", r"(?:[ab]d?|[ac]d?){12}e", r"\w{1,400}a\w{1,400}b"]
)
def test_refused_patterns_are_slow_indeed(regex: str) -> None:
    """What is refused takes far longer than an accepted pattern on the same line."""
    line = "a" * 120
    with pytest.raises(NotLinearError):
        prove(regex)

    assert _seconds(re.compile(regex), line) > 4 * _seconds(re.compile(r"\w{1,400}b"), line)


def test_placeholders_may_not_repeat_repeats() -> None:
    """Even a trusted expression is refused where a repeat runs into itself."""
    with pytest.raises(NotLinearError) as refused:
        prove(r"(?:a{1,9}){1,9}b", placeholders=True)

    assert str(refused.value) == "a repeat is repeated"


def test_bound_is_what_placeholders_need() -> None:
    """The longest placeholder is as long as the longest repeat that is allowed."""
    longest = max(
        int(bound)
        for expression, _ in PLACEHOLDERS.values()
        for bound in re.findall(r",(\d+)\}", expression)
    )

    assert longest == LONGEST


def _seconds(compiled: "re.Pattern[str]", line: str) -> float:
    taken = []
    for _ in range(5):
        start = time.process_time()
        compiled.search(line)
        taken.append(time.process_time() - start)
    return min(taken)
