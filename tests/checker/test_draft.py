"""The draft of an entry for a failure that no entry explains."""

from pathlib import Path

import pytest

from checker.arguments import Request, UsageError
from checker.catalogue import Catalogue
from checker.check import run_check
from checker.diagnose.first_failure import FirstFailure
from checker.model import Frame, Line, Raised, Traceback, Writer
from checker.outcome import Outcome
from checker.pipeline import diagnose_texts
from checker.report.draft import draft_entry
from checker.report.neutral import neutral_text, proposed_wording
from checker.report.private import Names, private_names
from generator.lint import check
from tests.checker.failures import catalogue_of
from tests.needs import ROOT

SPOOL = (
    "[rank1]: step 10 loss 2.3\n"
    "[rank1]: step 11 loss 2.2\n"
    "[rank1]: Traceback (most recent call last):\n"
    '[rank1]:   File "/home/alice/project/train.py", line 12, in main\n'
    "[rank1]:     spool.write(state)\n"
    '[rank1]:   File "/opt/env/lib/python3.11/site-packages/sample/spool.py", line 40, in write\n'
    "[rank1]:     raise SpoolError(text)\n"
    "[rank1]: sample.errors.SpoolError: spool of alice at 10.1.2.3:9000 has 3.2 GiB left for"
    " /data/alice/ckpt, pid 4711\n"
)
LOST = "[rank0]: RuntimeError: [pair.cc:553] Connection closed by peer\n"
NOBODY: Names = {}


def draft(folder: Path, known: Catalogue, log: str, *again: str) -> Outcome:
    """Write a log and ask for a draft."""
    (folder / "a.log").write_text(log, encoding="utf-8")
    options = {"--draft": again[0] if again else ""}
    return run_check(Request("check", True, (str(folder / "a.log"),), options, False), known)


def problems(folder: Path, text: str) -> list[tuple[str, str]]:
    """Code and message of what lint says of an entry."""
    entries = folder / "entries"
    entries.mkdir()
    (entries / "a-draft.md").write_text(text, encoding="utf-8")
    return [(problem.code, problem.message) for problem in check(entries)[1]]


def test_the_layer_is_not_guessed_from_frames_that_only_ran_at_the_time(tmp_path: Path) -> None:
    """A device tells late that it failed: the user's line that waited for it is innocent."""
    error = (
        "Traceback (most recent call last):\n"
        '  File "/workspace/train.py", line 12, in main\n    total += loss.item()\n'
        "RuntimeError: CUDA error: {}\n"
    )
    late = (
        "CUDA kernel errors might be asynchronously reported at some other API call, so the"
        " stacktrace below might be incorrect.\n"
    )
    known = catalogue_of("host-oom-killer")
    assert "\nlayer: user-code" in draft(tmp_path, known, error.format("odd")).text
    assert "\nlayer: framework" in draft(tmp_path, known, error.format("odd\n" + late)).text


def test_a_draft_is_an_entry_of_which_only_the_answers_are_missing(tmp_path: Path) -> None:
    """What the log tells is filled in; lint complains of nothing but the marks."""
    outcome = draft(tmp_path, catalogue_of("host-oom-killer"), SPOOL)
    assert outcome.status == 0
    assert (
        '    raised: {traceback: "sample.errors.SpoolError", message: "spool of <word> at'
        ' <host>:<n> has <size> left for"}\n'
    ) in outcome.text
    assert (
        '\naffects:\n  - package: "sample"\n    note: "TODO: which versions have it."\n'
    ) in outcome.text
    assert (
        "      log: |\n"
        "        [rank1]: Traceback (most recent call last):\n"
        '        [rank1]:   File "/path/train.py", line 12, in main\n'
        "        [rank1]:     spool.write(state)\n"
        '        [rank1]:   File "/venv/lib/python3/site-packages/sample/spool.py", line 40, in'
        " write\n"
        "        [rank1]:     raise SpoolError(text)\n"
        "        [rank1]: sample.errors.SpoolError: spool of user at 192.0.2.1:9000 has 3.2"
        " GiB left for /path/ckpt, pid 4711\n"
        "      expect: {confidence: possible}  # TODO: as sure as your signatures make it\n"
    ) in outcome.text
    assert (
        'title: "TODO: name the mechanism; the log says sample.errors.SpoolError: spool of user at'
        ' 192.0.2.1:9000"\n'
    ) in outcome.text
    assert "alice" not in outcome.text
    found = problems(tmp_path, outcome.text)
    assert len(found) == 18
    assert set(found) == {("placeholder-text", "'TODO' is no answer")}


def test_a_class_is_named_with_its_module_where_an_installed_package_has_it(tmp_path: Path) -> None:
    """Two libraries may name one alike; the modules of a person's own code are of one run."""
    own = SPOOL.replace("sample.errors.SpoolError", "alices_job.errors.SpoolError")
    known = catalogue_of("host-oom-killer")

    assert 'traceback: "sample.errors.SpoolError"' in draft(tmp_path, known, SPOOL).text
    assert 'traceback: "SpoolError"' in draft(tmp_path, known, own).text


