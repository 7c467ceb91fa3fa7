"""What whole runs of the checker take on large logs, beside ripgrep and grep.

    python tests/bench/scan.py --all [--size 1000M] [--rounds 3] [--work FOLDER] [--write]
    python tests/bench/scan.py trainer nccl --size 50M

All tools look for the same texts (`signature_set.py`) in the same made logs (`made_logs.py`).
Commands are run in turn, round by round, after one round that warms up; medians are compared.
Where other work shares the machine only the ratios of processor time mean something, and those of
time by the clock only where it is idle. `--write` puts the table into `RESULTS.md`.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from checker.identity import VERSION
from generator.assemble import assemble
from generator.build import published
from generator.catalogue import catalogue_rows
from generator.lint import check
from tests.bench.made_logs import made_log
from tests.bench.signature_set import Signatures, signatures
from tests.bench.start import ROOT

RESULTS = Path(__file__).with_name("RESULTS.md")
BEGIN, END = "<!-- scan: begin -->", "<!-- scan: end -->"
CHECKER_FAILED = (2, 3, 70, 130)
UNITS = {"K": 10**3, "M": 10**6, "G": 10**9}


class Taken(NamedTuple):
    """What one run took."""

    clock: float
    processor: float
    resident: float
    """Most of one process, in MiB."""
    status: int
    output: str


class Row(NamedTuple):
    """One goal: the checker on a log, beside another command."""

    label: str
    log: str
    share: float
    """Of the size that was asked for."""
    command: str
    beside: str
    goal: float
    below: bool = True
    """Whether the ratio is to be at most the goal, else at least."""


ROWS = (
    Row("Trainer log, one process", "trainer", 1, "checker", "rg", 1.0),
    Row("Trainer log, two processes", "trainer", 1, "checker, two", "rg", 0.6),
    Row("Trainer log, beside grep -F", "trainer", 1, "checker", "grep", 1.0),
    Row("Trainer log, 2,000 signatures beside 337", "trainer", 1, "checker 2000", "checker", 1.15),
    Row("Trainer log, 337 signatures, no slow ones", "trainer", 1, "checker fast", "checker", 1.0),
    Row("NCCL INFO log, one process", "nccl", 1, "checker", "rg", 0.9),
    Row("NCCL INFO log, two processes", "nccl", 1, "checker, two", "rg", 0.5),
    Row("NCCL INFO log, 2,000 signatures beside 337", "nccl", 1, "checker 2000", "checker", 1.15),
    Row("NCCL INFO log, 337 signatures, no slow ones", "nccl", 1, "checker fast", "checker", 1.0),
    Row("1,024 rank files, two processes", "ranks", 1, "checker, two", "rg", 1.5),
    Row("1,024 rank files, one process", "ranks", 1, "checker", "rg", 1.5),
    Row("mixed logs", "mixed", 0.05, "checker", "rg", 2.0),
    Row("unique text, beside grep -F", "prose", 0.1, "checker", "grep", 1.0),
    Row("unique text, no slow signatures", "prose", 0.1, "checker fast", "checker", 1.0),
    Row("gzip", "packed", 1, "checker", "rg -z", 0.8),
    Row("metric lines, two processes", "metrics", 1, "checker, two", "rg", 3.0),
    Row("metric lines, one process", "metrics", 1, "checker", "rg", 3.0),
)
CANDIDATES = ("candidates", "ordinary", 0.1, 0.3)
"""Two logs alike but for one text, the share of the size, and the speed of one to the other."""


class Bench:
    """Makes logs and scripts below a folder, and runs commands on them."""

    def __init__(self, work: Path, size: int, rounds: int) -> None:
        """Make the scripts."""
        self.work, self.size, self.rounds = work, size, rounds
        collection, problems = check(ROOT / "entries")
        if problems:
            sys.exit("the entries have problems; run: python -m generator lint")
        rows = catalogue_rows(published(collection))
        self.sets = {
            "checker": signatures(rows, 337),
            "checker 2000": signatures(rows, 2000),
            "checker fast": signatures(rows, 337, fast_only=True),
        }
        for name, held in self.sets.items():
            self._script(name).write_text(
                assemble(ROOT / "checker", held.rows, "", "2026-01-01", VERSION)
            )
        held = self.sets["checker"]
        (work / "patterns").write_text(held.patterns)
        (work / "pieces").write_text(held.pieces)
        folder = ROOT / "tests" / "logs"
        self.real = sorted(
            file for file in folder.rglob("*") if file.is_file() and file.suffix != ".md"
        )
        self.missing = [tool for tool in ("rg", "grep", "gzip") if shutil.which(tool) is None]

    def _script(self, name: str) -> Path:
        return self.work / (name.replace(" ", "-") + ".py")

    def log(self, name: str, share: float) -> Path:
        """Make a log, or find it as it was made before."""
        return made_log(self.work, name, int(self.size * share), self.real)

    def command(self, name: str, log: Path) -> list[str] | None:
        """Write the command that stands under a name; None where its tool is missing."""
        patterns, pieces = str(self.work / "patterns"), str(self.work / "pieces")
        if name.startswith("checker"):
            plain, _, two = name.partition(", ")
            script = [sys.executable, "-I", "-S", str(self._script(plain))]
            return None if two else [*script, str(log)]
        if name.split(maxsplit=1)[0] in self.missing:
            return None
        if name.startswith("rg"):
            unpack = ["-z"] if name == "rg -z" else []
            return ["rg", "--no-unicode", *unpack, "-c", "-f", patterns, str(log)]
        recursive = ["-r"] if log.is_dir() else []
        return ["grep", *recursive, "-c", "-F", "-f", pieces, str(log)]

    def compared(self, commands: Sequence[list[str]]) -> list[Taken]:
        """Run commands in turn, round by round; return medians."""
        taken: list[list[Taken]] = [[] for _ in commands]
        for number in range(self.rounds + 1):
            for command, found in zip(commands, taken, strict=True):
                one = run(command)
                if number or self.rounds == 0:
                    found.append(one)
        return [middle(found) for found in taken]


def run(command: list[str]) -> Taken:
    """Run a command to its end."""
    before = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
        _, status, used = os.wait4(process.pid, 0)
        taken = time.perf_counter() - before
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    if "-I" in command and process.returncode in CHECKER_FAILED:
        sys.exit(f"{' '.join(command)}: exit status {process.returncode}\n{text[:2000]}")
    processor = used.ru_utime + used.ru_stime
    return Taken(taken, processor, used.ru_maxrss / 1024, process.returncode, text)


def middle(found: list[Taken]) -> Taken:
    """Take the median of each number."""
    return found[-1]._replace(
        clock=statistics.median([one.clock for one in found]),
        processor=statistics.median([one.processor for one in found]),
        resident=max(one.resident for one in found),
    )


def together(command: list[str]) -> float:
    """Run a command; return the most MiB that its processes hold together, shared pages once."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = [0.0]
    ended = threading.Event()

    def _watch() -> None:
        while not ended.wait(0.02):
            most[0] = max(most[0], sum(map(proportional, family(process.pid))) / 1024)

    watch = threading.Thread(target=_watch)
    watch.start()
    process.wait()
    ended.set()
    watch.join()
    return most[0]


