"""What whole runs of the checker take on large logs, beside ripgrep and grep.

    python tests/bench/scan.py --all --work FOLDER [--size 1000M] [--rounds 3] [--write]
    python tests/bench/scan.py trainer nccl memory start --size 50M

All tools look for the same texts (`signature_set.py`) in the same made logs (`made_logs.py`).
Commands are run in turn, round by round, after one round that warms up; medians are compared.
Where other work shares the machine only the ratios of processor time mean something, and those of
time by the clock only where it is idle. What is measured is kept in the folder part by part: after
a break the same command goes on where it ended. `--write` puts the table into `RESULTS.md`.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench import start
from tests.bench.built import ROOT, real_rows, write_script
from tests.bench.made_logs import made_log
from tests.bench.running import Command, Taken, compared, run
from tests.bench.signature_set import Signatures, signatures

RESULTS = Path(__file__).with_name("RESULTS.md")
BEGIN, END = "<!-- scan: begin -->", "<!-- scan: end -->"
UNITS = {"K": 10**3, "M": 10**6, "G": 10**9}
MOST_MS, MOST_OF_LOADING = 150, 1.5


class Log(NamedTuple):
    """How a made log is measured."""

    share: float = 1.0
    """Of the size that was asked for."""
    once: bool = False
    """A run takes so long that there is one, without any before it."""
    why: str = ""
    """What makes it smaller."""


class Row(NamedTuple):
    """One goal: the checker on a log, beside another command."""

    label: str
    log: str
    command: str
    beside: str
    goal: float
    """The most that the ratio may be."""


LOGS = {
    "ranks": Log(0.1, True, "1,024 files, of which each takes the checker tens of milliseconds"),
    "mixed": Log(0.01, True, "real logs of failures, which are read line by line"),
    "prose": Log(0.1, False, "grep takes a second for 50 MB"),
    "candidates": Log(0.1, False, "compared with itself"),
    "bars": Log(0.3, True, "the issue names 300 MB"),
    "blob": Log(0.3, True, "the issue names 300 MB"),
}
"""Those that are not measured at full size."""
ROWS = (
    Row("Trainer log, one processor", "trainer", "checker, one", "rg", 1.0),
    Row("Trainer log, two processors", "trainer", "checker", "rg", 0.6),
    Row("Trainer log, beside grep -F", "trainer", "checker, one", "grep", 1.0),
    Row("Trainer log, 2,000 signatures", "trainer", "2000, one", "checker, one", 1.15),
    Row("Trainer log, no slow signatures", "trainer", "fast, one", "checker, one", 1.0),
    Row("NCCL INFO log, one processor", "nccl", "checker, one", "rg", 0.9),
    Row("NCCL INFO log, two processors", "nccl", "checker", "rg", 0.5),
    Row("NCCL INFO log, 2,000 signatures", "nccl", "2000, one", "checker, one", 1.15),
    Row("NCCL INFO log, no slow signatures", "nccl", "fast, one", "checker, one", 1.0),
    Row("metric lines, two processors", "metrics", "checker", "rg", 3.0),
    Row("metric lines, one processor", "metrics", "checker, one", "rg", 3.0),
    Row("gzip, two processors", "packed", "checker", "rg -z", 0.8),
    Row("gzip, one processor", "packed", "checker, one", "rg -z", 0.8),
    Row("unique text, beside grep -F", "prose", "checker, one", "grep", 1.0),
    Row("unique text, no slow signatures", "prose", "fast, one", "checker, one", 1.0),
    Row("mixed logs", "mixed", "checker, one", "rg", 2.0),
    Row("1,024 rank files, two processors", "ranks", "checker", "rg", 1.5),
    Row("1,024 rank files, one processor", "ranks", "checker, one", "rg", 1.5),
)
CANDIDATES = ("candidates", "ordinary", 0.3)
"""Two logs alike but for one text, and the speed of one to the other."""
MEMORY = (
    ("trainer", 64),
    ("nccl", 64),
    ("metrics", 64),
    ("mixed", 64),
    ("ranks", 64),
    ("bars", 200),
    ("blob", 200),
)
"""Logs, and MiB that one process may hold; all together may hold twice that, at most 200."""
TIMES_FOUR = "trainer"
SPEED_HEAD = (
    "| what | beside | seconds | beside | ratio by the clock | by processor | goal | met |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"
)
MEMORY_HEAD = (
    "| log | MB | most of one process, MiB | goal | all together, MiB | goal | met |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | --- |"
)
START_HEAD = "| start, ms by the clock | measured | goal | met |\n| --- | ---: | ---: | --- |"


class Bench:
    """Makes logs and scripts below a folder, and runs commands on them."""

    def __init__(self, work: Path, size: int, rounds: int) -> None:
        """Make the scripts."""
        self.work, self.size, self.rounds = work, size, rounds
        rows = real_rows()
        self.sets = {
            "checker": signatures(rows, 337),
            "2000": signatures(rows, 2000),
            "fast": signatures(rows, 337, fast_only=True),
        }
        self.marks = [str(size), str(rounds)]
        """What the measurements are of."""
        for name, held in self.sets.items():
            script = write_script(self._script(name), held.rows)
            self.marks.append(hashlib.sha256(script.read_bytes()).hexdigest())
        held = self.sets["checker"]
        (work / "patterns").write_text(held.patterns)
        (work / "pieces").write_text(held.pieces)
        folder = ROOT / "tests" / "logs"
        self.real = sorted(
            file for file in folder.rglob("*") if file.is_file() and file.suffix != ".md"
        )
        self.missing = [tool for tool in ("rg", "grep") if shutil.which(tool) is None]

    def _script(self, name: str) -> Path:
        return self.work / f"{name}.py"

    def size_of(self, name: str) -> int:
        """Tell how large a log is made."""
        alike = CANDIDATES[0] if name in CANDIDATES else name
        return int(self.size * LOGS.get(alike, Log()).share)

    def log(self, name: str) -> Path:
        """Make a log, or find it as it was made before."""
        return made_log(self.work, name, self.size_of(name), self.real)

    def command(self, name: str, log: Path) -> Command | None:
        """Write the command that stands under a name; None where its tool is missing."""
        patterns, pieces = str(self.work / "patterns"), str(self.work / "pieces")
        plain, _, one = name.partition(", ")
        if plain in self.sets:
            script = str(self._script(plain))
            return Command((sys.executable, "-I", "-S", script, str(log)), bool(one))
        if name.split(maxsplit=1)[0] in self.missing:
            return None
        if name.startswith("rg"):
            unpack = ("-z",) if name == "rg -z" else ()
            return Command(("rg", "--no-unicode", *unpack, "-c", "-f", patterns, str(log)))
        recursive = ("-r",) if log.is_dir() else ()
        return Command(("grep", *recursive, "-c", "-F", "-f", pieces, str(log)))


class Ledger:
    """Keeps the lines of each part in a file as they come, and finds them after a break."""

    def __init__(self, path: Path) -> None:
        """Find what was measured before."""
        self._path = path
        self._kept: dict[str, list[str]] = json.loads(path.read_text()) if path.exists() else {}

    def lines(self, part: str, measure: Callable[[], list[str]]) -> list[str]:
        """Return the lines of a part; it is measured if it was not yet."""
        if part not in self._kept:
            self._kept[part] = measure()
            beside = self._path.with_suffix(".new")
            beside.write_text(json.dumps(self._kept))
            beside.replace(self._path)
        print("\n".join(self._kept[part]), flush=True)
        return self._kept[part]


def speed_lines(bench: Bench, name: str) -> list[str]:
    """Measure all rows of one log, the commands in turn with each other."""
    group = [row for row in ROWS if row.log == name]
    log, rounds = bench.log(name), 0 if LOGS.get(name, Log()).once else bench.rounds
    names = list(dict.fromkeys(one for row in group for one in (row.beside, row.command)))
    commands = {one: bench.command(one, log) for one in names}
    there = {one: command for one, command in commands.items() if command is not None}
    taken = dict(zip(there, compared(list(there.values()), rounds), strict=True))
    lines = []
    for row in group:
        missing = [one for one in (row.command, row.beside) if one not in taken]
        if missing:
            lines.append(f"| {row.label} | {row.beside} | {missing[0]} is missing | | | | | |")
        else:
            lines.append(told(row, taken[row.command], taken[row.beside]))
    return lines


def told(row: Row, here: Taken, there: Taken) -> str:
    """Write a row of the table."""
    ratio = here.clock / there.clock
    by_processor = here.processor / there.processor
    return (
        f"| {row.label} | {row.beside} | {here.clock:.2f} | {there.clock:.2f} | {ratio:.2f} | "
        f"{by_processor:.2f} | <= {row.goal:g} | {'yes' if ratio <= row.goal else 'no'} |"
    )


def candidate_lines(bench: Bench) -> list[str]:
    """Compare the speed on lines that all match with that on the like of them that do not."""
    logs = [bench.log(name) for name in CANDIDATES[:2]]
    commands = [bench.command("checker, one", log) for log in logs]
    every, none = compared([command for command in commands if command], bench.rounds)
    ratio, goal = none.clock / every.clock, CANDIDATES[2]
    return [
        f"| every line a candidate, speed | no candidate | {every.clock:.2f} | {none.clock:.2f} | "
        f"{ratio:.2f} | {none.processor / every.processor:.2f} | >= {goal:g} | "
        f"{'yes' if ratio >= goal else 'no'} |"
    ]


def memory_lines(bench: Bench, name: str, goal: int, times: int = 1) -> list[str]:
    """Measure the resident memory of one run on a log, or on it so many times in a row."""
    log = bench.log(name)
    size = times * bench.size_of(name)
    if times > 1:
        log = repeated(log, bench.work / f"{name}-{times}-times.log", times)
    command = bench.command("checker", log)
    taken = run(command, watched=True) if command else Taken(0, 0, 0, 0)
    if times > 1:
        log.unlink()
    both = max(128, goal)
    met = taken.resident <= goal and taken.together <= both
    return [
        f"| {name} | {size / 1e6:.0f} | {taken.resident:.0f} | {goal} | {taken.together:.0f} | "
        f"{both} | {'yes' if met else 'no'} |"
    ]


def repeated(log: Path, target: Path, times: int) -> Path:
    """Write a log so many times into one file."""
    with target.open("wb") as whole:
        for _ in range(times):
            with log.open("rb") as part:
                shutil.copyfileobj(part, whole, 1 << 20)
    return target


def start_lines(bench: Bench) -> list[str]:
    """Measure the first result on a small log, beside the same file without its final call."""
    with tempfile.TemporaryDirectory() as name:
        medians = start.measured(Path(name), max(1, 3 * bench.rounds), sys.executable)
    first, loading = medians[start.FIRST_RESULT][0], medians[start.WITHOUT_CALL][0]
    ratio = first / loading
    return [
        f"| {start.FIRST_RESULT} | {first:.0f} | <= {MOST_MS} | "
        f"{'yes' if first <= MOST_MS else 'no'} |",
        f"| beside {start.WITHOUT_CALL} ({loading:.0f}) | {ratio:.2f} times | "
        f"<= {MOST_OF_LOADING} times | {'yes' if ratio <= MOST_OF_LOADING else 'no'} |",
    ]


def versions(bench: Bench) -> str:
    """Name the tools, what was looked for, and which logs are smaller and why."""
    held: Signatures = bench.sets["checker"]
    tools = [f"Python {sys.version.split()[0]}"]
    for tool in ("rg", "grep"):
        if tool in bench.missing:
            tools.append(f"{tool} is missing")
        else:
            asked = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True)
            tools.append(asked.stdout.splitlines()[0])
    share = len(held.short) / len(held.fixed)
    smaller = "; ".join(
        f"{name} {bench.size_of(name) / 1e6:,.0f} MB{', run once' * log.once}: {log.why}"
        for name, log in LOGS.items()
    )
    told = (
        f"{', '.join(tools)}; {os.cpu_count()} processors, {bench.rounds} rounds, logs of "
        f"{bench.size / 1e6:,.0f} MB, but {smaller}. The 4 GB are the Trainer's log four times. "
        f"All look for {len(held.fixed)} fixed texts and {len(held.expressions)} expressions; "
        f"{len(held.short)} of the fixed ones ({share:.0%}) are of the slow class: fewer than 15 "
        "letters that count."
    )
    return textwrap.fill(told, 120, break_on_hyphens=False)


def measured(bench: Bench, ledger: Ledger, asked: Callable[[str], bool]) -> list[str]:
    """Measure what is asked for, and return the tables."""
    lines = [SPEED_HEAD]
    for name in dict.fromkeys(row.log for row in ROWS):
        if asked(name):
            lines += ledger.lines(name, lambda name=name: speed_lines(bench, name))  # type: ignore[misc]
    if asked(CANDIDATES[0]):
        lines += ledger.lines(CANDIDATES[0], lambda: candidate_lines(bench))
    if asked("start"):
        lines += ["", START_HEAD, *ledger.lines("start", lambda: start_lines(bench))]
    if asked("memory"):
        lines += ["", MEMORY_HEAD]
        cases = [(name, goal, 1) for name, goal in MEMORY]
        for name, goal, times in [*cases, (TIMES_FOUR, 64, 4)]:
            part = f"memory of {name} {times}"
            lines += ledger.lines(
                part,
                lambda name=name, goal=goal, times=times: memory_lines(  # type: ignore[misc]
                    bench, name, goal, times
                ),
            )
    return lines


def bytes_of(text: str) -> int:
    """Read a size such as 50M."""
    unit = UNITS.get(text[-1:].upper(), 1)
    return int(float(text.rstrip("KMGkmg")) * unit)


def write_results(section: str) -> None:
    """Put the section into the results, in the place of the one before."""
    text = RESULTS.read_text()
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2] if rest else "\n"
    if not rest:
        before = before.rstrip("\n") + "\n\n"
    RESULTS.write_text(f"{before}{BEGIN}\n{section}\n{END}{after}")


def main(argv: Sequence[str]) -> int:
    """Measure what is named, or all, and print or write the tables."""
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    reader.add_argument("parts", nargs="*", help="names of logs, such as trainer; start, memory")
    reader.add_argument("--all", action="store_true", help="all logs, start and memory")
    reader.add_argument("--size", default="1G", help="of the large logs (1G)")
    reader.add_argument("--rounds", type=int, default=3)
    reader.add_argument("--work", help="folder for logs and results, kept; else a temporary one")
    reader.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    given = reader.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(given.work or temporary)
        work.mkdir(parents=True, exist_ok=True)
        bench = Bench(work, bytes_of(given.size), given.rounds)
        mark = hashlib.sha256(" ".join(bench.marks).encode()).hexdigest()[:12]
        ledger = Ledger(work / f"results-{mark}.json")
        head = ["## Scan: `python tests/bench/scan.py --all --write`", "", versions(bench), ""]
        print("\n".join(head))
        lines = measured(bench, ledger, lambda part: given.all or part in given.parts)
        if given.write:
            write_results("\n".join(head + lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