def test_versions_that_the_log_prints_are_in_the_draft(tmp_path: Path) -> None:
    """Of the package that raised and prints none, its name alone is."""
    outcome = draft(tmp_path, catalogue_of("host-oom-killer"), "torch==2.9.1\n" + SPOOL)

    assert (
        '\naffects:\n  - package: "sample"\n    note: "TODO: which versions have it."\n'
        '  - package: "torch"\n    note: "Seen with 2.9.1. TODO: which versions have it."\n'
    ) in outcome.text


def test_a_line_of_an_example_that_was_cut_says_so(tmp_path: Path) -> None:
    """Nobody looks for the end of a message in an example that does not have it."""
    long = SPOOL.replace("spool of alice", "a" * 20 + " " + "word " * 100 + "spool of alice")
    lines = draft(tmp_path, catalogue_of("host-oom-killer"), long).text.splitlines()
    cut = next(line for line in lines if "SpoolError: aaaa" in line and "rank1" in line)
    assert cut.endswith(" word wor ...")


LOGGED = (
    "{}[rank1]: Traceback (most recent call last):\n"
    '[rank1]:   File "/workspace/probe.py", line 7, in sample\n'
    "[rank1]:     probe.read()\n"
    "[rank1]: probe.ProbeError: the probe did not answer in time\n"
)


@pytest.mark.parametrize(
    ("head", "between"),
    [
        ("[rank1]: 2026-01-02 03:04:05,678 ERROR probe failed\n", ""),
        ("", "[rank1]: step 9 loss 2.4\n"),
    ],
    ids=["logged, and another one ended the process", "not logged, and a step followed"],
)
def test_what_the_process_survived_is_not_drafted(head: str, between: str, tmp_path: Path) -> None:
    """Of several exceptions the one counts that ended the run, though it is not the first."""
    log = LOGGED.format(head) + between + SPOOL
    outcome = draft(tmp_path, catalogue_of("host-oom-killer"), log)
    assert 'raised: {traceback: "sample.errors.SpoolError"' in outcome.text
    assert "ProbeError" not in outcome.text


def test_an_exception_of_an_earlier_attempt_was_not_survived(tmp_path: Path) -> None:
    """The steps after a restart are those of another process."""
    restart = (
        "[rank1]: probe.Loaded\n"
        "I0102 03:04:05.678000 7 torch/distributed/elastic/agent/server/api.py:926] [default]"
        " Worker group FAILED. 2/3 attempts left; will restart worker group\n"
    )
    outcome = draft(tmp_path, catalogue_of("host-oom-killer"), LOGGED.format("") + restart + SPOOL)
    assert 'raised: {traceback: "ProbeError"' in outcome.text


def test_the_example_keeps_the_order_of_the_log(tmp_path: Path) -> None:
    """An error line below the exception stands below it in the example too."""
    log = (
        "SpoolLoader library load error: no spool was found at /opt/spool.so\n"
        "Traceback (most recent call last):\n"
        '  File "/workspace/train.py", line 12, in main\n'
        "    spool.write(state)\n"
        "spool.LoadError: \n"
        "No spool fits this machine\n"
        "step 1\n"
        "Original error: no spool was found at /opt/spool.so\n"
    )
    outcome = draft(tmp_path, catalogue_of("host-oom-killer"), log)
    assert (
        "        SpoolLoader library load error: no spool was found at /path/spool.so\n"
        "        Traceback (most recent call last):\n"
        '          File "/path/train.py", line 12, in main\n'
        "            spool.write(state)\n"
        "        spool.LoadError\n"
    ) in outcome.text
    assert outcome.text.index("No spool fits") < outcome.text.index("Original error: no spool")
    assert "the log says spool.LoadError: No spool fits this machine" in outcome.text


@pytest.mark.parametrize(
    "log", ["load_truncated/empty", "shm_full/large_batches", "save_disk_full/path", "rank_killed"]
)
def test_a_draft_of_a_real_log_loads(log: str, tmp_path: Path) -> None:
    """With a catalogue that knows none of it, only the marks are complained of."""
    files = {
        path.name: path.read_text(encoding="utf-8", errors="replace")
        for path in sorted((ROOT / "tests" / "logs" / log).rglob("*.log"))
    }
    text = "".join(files.values())
    outcome = draft(tmp_path, catalogue_of("disk-full"), text)
    assert {code for code, _ in problems(tmp_path, outcome.text)} == {"placeholder-text"}