def family(pid: int) -> list[int]:
    """List a process and those that it started."""
    try:
        tasks = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(one for child in tasks for one in family(int(child)))]


def proportional(pid: int) -> int:
    """Read the KiB that a process holds, of shared pages its part."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)
    return int(found.group(1)) if found else 0


def speed_table(bench: Bench, rows: Sequence[Row]) -> list[str]:
    """Measure rows, all commands on one log in turn with each other."""
    lines = [
        "| what | beside | seconds | beside | ratio by the clock | by processor | goal | met |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for log_name in dict.fromkeys(row.log for row in rows):
        group = [row for row in rows if row.log == log_name]
        log = bench.log(log_name, group[0].share)
        names = list(dict.fromkeys(name for row in group for name in (row.beside, row.command)))
        commands = {name: bench.command(name, log) for name in names}
        there = {name: command for name, command in commands.items() if command is not None}
        taken = dict(zip(there, bench.compared(list(there.values())), strict=True))
        for row in group:
            missing = [name for name in (row.command, row.beside) if name not in taken]
            if missing:
                line = f"| {row.label} | {row.beside} | {missing[0]} is missing | | | | | |"
            else:
                line = told(row, taken[row.command], taken[row.beside])
            lines.append(line)
            print(line, flush=True)
    return lines


def told(row: Row, here: Taken, there: Taken) -> str:
    """Write a row of the table."""
    ratio = here.clock / there.clock
    by_processor = here.processor / there.processor
    sign = "<=" if row.below else ">="
    met = ratio <= row.goal if row.below else ratio >= row.goal
    return (
        f"| {row.label} | {row.beside} | {here.clock:.2f} | {there.clock:.2f} | {ratio:.2f} | "
        f"{by_processor:.2f} | {sign} {row.goal:g} | {'yes' if met else 'no'} |"
    )


def candidate_row(bench: Bench) -> str:
    """Compare the speed on lines that all match with that on the like of them that do not."""
    log, plain, share, goal = CANDIDATES
    commands = [bench.command("checker", bench.log(name, share)) for name in (log, plain)]
    every, none = bench.compared([command for command in commands if command])
    ratio, by_processor = none.clock / every.clock, none.processor / every.processor
    return (
        f"| every line a candidate, speed | no candidate | {every.clock:.2f} | {none.clock:.2f} | "
        f"{ratio:.2f} | {by_processor:.2f} | >= {goal:g} | {'yes' if ratio >= goal else 'no'} |"
    )


def memory_table(bench: Bench, *, large: bool) -> list[str]:
    """Measure resident memory on logs, a four times larger one, and on one long line."""
    lines = [
        "| log | size MB | most of one process MiB | goal | two processes together MiB | goal |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    cases = [("trainer", 1.0, 64), ("nccl", 1.0, 64), ("metrics", 1.0, 64), ("mixed", 0.05, 64)]
    cases += [("ranks", 1.0, 64), ("bars", 0.3, 200), ("blob", 0.3, 200)]
    if large:
        cases.insert(1, ("trainer", 4.0, 64))
    for name, share, goal in cases:
        log = bench.log(name, share)
        one = run(bench.command("checker", log) or [])
        both = bench.command("checker, two", log)
        held = f"{together(both):.0f}" if both else ""
        size = bench.size * share / 1e6
        line = f"| {name} | {size:.0f} | {one.resident:.0f} | {goal} | {held} | {2 * goal} |"
        lines.append(line)
        print(line, flush=True)
        if share > 1:
            shutil.rmtree(log.parent)
    return lines


def versions(bench: Bench) -> str:
    """Name the tools and what was looked for."""
    held: Signatures = bench.sets["checker"]
    tools = [f"Python {sys.version.split()[0]}"]
    for tool in ("rg", "grep"):
        if tool in bench.missing:
            tools.append(f"{tool} is missing")
        else:
            told = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True)
            tools.append(told.stdout.splitlines()[0])
    share = len(held.short) / len(held.fixed)
    return (
        f"{', '.join(tools)}; {os.cpu_count()} processors, {bench.rounds} rounds, logs of "
        f"{bench.size / 1e6:,.0f} MB (mixed 5 %, unique text and candidates 10 %). All look for "
        f"{len(held.fixed)} fixed texts and {len(held.expressions)} expressions; {len(held.short)} "
        f"of the fixed ones ({share:.0%}) are of the slow class: fewer than 15 letters that count."
    )


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
    reader.add_argument("logs", nargs="*", help="names of logs, such as trainer")
    reader.add_argument("--all", action="store_true", help="all logs, and memory")
    reader.add_argument("--size", default="1G", help="of the large logs (1G)")
    reader.add_argument("--rounds", type=int, default=3)
    reader.add_argument("--work", help="folder for logs, kept; else a temporary one")
    reader.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    asked = reader.parse_args(argv)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(asked.work or temporary)
        work.mkdir(parents=True, exist_ok=True)
        bench = Bench(work, bytes_of(asked.size), asked.rounds)
        rows = [row for row in ROWS if asked.all or row.log in asked.logs]
        lines = ["## Scan: `python tests/bench/scan.py --all --write`", "", versions(bench), ""]
        print(versions(bench))
        lines += speed_table(bench, rows)
        if asked.all or CANDIDATES[0] in asked.logs:
            lines.append(candidate_row(bench))
            print(lines[-1])
        if asked.all or "memory" in asked.logs:
            lines += ["", *memory_table(bench, large=asked.all)]
        if asked.write:
            write_results("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
