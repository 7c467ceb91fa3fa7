"""From signatures to how sure a diagnosis is."""

from typing import Any

import pytest

from checker.diagnose.confidence import Case, judge_rule
from checker.match.scene import Scene
from generator.catalogue import compile_rule
from tests.checker.observed import at, dump, ended, fact, hit, sample, scene_of
from tests.generator.entries import make_entry

pytestmark = pytest.mark.rule("confidence")

WSL = {"fact": "system.wsl", "is": "equals", "value": True}
SIGNS: dict[str, Any] = {
    "kernel": {"log": "kernel says so", "source": "kernel"},
    "rank": "rank says so",
    "more": "rank says more",
    "wsl": WSL,
}


def judged(signatures: list[Any], scene: Scene, **fields: Any) -> Case:
    """Judge an entry with these signatures in the last attempt."""
    detect = {"signs": SIGNS, "signatures": signatures, **fields.pop("detect", {})}
    return judge_rule(compile_rule("x", make_entry(detect, **fields)), scene)[-1]


RANK = hit("rank says so", "rank says so", moment=at(100))
MORE = hit("rank says more", "rank says more", number=2)
KERNEL = hit("kernel says so", "kernel says so", path="k.log", source="kernel", rank=None)
BOTH = scene_of(hits=(RANK, KERNEL), sources=frozenset(["rank", "kernel"]))


@pytest.mark.parametrize(("strength", "level"), [("decisive", 3), ("strong", 2), ("weak", 1)])
def test_confidence_starts_with_the_strongest_signature(strength: str, level: int) -> None:
    """Decisive is certain, strong is likely, weak is possible."""
    scene = scene_of(hits=(RANK, MORE))
    assert judged([{strength: ["rank"]}, {"weak": ["more"]}], scene).confidence == level


@pytest.mark.parametrize(("strength", "level"), [("strong", 3), ("weak", 2)])
def test_second_witness_raises_it_once(strength: str, level: int) -> None:
    """Two equal signatures told by different witnesses are one step surer."""
    assert judged([{strength: ["rank"]}, {strength: ["kernel"]}], BOTH).confidence == level


def test_third_witness_raises_nothing_more() -> None:
    """Three weak signatures of three witnesses are likely, never certain."""
    seen = scene_of(
        hits=(RANK, KERNEL),
        sources=frozenset(["rank", "kernel"]),
        facts=(fact("system.wsl", True),),
    )
    weak = [{"weak": [name]} for name in ("rank", "kernel", "wsl")]
    assert judged(weak, seen).confidence == 2


def test_same_witness_twice_raises_nothing() -> None:
    """Two lines of one rank are one witness; and what shares a sighting is one observation."""
    scene = scene_of(hits=(RANK, MORE))
    assert judged([{"strong": ["rank"]}, {"strong": ["more"]}], scene).confidence == 2
    assert judged([{"strong": ["rank"]}, {"strong": ["rank", "kernel"]}], BOTH).confidence == 2


def test_frames_that_a_process_prints_itself_are_no_second_witness() -> None:
    """Ctrl-C and faulthandler are told by the rank; py-spy is a program of its own."""
    detect = {"signs": {**SIGNS, "waits": {"stack": "wait"}}}
    signatures = [{"strong": ["rank"]}, {"strong": ["waits"]}]
    for pid, level in ((None, 2), (41, 3)):
        scene = scene_of(hits=(RANK,), stacks=(dump("wait (q.py:1)", number=5, pid=pid),))
        assert judged(signatures, scene, detect=detect).confidence == level


def test_strong_and_weak_witness_stay_as_they_are() -> None:
    """Only equal strengths add up."""
    assert judged([{"strong": ["rank"]}, {"weak": ["kernel"]}], BOTH).confidence == 2


def test_against_lowers_by_one_step_each() -> None:
    """A true sign against is shown and lowers; below possible the diagnosis is removed."""
    scene = scene_of(hits=(RANK, MORE))
    lowered = judged([{"strong": ["rank"]}], scene, detect={"against": ["more"]})
    assert (lowered.confidence, [s.sign for s in lowered.against]) == (1, ["more"])
    removed = judged([{"weak": ["rank"]}], scene, detect={"against": ["more"]})
    assert (removed.confidence, removed.refuted) == (0, True)
    assert removed.missing == 'against it speaks a line with "rank says more"'


