"""One failure tells the same story, whatever launcher wrote its logs and wherever they lie.

The logs are captures of real runs of 2, 4 and 8 processes; tests/repro/ has the programs. What is
put before the lines here is what srun, Open MPI and kubectl put there.
"""

import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from checker.judgement import Report
from checker.pipeline import diagnose_texts
from tests.needs import ROOT
from tests.published import published_catalogue

LOGS = ROOT / "tests" / "logs"
LOST = ("Connection closed by peer", "Connection reset by peer")
PEERS = "gloo-connection-closed-by-peer"
LAYOUTS = [
    f"{failure}/{layout}"
    for failure, layouts in {
        "user_exception_one_rank": ["tee", "plain", "log_dir"],
        "rank_killed": ["tee", "plain", "log_dir"],
        "collective_timeout": ["all_reduce", "plain", "log_dir"],
    }.items()
    for layout in [*layouts, "tee_2", "log_dir_tee", "plain_8", "log_dir_8"]
]
STOPPED = {
    "sigterm_tee": "torchelastic-sigterm-cascade",
    "sigterm_log_dir": "torchelastic-sigterm-cascade",
    "ctrl_c_tee": "interrupted-by-ctrl-c",
    "ctrl_c_plain": "interrupted-by-ctrl-c",
    "terminal_closed": "torchrun-sighup-terminal-closed",
}
PER_RANK = [layout for layout in LAYOUTS if layout.endswith(("log_dir", "log_dir_8"))]
ENDS = {
    "user_exception_one_rank": {
        "srun": "srun: error: node-a: task 2: Exited with exit code 1\n",
        "mpirun": "mpirun detected that one or more processes exited with non-zero status, thus "
        "causing\nthe job to be terminated. The first process to do so was:\n\n"
        "  Process name: [[21,1],2]\n  Exit code:    1\n",
    },
    "rank_killed": {
        "srun": "srun: error: node-a: task 1: Killed\n",
        "mpirun": "mpirun noticed that process rank 1 with PID 0 on node node-a exited on signal 9 "
        "(Killed).\n",
    },
    "collective_timeout": {"srun": "", "mpirun": ""},
}

Texts = Mapping[str, str]
Change = Callable[[str], dict[str, str]]
Story = list[tuple[str, str, int | None, str | None]]


def read(layout: str) -> dict[str, str]:
    """Read the files of a capture under the names that they have in its folder."""
    folder = LOGS / layout
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8", "surrogateescape")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def story(report: Report) -> Story:
    """Tell id, role, the rank that was first, and the cause of each diagnosis."""
    return [
        (d.rule["id"], d.role, d.rank if d.role == "initiating" else None, d.consequence_of)
        for d in report.diagnoses
    ]


def expected(layout: str) -> Story:
    """Tell what happened; whether peers had the time to tell of it, the capture shows."""
    failure, _, name = layout.partition("/")
    if failure == "collective_timeout":
        return [("nccl-watchdog-collective-timeout", "consequence", None, None)]
    told = any(words in text for text in read(layout).values() for words in LOST)
    if failure == "rank_killed":
        # Nothing tells who sent the signal, so that it is merely possible and causes nothing.
        peers = [(PEERS, "consequence", None, None)] if told else []
        return [("host-oom-killer", "initiating", 1, None), *peers]
    peers = [(PEERS, "consequence", None, "user-code-error")] if told else []
    return [("user-code-error", "initiating", 1 if name == "tee_2" else 2, None), *peers]


def diagnosed(texts: Texts) -> Story:
    """Diagnose texts as if they were files."""
    return story(diagnose_texts(published_catalogue(), texts, {}, {}))


def prefixed(text: str, prefix: str) -> str:
    """Put a prefix before each line."""
    return "".join(prefix + line for line in text.splitlines(keepends=True))


def with_console(prefix: str) -> Callable[[str], dict[str, str]]:
    """Make a change that puts a prefix before each line of the launcher's console."""

    def change(layout: str) -> dict[str, str]:
        texts = read(layout)
        return {**texts, "console.log": prefixed(texts["console.log"], prefix)}

    return change


def kubectl(layout: str) -> dict[str, str]:
    """Write as `kubectl logs --prefix --timestamps` does."""
    texts = read(layout)
    lines = texts["console.log"].splitlines(keepends=True)
    pod = "[pod/train-worker-0/pytorch]"
    stamped = [
        f"{pod} 2026-11-30T13:00:{number // 1000:02d}.{number % 1000:03d}000000Z {line}"
        for number, line in enumerate(lines)
    ]
    return {**texts, "console.log": "".join(stamped)}


