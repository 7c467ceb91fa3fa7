"""Each kind of sign: true, false, or unknown with the reason."""

from typing import Any

import pytest

from checker.judgement import Truth
from checker.match.scene import Scene
from checker.match.signs import judge_signs, sign_in_words
from generator.catalogue import compile_rule
from tests.checker.observed import (
    at,
    block,
    dump,
    ended,
    fact,
    hit,
    line,
    raised,
    sample,
    scene_of,
)
from tests.generator.entries import make_entry

pytestmark = pytest.mark.rule("signs", "wordings", "exceptions", "truth")


def compiled(kind: str = "failure", **signs: Any) -> dict[str, Any]:
    """A rule with these signs."""
    detect = {"signs": signs, "signatures": [{"weak": sorted(signs)[:1]}]}
    return compile_rule("x", make_entry(detect, kind=kind))


def judged(sign: Any, scene: Scene, kind: str = "failure") -> Truth:
    """The truth of one sign."""
    return judge_signs(compiled(kind, it=sign), scene)["it"]


def values_of(truth: Truth) -> dict[str, Any]:
    """The captures of the first sighting."""
    return dict(truth.sightings[0].values)


KILLED = {"log": "Killed process <pid>", "source": "kernel"}


def test_log_is_unknown_without_its_source() -> None:
    """A kernel line cannot be missed where no kernel log was read."""
    truth = judged(KILLED, scene_of(sources=frozenset(["rank"])))
    assert truth == Truth(None, (), "no kernel log among the inputs")
    assert judged(KILLED, scene_of(sources=frozenset(["kernel"]))).value is False


def test_wording_of_another_version_counts_too() -> None:
    """Which versions print a wording is for people to know: a fork may print an old one."""
    old = {"text": "spool is full", "since": "1.0", "until": "2.0"}
    scene = scene_of(
        hits=(hit("spool is full", "spool is full"),), facts=(fact("version torch", "2.9.0"),)
    )
    assert judged({"log": ["the spool has no room", old]}, scene).value is True


def test_line_of_an_unknown_writer_passes_for_a_ranks() -> None:
    """A program started by hand prints nothing that tells who it is."""
    sign = {"log": "spool is full", "source": "rank"}
    unknown = frozenset(["unknown"])
    bare = hit("spool is full", "spool is full", source="unknown", rank=None)
    assert judged(sign, scene_of(hits=(bare,), sources=unknown)).value is True
    assert judged(sign, scene_of(sources=unknown)).value is False
    kernel = scene_of(sources=frozenset(["kernel"]))
    assert judged(sign, kernel) == Truth(None, (), "no log of a rank among the inputs")


def test_log_of_another_source_is_no_sighting() -> None:
    """A rank that prints the kernel's words is not the kernel."""
    quoted = hit("Killed process", "Killed process 7")
    scene = scene_of(hits=(quoted,), sources=frozenset(["rank", "kernel"]))
    assert judged(KILLED, scene).value is False


def test_pid_of_a_kernel_line_joins_the_rank_that_had_it() -> None:
    """Who a kernel line is about follows from the ends of the processes."""
    kernel = hit("Killed process", "Killed process 7 (python3)", source="kernel", rank=None)
    scene = scene_of(hits=(kernel,), exits=(ended(rank=2, pid=7, host="node-a"),))
    (sighting,) = judged(KILLED, scene).sightings
    assert (sighting.rank, sighting.host, sighting.pid) == (2, "node-a", 7)


def test_line_of_no_rank_is_about_the_rank_that_it_names() -> None:
    """A launcher tells of a rank; a rank that names one may speak of another than itself."""
    sign = {"log": "gave up on rank <rank>"}
    for source, rank in (("launcher", 3), ("unknown", 3), ("rank", None)):
        told = hit("gave up on rank", "gave up on rank 3", source=source, rank=None)
        assert judged(sign, scene_of(hits=(told,))).sightings[0].rank == rank
    own = hit("gave up on rank", "gave up on rank 3", rank=1)
    assert judged(sign, scene_of(hits=(own,))).sightings[0].rank == 1