def test_against_of_another_rank_lowers_nothing() -> None:
    """What another process printed speaks against nothing here."""
    other = hit("rank says more", "rank says more", rank=1)
    case = judged(
        [{"strong": ["rank"]}], scene_of(hits=(RANK, other)), detect={"against": ["more"]}
    )
    assert (case.confidence, case.against) == (2, ())


@pytest.mark.parametrize(
    ("affected", "level"),
    [
        ({"range": "<2.6", "source": "https://example.org/fix"}, 0),
        ({"fixed_in": "2.6", "source": "https://example.org/fix"}, 0),
        ({"range": "<=2.6", "source": "https://example.org/fix"}, 3),
        ({"range": "<2.6"}, 3),
    ],
)
def test_only_a_sourced_range_rules_a_version_out(affected: dict[str, str], level: int) -> None:
    """Where nobody says that other versions are free of it, a version refutes nothing."""
    scene = scene_of(hits=(RANK,), facts=(fact("version torch", "2.6.0"),))
    case = judged([{"decisive": ["rank"]}], scene, affects=[{"package": "torch", **affected}])
    assert case.confidence == level


def test_rules_out_removes() -> None:
    """What rules an entry out is named."""
    case = judged(
        [{"decisive": ["rank"]}], scene_of(hits=(RANK, MORE)), detect={"rules_out": ["more"]}
    )
    assert (case.confidence, case.missing) == (0, 'ruled out by a line with "rank says more"')


def test_rules_out_of_another_rank_says_nothing() -> None:
    """What another process printed rules nothing out here."""
    other = hit("rank says more", "rank says more", rank=1)
    case = judged(
        [{"decisive": ["rank"]}], scene_of(hits=(RANK, other)), detect={"rules_out": ["more"]}
    )
    assert case.confidence == 3


def test_unknown_sign_in_all_is_not_met_and_told() -> None:
    """What is unknown decides nothing; the report says what would."""
    case = judged([{"decisive": ["rank", "wsl"]}], scene_of(hits=(RANK,)))
    assert case.confidence == 0
    assert case.missing.endswith("(the machine was not probed)")


def test_unknown_sign_in_none_leaves_it_open() -> None:
    """What could not be excluded lowers the strength; what is excluded does not."""
    signatures = [{"decisive": ["rank"], "none": ["wsl"]}]
    opened = judged(signatures, scene_of(hits=(RANK,)))
    assert opened.confidence == 2
    assert opened.missing.startswith("to exclude system.wsl equals yes")
    bare_metal = scene_of(hits=(RANK,), facts=(fact("system.wsl", False),))
    assert judged(signatures, bare_metal).confidence == 3
    guest = scene_of(hits=(RANK,), facts=(fact("system.wsl", True),))
    assert judged(signatures, guest).confidence == 0


@pytest.mark.parametrize(("strength", "level"), [("strong", 1), ("weak", 0)])
def test_open_signature_is_one_strength_lower(strength: str, level: int) -> None:
    """A strong one becomes possible; a weak one that could be something else is worth nothing."""
    signatures = [{strength: ["rank"], "none": ["wsl"]}]
    assert judged(signatures, scene_of(hits=(RANK,))).confidence == level


def test_condition_that_is_unknown_in_none_leaves_it_open() -> None:
    """A number that the line does not hold can exclude nothing for certain."""
    detect = {
        "signs": {"tried": {"log": "Tried <size:tried>", "capture": ["Limit <size:limit>"]}},
    }
    signatures = [{"decisive": ["tried"], "none": [{"compare": "tried > limit"}]}]
    for text, level in (("", 2), (" Limit 2 GiB", 0), (" Limit 9 GiB", 3)):
        scene = scene_of(hits=(hit("Tried", "Tried 4 GiB" + text),))
        assert judged(signatures, scene, detect=detect).confidence == level


def test_capture_that_the_text_lacks_is_not_met_and_told() -> None:
    """An old wording without the number is no proof, and what would decide is said."""
    detect = {
        "signs": {"tried": {"log": "Tried <size:tried>", "capture": ["Limit <size:limit>"]}},
    }
    signatures = [{"decisive": ["tried", {"compare": "tried > limit"}]}]
    case = judged(signatures, scene_of(hits=(hit("Tried", "Tried 4 GiB"),)), detect=detect)
    assert (case.confidence, case.missing) == (0, "tried > limit (not known)")


def test_any_needs_one() -> None:
    """One of several is enough; if none is known to be false, it is unknown."""
    signatures = [{"strength": "strong", "all": ["rank"], "any": ["more", "wsl"]}]
    assert judged(signatures, scene_of(hits=(RANK, MORE))).confidence == 2
    assert judged(signatures, scene_of(hits=(RANK,))).confidence == 0