@pytest.mark.parametrize(
    "message",
    [
        "---\nTODO: a: [b] {c} # d 'e' \"f\" \\g",
        "<a> <b:c> <<<1>>> <0x7ffe> </tmp/x-1>",
        "\x1b[31mred\x07 \u202e right to left \U0001f600 \t tab",
        "1 2 3",
        "",
        "&anchor *alias !tag %directive @at `tick`",
    ],
)
def test_nothing_that_a_log_prints_breaks_the_draft(message: str, tmp_path: Path) -> None:
    """The message is quoted, escaped, or left out."""
    writer = Writer("rank", 0, None, None, None)
    line = Line("a.log", 1, "Traceback", "Traceback", writer, None, None, None)
    frame = Frame("/x/<a>/site-packages/b.py", 3, "<lambda>", "f(x)  # '\"")
    raised = Raised("a.BError", message, (frame,), 2)
    block = Traceback(line, 3, (raised,), False, False, True)
    seen = diagnose_texts(catalogue_of("disk-full"), {}, {}, {"torch": "2.9.1"}).observations
    said = line._replace(text=message.partition("\n")[0])
    text = draft_entry(FirstFailure(0, block, (said,), None), seen, "2026-01-02")
    assert {code for code, _ in problems(tmp_path, text)} == {"placeholder-text"}


def test_a_recognized_failure_is_drafted_only_if_asked_for_twice(tmp_path: Path) -> None:
    """It says which entry explains it."""
    log = (
        "Traceback (most recent call last):\n"
        '  File "t.py", line 1, in <module>\n    save()\nOSError: No space left on device\n'
    )
    outcome = draft(tmp_path, catalogue_of(), log)
    assert (outcome.status, outcome.text, outcome.trouble) == (
        1,
        "",
        ("nothing drafted: disk-full explains it (certain); --draft --draft drafts all the same",),
    )


def test_a_symptom_and_an_exception_of_the_user_explain_nothing(tmp_path: Path) -> None:
    """Their cause is what a draft is for, and the symptom is not what is drafted."""
    outcome = draft(tmp_path, catalogue_of(), LOST + SPOOL)
    assert outcome.status == 1
    assert 'traceback: "sample.errors.SpoolError"' in outcome.text
    assert "Connection closed" not in outcome.text


def test_a_wrapper_is_not_drafted(tmp_path: Path) -> None:
    """What only says that another process failed is no failure of its own."""
    wrapped = SPOOL.replace("[rank1]: ", "").replace(
        "sample.errors.SpoolError: spool", "torch.multiprocessing.ProcessExitedException: spool"
    )
    outcome = draft(tmp_path, catalogue_of("host-oom-killer"), wrapped)
    assert "ProcessExitedException" not in outcome.text


def test_without_an_error_nothing_is_drafted(tmp_path: Path) -> None:
    """There would be nothing that an entry could look for."""
    outcome = draft(tmp_path, catalogue_of(), "step 1 loss 2.0\nstep 2 loss 1.9\n")
    assert (outcome.text, outcome.trouble) == (
        "",
        ("nothing drafted: no exception and no error line is left unexplained",),
    )


def test_a_draft_has_one_form() -> None:
    """It is an entry, not a report."""
    with pytest.raises(UsageError) as refused:
        run_check(
            Request("check", True, ("a",), {"--draft": "", "--format": "json"}, False),
            catalogue_of(),
        )
    assert str(refused.value) == "--draft writes an entry, from all that was read"


def test_a_signal_comes_before_the_connections_that_it_cost(tmp_path: Path) -> None:
    """Peers that lost their connection have the tracebacks; the dead rank has none."""
    text = (ROOT / "tests/logs/rank_killed/plain/console.log").read_text(encoding="utf-8")
    outcome = draft(tmp_path, catalogue_of("disk-full"), text)
    assert "  signs:\n    ended: {exit: {signal: 9}}\n" in outcome.text
    assert "On rank 1 in this run." in outcome.text


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("write(): fd 11 failed with No space left", "write(): fd <n> failed with No space left"),
        ("[Errno 28] No space left: '/data/x.pt'", "[Errno 28] No space left: '<path>'"),
        ("rank 3 waits 1800000 ms for tcp://n1:29500", "rank <rank> waits <dur> for <word>"),
        ("shapes (4x16 and 32x8) differ", "shapes (<word> and <word>) differ"),
        ("GPU 0000:65:00.0 at 0x7f3a: dtype float32", "GPU <bus> at <word>: dtype float32"),
        ("file </torch_1_2>: full", "file"),
        ("class <b> failed", "class <<b> failed"),
        ("17", ""),
    ],
)
def test_values_become_placeholders(text: str, wording: str) -> None:
    """What differs from run to run is no part of the message; numbers inside names are."""
    assert proposed_wording(text, NOBODY) == wording


def test_hosts_users_addresses_and_ids_are_neutral() -> None:
    """An example shows the failure and not whose it was."""
    names = private_names(["/home/alice/run.py"], ["gpu-17.example.com", "gpu-17"], ())
    text = (
        "alice@gpu-17 gpu-17.example.com 10.1.2.3 /scratch/alice/run.py 0xdeadbeef"
        " 123e4567-e89b-12d3-a456-426614174000 step 12"
    )
    assert neutral_text(text, names) == (
        "user@node1 node1 192.0.2.1 /path/run.py 0x0 00000000-0000-0000-0000-000000000000 step 12"
    )