def test_rank_that_tells_of_a_peer_is_a_witness() -> None:
    """The sighting is about the peer, and has neither process id nor host of the writer."""
    told = hit("gave up at rank", "gave up at rank 1 and told us", pid=41006, rank=6, host="node-b")
    truth = judged({"log": "gave up at rank <peer> and told us"}, scene_of(hits=(told,)))
    (found,) = truth.sightings
    assert (found.rank, found.host, found.pid, found.values) == (1, None, None, (("peer", 1),))
    assert found.line is not None
    assert found.line.writer.rank == 6


def test_pid_of_two_hosts_joins_neither() -> None:
    """Where two processes had the id, the line names none."""
    kernel = hit("Killed process", "Killed process 7", source="kernel", rank=None)
    exits = (ended(1, rank=2, pid=7, host="node-a"), ended(2, rank=9, pid=7, host="node-b"))
    assert judged(KILLED, scene_of(hits=(kernel,), exits=exits)).sightings[0].rank is None
    named = kernel._replace(line=line(kernel.line.text, source="kernel", rank=None, host="node-b"))
    assert judged(KILLED, scene_of(hits=(named,), exits=exits)).sightings[0].rank == 9


@pytest.mark.parametrize(
    ("place", "text", "found"),
    [
        ("inside", "so it was Killed", True),
        ("start", "so it was Killed", False),
        ("start", "  Killed it", True),
        ("whole", "Killed it", False),
        ("whole", " Killed ", True),
    ],
)
def test_place_of_a_wording_in_the_line(place: str, text: str, found: bool) -> None:
    """Short texts can be held to the start or to the whole of a payload."""
    scene = scene_of(hits=(hit("Killed", text),))
    assert judged({"log": "Killed", "at": place}, scene).value is found


def test_optional_captures_are_looked_for_in_the_next_lines() -> None:
    """A piece of the message that was wrapped is found, one that is not there has no value."""
    sign = {
        "log": "Tried to allocate <size:tried>",
        "capture": ["<size:idle> is reserved", "of which <size:free> is free"],
    }
    tried = hit(
        "Tried to allocate", "Tried to allocate 2.00 GiB", below=("3.00 GiB is", "reserved")
    )
    values = values_of(judged(sign, scene_of(hits=(tried,))))
    assert values == {"tried": 2 * 1024**3, "idle": 3 * 1024**3}


def test_head_line_of_a_block_must_stand_above() -> None:
    """A sign under a head line takes the head's captures."""
    sign = {"log": "signal 9", "under": {"text": "Root Cause of rank <rank>", "within": 2}}
    under = hit("signal 9", "signal 9", above=("Root Cause of rank 3", "x"))
    assert values_of(judged(sign, scene_of(hits=(under,)))) == {"rank": 3}
    two = hit("signal 9", "signal 9", above=("Root Cause of rank 3", "Root Cause of rank 4"))
    assert values_of(judged(sign, scene_of(hits=(two,)))) == {"rank": 4}
    far = hit("signal 9", "signal 9", above=("Root Cause of rank 3", "x", "x"))
    assert judged(sign, scene_of(hits=(far,))).value is False


def test_onset_lies_a_captured_duration_before() -> None:
    """A timeout began as long ago as it waited."""
    sign = {"log": "waited <dur:waited>", "onset": "minus waited"}
    scene = scene_of(hits=(hit("waited", "waited 10 minutes", moment=at(1000)),))
    assert judged(sign, scene).sightings[0].onset == at(400)


def test_wait_of_which_no_length_was_printed_began_at_an_unknown_time() -> None:
    """It did not begin when it was over."""
    sign = {"log": "gave up", "capture": ["after <dur:waited>"], "onset": "minus waited"}
    told = hit("gave up", "gave up after 10 minutes", moment=at(1000))
    bare = hit("gave up", "gave up", moment=at(1000))
    assert judged(sign, scene_of(hits=(told,))).sightings[0].onset == at(400)
    assert judged(sign, scene_of(hits=(bare,))).sightings[0].onset is None


USER, LIBRARY = ("/workspace/train.py", "main"), ("/x/site-packages/torch/_tensor.py", "backward")