def test_signs_of_two_ranks_do_not_make_one_signature() -> None:
    """The signs of a process join on one rank."""
    other = hit("rank says more", "rank says more", rank=1)
    case = judged([{"decisive": ["rank", "more"]}], scene_of(hits=(RANK, other)))
    assert case.confidence == 0
    assert case.missing.endswith("of the same process or host")


def test_signature_may_ask_for_two_ranks() -> None:
    """A signature that says that the ranks differ joins across them."""
    other = hit("rank says more", "rank says more", rank=1)
    signatures = [{"decisive": ["rank", "more", {"differ": ["rank"]}]}]
    assert judged(signatures, scene_of(hits=(RANK, other))).ranks == (0, 1)


def test_kernel_of_another_host_does_not_join() -> None:
    """Kernel lines join by host, or where there is only one."""
    exits = (ended(1, rank=0, host="node-a"), ended(2, rank=1, host="node-b"))
    here = KERNEL._replace(
        line=KERNEL.line._replace(writer=KERNEL.line.writer._replace(host="node-a"))
    )
    there = KERNEL._replace(
        line=KERNEL.line._replace(writer=KERNEL.line.writer._replace(host="node-b"))
    )
    signatures = [{"decisive": ["rank", "kernel"]}]
    for kernel, level in ((here, 3), (there, 0), (KERNEL, 0)):
        scene = scene_of(hits=(RANK, kernel), exits=exits, sources=frozenset(["kernel"]))
        assert judged(signatures, scene).confidence == level


def test_caps() -> None:
    """What is benign, or only reported, is never sure."""
    scene = scene_of(hits=(RANK,))
    proof = {
        "level": "reported",
        "by": "an issue",
        "verified": make_entry({"signs": SIGNS, "signatures": [{"weak": ["rank"]}]}).updated,
    }
    assert judged([{"decisive": ["rank"]}], scene, kind="benign").confidence == 1
    assert judged([{"decisive": ["rank"]}], scene, proof=proof).confidence == 2


def test_exception_that_no_entry_explains_is_never_certain() -> None:
    """Even a decisive signature of `user-code-error` is likely at most."""
    detect = {"signs": SIGNS, "signatures": [{"decisive": ["rank"]}]}
    rule = compile_rule("user-code-error", make_entry(detect))
    assert judge_rule(rule, scene_of(hits=(RANK,)))[-1].confidence == 2


def test_earlier_attempt_is_history_if_the_last_one_made_progress() -> None:
    """A failure of an attempt that was restarted well is at most possible."""
    first = hit("rank says so", "rank says so", attempt=0)
    steps = tuple(
        sample(number, number)._replace(line=hit("x", "s", number, "b.log", attempt=1).line)
        for number in (1, 2)
    )
    detect = {"signs": SIGNS, "signatures": [{"decisive": ["rank"]}]}
    rule = compile_rule("x", make_entry(detect))
    last = hit("x", "started", path="b.log", attempt=1)
    stuck, moved = scene_of(hits=(first, last)), scene_of(hits=(first,), samples=steps)
    assert [case.confidence for case in judge_rule(rule, stuck)] == [3, 0]
    assert [case.confidence for case in judge_rule(rule, moved)] == [1, 0]


def test_repeated_sighting_is_one_item() -> None:
    """The first place is shown, with how often it was seen."""
    again = hit("rank says so", "rank says so", number=9, times=4)
    (item,) = judged([{"weak": ["rank"]}], scene_of(hits=(RANK, again))).evidence
    assert item.line is not None
    assert (item.line.number, item.times) == (1, 5)


def test_condition_chooses_which_sightings_are_evidence() -> None:
    """Where captures are compared, only the sighting that fits is shown."""
    detect = {
        "signs": {"tried": "Tried <size:tried>", "limit": "Limit <size:limit>"},
        "signatures": [
            {"strength": "weak", "all": ["tried", "limit"], "any": [{"compare": "tried > limit"}]}
        ],
    }
    rule = compile_rule("x", make_entry(detect))
    tries = [hit("Tried", f"Tried {size} GiB", size) for size in (1, 5)]
    limit = hit("Limit", "Limit 2 GiB", number=9)
    (case,) = judge_rule(rule, scene_of(hits=(*tries, limit)))
    assert [s.text for s in case.evidence] == ["Tried 5 GiB", "Limit 2 GiB"]