def shuffled(layout: str) -> dict[str, str]:
    """Give the files in another order."""
    items = list(read(layout).items())
    random.Random(layout).shuffle(items)
    return dict(items)


def moved(layout: str) -> dict[str, str]:
    """Move the files into another folder, and give the console another name."""
    texts = read(layout)
    return {
        f"backup/job-811/{path.replace('console.log', 'train.out')}": text
        for path, text in texts.items()
    }


def renamed(layout: str) -> dict[str, str]:
    """Collect the ranks' files in one folder, under names of one's own."""
    texts = read(layout)
    return {
        re.sub(r"logs/.*/attempt_0/(\d+)/(stderr|stdout)\.log", r"rank_\1.\2", path): text
        for path, text in texts.items()
        if not path.endswith(".json")
    }


def flat(name: str) -> Change:
    """Collect all files of torchrun in one folder, their folders put into their names."""

    def change(layout: str) -> dict[str, str]:
        shape = re.compile(r"logs/.*/attempt_(\d+)/(\d+)/(stderr|stdout|error)\.(log|json)")
        return {shape.sub(name, path): text for path, text in read(layout).items()}

    return change


def rotated(layout: str) -> dict[str, str]:
    """Cut every log in the middle, as if it had been rotated there."""
    files = {}
    for path, text in read(layout).items():
        lines = text.splitlines(keepends=True)
        if path.endswith(".json") or len(lines) < 2:
            files[path] = text
            continue
        files[path + ".1"] = "".join(lines[: len(lines) // 2])
        files[path] = "".join(lines[len(lines) // 2 :])
    return files


CHANGES: dict[str, Change] = {
    "as captured": read,
    "srun --label": with_console("0: "),
    "kubectl --prefix": kubectl,
    "Open MPI --tag-output": with_console("[1,0]<stdout>: "),
}
OF_FOLDERS: dict[str, Change] = {
    "shuffled": shuffled,
    "moved": moved,
    "renamed": renamed,
    "flat": flat(r"attempt_\1_\2_\3.\4"),
    "flat, by rank": flat(r"all/none_x_attempt_\1_rank_\2.\3.\4"),
    "rotated": rotated,
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_tells_the_same_story(layout: str, change: str) -> None:
    """The first failure, its rank and what followed are the same, however the logs came to us."""
    assert diagnosed(CHANGES[change](layout)) == expected(layout)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("layout", STOPPED)
def test_run_that_was_ended_from_outside_is_told_as_that(layout: str, change: str) -> None:
    """Nothing failed: who was ended tells by which signal, and no rank is called the first."""
    told = diagnosed(CHANGES[change](f"stopped_from_outside/{layout}"))
    assert told == [(STOPPED[layout], "initiating", None, None)]


@pytest.mark.parametrize("change", OF_FOLDERS)
@pytest.mark.parametrize("layout", PER_RANK)
def test_order_and_names_of_the_files_change_nothing(layout: str, change: str) -> None:
    """People copy logs together as they find them."""
    assert diagnosed(OF_FOLDERS[change](layout)) == expected(layout)


def merged(layout: str, prefix: str) -> str:
    """Merge the ranks' streams line by line, as a launcher of ranks does; `R` is the rank."""
    streams = {
        int(Path(path).parent.name): text.splitlines(keepends=True)
        for path, text in read(layout).items()
        if path.endswith("stderr.log")
    }
    longest = max(map(len, streams.values()))
    return "".join(
        prefix.replace("R", str(rank)) + lines[number]
        for number in range(longest)
        for rank, lines in sorted(streams.items())
        if number < len(lines)
    )


@pytest.mark.parametrize(("launcher", "prefix"), [("srun", "R: "), ("mpirun", "[1,R]<stderr>:")])
@pytest.mark.parametrize("layout", PER_RANK)
def test_ranks_started_without_torchrun_tell_the_same_story(
    layout: str, launcher: str, prefix: str
) -> None:
    """A launcher that starts the ranks itself mixes their lines and says how the first ended."""
    failure = layout.partition("/")[0]
    text = merged(layout, prefix) + ENDS[failure][launcher]
    assert diagnosed({"job.out": text}) == expected(layout)