@pytest.mark.parametrize(
    ("sign", "value"),
    [
        ({"traceback": "OutOfMemoryError"}, True),
        ({"traceback": "MemoryError"}, False),
        ({"traceback": "OutOfMemoryError", "message": "Tried to allocate"}, True),
        ({"traceback": "OutOfMemoryError", "message": "no such words"}, False),
        ({"traceback": "*", "frame": "torch/_tensor.py", "function": "backward"}, True),
        ({"traceback": "*", "frame": "train.py", "innermost": True}, False),
        ({"traceback": "*", "code": "library"}, True),
        ({"traceback": "*", "code": "user"}, False),
    ],
)
def test_exception_matches_by_class_message_and_frame(sign: Any, value: bool) -> None:
    """All that is asked of an exception must hold of one part of the block."""
    part = raised("torch.OutOfMemoryError", "Tried to allocate 2 GiB", USER, LIBRARY)
    assert judged(sign, scene_of(tracebacks=(block(part),))).value is value


def test_frames_of_mixed_blocks_are_unknown() -> None:
    """Where two ranks wrote between each other, class and message still count."""
    mixed = block(raised("KeyError", "'x'", USER), separated=False)
    scene = scene_of(tracebacks=(mixed,))
    assert judged({"traceback": "KeyError"}, scene).value is True
    truth = judged({"traceback": "KeyError", "code": "user"}, scene)
    assert truth == Truth(None, (), "the frames of the exception are not known")


def test_any_part_of_a_chain_matches_and_the_first_is_shown() -> None:
    """An error wrapped by another is where it began."""
    chain = block(raised("FileNotFoundError", "'x.pt'"), raised("RuntimeError", "cannot resume"))
    truth = judged({"traceback": "RuntimeError"}, scene_of(tracebacks=(chain,)))
    assert truth.sightings[0].text == "FileNotFoundError: 'x.pt'"


def test_any_exception_means_the_part_that_was_raised_first() -> None:
    """The user's code that wrapped an error of a library did not raise it."""
    chain = block(raised("OSError", "x", USER, LIBRARY), raised("RuntimeError", "cannot", USER))
    scene = scene_of(tracebacks=(chain,))
    assert judged({"traceback": "*", "code": "user"}, scene).value is False
    assert judged({"traceback": "*", "code": "library"}, scene).value is True
    assert judged({"traceback": "RuntimeError", "code": "user"}, scene).value is True
    assert judged({"traceback": "*", "message": "cannot", "code": "user"}, scene).value is True


def test_ignored_exception_is_at_most_a_symptom() -> None:
    """What is printed under `Exception ignored in` is noise of a shutdown."""
    scene = scene_of(tracebacks=(block(raised("OSError", "x"), ignored=True),))
    assert judged({"traceback": "OSError"}, scene).value is False
    assert judged({"traceback": "OSError"}, scene, kind="symptom").value is True


def test_handled_exception_counts_only_if_its_process_ended_next() -> None:
    """A logged exception is the last word of a process, or it was handled."""
    handled = block(raised("OSError", "x"), handled=True)
    assert judged({"traceback": "OSError"}, scene_of(tracebacks=(handled,))).value is False
    died = (ended(rank=0, code=1),)
    assert judged({"traceback": "OSError"}, scene_of(tracebacks=(handled,), exits=died)).value
    further = sample(20, 8)
    went_on = scene_of(tracebacks=(handled,), exits=died, samples=(further,))
    assert judged({"traceback": "OSError"}, went_on).value is False
    swept = (ended(rank=0, code=1, by="launcher"),)
    assert not judged({"traceback": "OSError"}, scene_of(tracebacks=(handled,), exits=swept)).value


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ({}, False),
        ({"handled": True}, True),
        ({"ignored": True}, True),
        ({"first": line(number=2)}, True),
        ({"first": line(number=40, rank=1)}, True),
    ],
)
def test_later_exception_ended_the_process_instead(fields: dict[str, Any], value: bool) -> None:
    """A handled exception was handled if its process raised another one and ended with that."""
    handled = block(raised("OSError", "x"), first=line(number=5), handled=True)
    later = block(raised("KeyError", "y"), **{"first": line(number=40), "end": 44, **fields})
    scene = scene_of(tracebacks=(handled, later), exits=(ended(rank=0, code=1),))
    assert judged({"traceback": "OSError"}, scene).value is value


def test_lines_inside_a_handled_exception_do_not_count() -> None:
    """A wording in the message of a handled exception is handled with it."""
    inside = hit("disk is full", "OSError: disk is full", number=4)
    scene = scene_of(hits=(inside,), tracebacks=(block(raised("OSError"), handled=True),))
    assert judged("disk is full", scene).value is False


def test_exit_is_one_however_spelled() -> None:
    """A signal is not a code; nothing told of any end is unknown."""
    scene = scene_of(exits=(ended(rank=1, signal=9, pid=7),))
    truth = judged({"exit": {"signal": 9}}, scene)
    assert (truth.sightings[0].rank, values_of(truth)) == (1, {"signal": 9, "pid": 7})
    assert judged({"exit": {"signal": 15}}, scene).value is False
    assert judged({"exit": {"code": 9}}, scene).value is False
    assert judged({"exit": {"signal": 9, "by": "kernel"}}, scene).value is None
    assert judged({"exit": {"signal": 9}}, scene_of()).value is None


def test_stack_frame_in_enough_processes() -> None:
    """A frame counts in one, in fewer than half, or in all of the dumped processes."""
    stacks = (
        dump("wait (x/queue.py:9)", pid=1),
        dump("step (a.py:1)", pid=2, number=2),
        dump("step (a.py:1)", pid=3, number=3),
    )
    scene = scene_of(stacks=stacks)
    assert judged({"stack": "wait", "file": "queue.py"}, scene).value is True
    assert judged({"stack": "wait", "file": "ueue.py"}, scene).value is False
    assert judged({"stack": "wait", "share": "minority"}, scene).value is True
    assert judged({"stack": "wait", "share": "all"}, scene).value is False
    unknown = Truth(None, (), "no stack dump among the inputs")
    assert judged({"stack": "wait"}, scene_of()) == unknown


def test_half_of_the_processes_is_no_minority() -> None:
    """Two of four that wait at different places are as many as those that do not."""
    frames = ("wait (a.py:1)", "wait (b.py:1)", "step (c.py:1)", "load (d.py:1)")
    stacks = tuple(dump(text, pid=number, number=number) for number, text in enumerate(frames, 1))
    assert judged({"stack": "wait", "share": "minority"}, scene_of(stacks=stacks)).value is False
    assert judged({"stack": "load", "share": "minority"}, scene_of(stacks=stacks)).value is True


def test_frame_of_a_helper_is_none_of_the_training_processes() -> None:
    """A loader worker that waits for its queue is no rank that waits."""
    worker = dump("wait (q.py:1)", "_worker_loop (torch/utils/data/_utils/worker.py:9)", pid=9)
    stacks = (*(dump("step (a.py:1)", pid=number, number=number) for number in (1, 2, 3)), worker)
    assert judged({"stack": "wait", "share": "minority"}, scene_of(stacks=stacks)).value is False
    assert judged({"stack": "wait", "share": "one"}, scene_of(stacks=stacks)).value is True


def test_state_of_a_dumped_process_is_asked_for() -> None:
    """A frame counts in a process that is in that state; without any state it is unknown."""
    sleeping = dump("read (a.py:1)", pid=1)._replace(state="S")
    stuck = dump("read (a.py:1)", pid=2, number=2)._replace(state="D")
    sign = {"stack": "read", "state": "d"}
    assert judged(sign, scene_of(stacks=(sleeping,))).value is False
    assert [s.pid for s in judged(sign, scene_of(stacks=(sleeping, stuck))).sightings] == [2]
    unknown = judged(sign, scene_of(stacks=(stuck._replace(state=None),)))
    assert unknown == Truth(None, (), "the stack dump does not tell the state of the process")


@pytest.mark.parametrize(
    ("sign", "known", "value"),
    [
        ({"fact": "system.wsl", "is": "equals", "value": True}, True, True),
        ({"fact": "system.wsl", "is": "differs", "value": True}, True, False),
        ({"fact": "memory.oom_kills", "is": "above", "value": 0}, 2, True),
        ({"fact": "checkpoint.mount.type", "is": "contains", "value": "9p"}, "9p", True),
        ({"fact": "process.state", "is": "contains", "value": "D"}, ["S", "D"], True),
        ({"fact": "process.state", "is": "lacks", "value": "D"}, ["S", "D"], False),
    ],
)
def test_fact_is_compared(sign: Any, known: Any, value: bool) -> None:
    """A known fact is true or false."""
    assert judged(sign, scene_of(facts=(fact(sign["fact"], known),))).value is value


def test_fact_is_unknown_with_its_reason() -> None:
    """A probe that gave nothing, or was not made, says nothing for or against."""
    sign = {"fact": "system.wsl", "is": "equals", "value": True}
    assert judged(sign, scene_of()) == Truth(None, (), "the machine was not probed")
    refused = scene_of(facts=(fact("system.wsl", None, "no right"),))
    assert judged(sign, refused) == Truth(None, (), "system.wsl: no right")


def test_current_fact_says_nothing_of_a_run_that_has_ended() -> None:
    """The state of processes now is no evidence for a run of yesterday."""
    sign = {"fact": "process.state", "is": "contains", "value": "D"}
    facts = (fact("process.state", ["D"]),)
    assert judged(sign, scene_of(facts=facts)).value is True
    assert judged(sign, scene_of(facts=facts, exits=(ended(code=1),))).value is None
    first = ended(code=1, line=line("failed", source="launcher", rank=None, attempt=0))
    again = hit("x", "x", attempt=1)
    assert judged(sign, scene_of(facts=facts, hits=(again,), exits=(first,))).value is True


def test_version_lies_in_a_range() -> None:
    """A version is a fact of its package."""
    sign = {"version": "deepspeed", "range": "<0.18.4"}
    assert judged(sign, scene_of(facts=(fact("version deepspeed", "0.18.3"),))).value is True
    assert judged(sign, scene_of(facts=(fact("version deepspeed", "0.18.4"),))).value is False
    unknown = Truth(None, (), "the version of deepspeed is not known")
    assert judged(sign, scene_of()) == unknown


def missing(scene: Scene, within: str = "60s") -> Truth:
    """The truth of a line `saved` missing after a line `saving`."""
    signs = {
        "saving": "saving checkpoint",
        "saved": "checkpoint saved",
        "silence": {"missing": "saved", "after": "saving", "within": within},
    }
    return judge_signs(compiled(**signs), scene)["silence"]


def test_missing_needs_proof_that_the_time_passed() -> None:
    """A log that merely ends says nothing; a later time of another rank proves the silence."""
    saving = hit("saving checkpoint", "saving checkpoint", moment=at(100))
    later = hit("x", "x", rank=1, moment=at(200))
    assert missing(scene_of(hits=(saving,))).value is None
    assert missing(scene_of(hits=(saving, later))).value is True
    assert missing(scene_of(hits=(saving, later)), "10m").value is None
    saved = hit("checkpoint saved", "checkpoint saved", number=2, moment=at(101))
    assert missing(scene_of(hits=(saving, saved, later))).value is False
    assert missing(scene_of(hits=(later,))).value is False


def test_missing_within_steps_counts_the_records_of_the_writer() -> None:
    """Later steps of the same writer prove that it went on without the line."""
    saving = hit("saving checkpoint", "saving checkpoint")
    samples = (sample(2, 1), sample(3, 2))
    assert missing(scene_of(hits=(saving,), samples=samples), "2 steps").value is True
    assert missing(scene_of(hits=(saving,), samples=samples), "3 steps").value is None


@pytest.mark.parametrize(
    ("sign", "words"),
    [
        (KILLED, 'a line with "Killed process <pid>" in the kernel log'),
        (
            {"traceback": "OSError", "message": "No space"},
            'an OSError that says "No space"',
        ),
        (
            {"traceback": "OSError", "message": ["No space", "No room"]},
            'an OSError that says "No space" or "No room"',
        ),
        (
            {"log": ["the spool is full", "the spool has no room", "the spool is gone"]},
            'a line with "the spool is full" or "the spool has no room" or 1 more wording',
        ),
        ({"exit": {"signal": 9, "by": "kernel"}}, "a process ended by SIGKILL by the kernel"),
        ({"exit": {"code": 1}}, "a process that ended with code 1"),
        ({"version": "torch", "range": "<2.6"}, "torch <2.6"),
        ({"stack": "wait"}, "a stack dump with wait"),
        (
            {"metric": "loss", "is": "above", "value": 3},
            "a series of 'loss' that is above 3 once",
        ),
        (
            {"metric": "loss", "is": "zero", "for": 2, "of": 5, "with": ["lr > 0", "kl is finite"]},
            "a series of 'loss' that is zero 2 times among 5 while lr > 0 and kl is finite",
        ),
    ],
)
def test_sign_is_named_in_words(sign: Any, words: str) -> None:
    """What is missing can be said to a person."""
    assert sign_in_words(compiled(it=sign)["signs"]["it"]) == words
