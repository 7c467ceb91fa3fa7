"""How long the checker takes from its start to its report on a small log.

    python tests/bench/start.py [ROUNDS [PYTHON]]

A checker with 300 entries (the real ones, and copies of them with texts of their own and three
examples each) reads a log of 1 MB. Commands are run in turn, round by round, and the medians are
compared, so that a machine that changes its speed changes all of them. Processor time is what
the process itself took; on a machine with other work, only that can be compared.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.built import real_rows, write_script

ENTRIES = 300
SIZE = 1_000_000
FIRST_RESULT = "1 MB log with a failure"
WITHOUT_CALL = "the script without its final call"
OWN_KEYS = ("log ", "traceback ", "metric ")


def multiplied(rows: str, wanted: int) -> str:
    """Copy rows until there are *wanted*, each copy with its own id and its own literals."""
    originals = rows.splitlines()
    copies = list(originals)
    for number in range(wanted - len(originals)):
        name, keys, rule = originals[number % len(originals)].split("\t")
        mark = word(number)
        # A copy must not be recognized where the original is: others never share a whole text.
        own_keys = [
            key.replace("*", "") + mark if key.startswith(OWN_KEYS) else key
            for key in json.loads(keys)
        ]
        own_rule = json.loads(rule)
        own_rule["examples"] = usual_examples(own_rule["examples"])
        for sign in own_rule["signs"].values():
            if "log" in sign:
                sign["log"] = [marked(wording, mark) for wording in sign["log"]]
            for kind in ("traceback", "metric"):
                if kind in sign:
                    sign[kind] = sign[kind].replace("*", "") + mark
        copies.append("\t".join((f"{name}-{mark.lower()}", compact(own_keys), compact(own_rule))))
    return "".join(row + "\n" for row in sorted(copies))


def compact(value: Any) -> str:
    """Write JSON as the generator writes it."""
    return json.dumps(value, separators=(",", ":"))


def usual_examples(examples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep what a usual entry has: two that must be diagnosed, and a near miss."""
    diagnosed = [example for example in examples if example["diagnosed"]]
    near = [example for example in examples if not example["diagnosed"]]
    return diagnosed[:2] + near[:1]


def marked(wording: Any, mark: str) -> Any:
    """Make another text of a wording as the catalogue carries it."""
    if isinstance(wording, str):
        return wording + mark
    return {
        key: value + mark if key in ("text", "regex", "literal") else value
        for key, value in wording.items()
    }


def word(number: int) -> str:
    """Spell a number in letters."""
    return "".join(chr(ord("K") + int(digit)) for digit in f"{number:04d}")


def training_log(size: int) -> str:
    """Write what a run of four ranks prints: steps, metrics, warnings, a progress bar, an end."""
    generator = random.Random(20260101)
    lines = []
    length = step = 0
    while length < size:
        step += 1
        lines += [
            f"[default{rank}]:2026-08-14 03:{step // 60 % 60:02d}:{step % 60:02d},{rank}23 "
            f"INFO train rank {rank}: step {step} loss {generator.uniform(1, 3):.4f}"
            for rank in range(4)
        ]
        lines.append(
            f"{{'loss': {generator.uniform(1, 3):.4f}, 'grad_norm': 0.91, 'epoch': 0.{step}}}"
        )
        if step % 50 == 0:
            lines.append(
                "/opt/venv/lib/python3.11/site-packages/torch/utils/x.py:12: UserWarning: x"
            )
        length = sum(map(len, lines[-6:])) + length
    lines.append("[default2]:[rank2]: Traceback (most recent call last):")
    lines.append('[default2]:[rank2]:   File "/workspace/train.py", line 117, in collate')
    lines.append('[default2]:[rank2]:     return batch["input_ids"]')
    lines.append("[default2]:[rank2]: KeyError: 'input_ids'")
    return "\n".join(lines) + "\n"


def timed(command: list[str]) -> tuple[float, float, int]:
    """Run a command; return its milliseconds by clock and by processor, and its exit status."""
    before = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    by_clock = (time.perf_counter() - before) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    return by_clock, (used.ru_utime + used.ru_stime) * 1000, process.returncode


def without_call(script: str) -> str:
    """Leave out what the script does once all of it is read."""
    return script[: script.index('if __name__ == "__main__":')]


def measured(folder: Path, rounds: int, python: str) -> dict[str, tuple[float, float]]:
    """Run all commands in turn; return medians of milliseconds by clock and by processor."""
    script = write_script(folder / "trainwreck.py", multiplied(real_rows(), ENTRIES))
    (folder / "read.py").write_text(without_call(script.read_text()))
    log = training_log(SIZE)
    (folder / "train.log").write_text(log)
    (folder / "healthy.log").write_text(log[: log.index("[default2]:[rank2]: Traceback")])
    (folder / "short.log").write_text(training_log(1000))
    alone = [python, "-I", "-S"]
    commands = {
        "bare interpreter": [*alone, "-c", "pass"],
        WITHOUT_CALL: [*alone, str(folder / "read.py")],
        "version": [*alone, str(script), "version"],
        "1 KB log with a failure": [*alone, str(script), str(folder / "short.log")],
        "1 MB log without": [*alone, str(script), str(folder / "healthy.log")],
        FIRST_RESULT: [*alone, str(script), str(folder / "train.log")],
    }
    taken: dict[str, list[tuple[float, float]]] = {label: [] for label in commands}
    for _ in range(rounds + 1):
        for label, command in commands.items():
            by_clock, by_processor, status = timed(command)
            if status not in (0, 1):
                sys.exit(f"{label}: exit status {status}")
            taken[label].append((by_clock, by_processor))
    return {
        label: (
            statistics.median([clock for clock, _ in values[1:]]),
            statistics.median([processor for _, processor in values[1:]]),
        )
        for label, values in taken.items()
    }


def start_table(medians: dict[str, tuple[float, float]]) -> list[str]:
    """Write the medians as a table, beside those of an interpreter that does nothing."""
    bare = medians["bare interpreter"]
    lines = [
        "| command | ms by clock | ratio to bare | ms of processor | ratio to bare |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for label, (clock, processor) in medians.items():
        ratios = clock / bare[0], processor / bare[1]
        lines.append(
            f"| {label} | {clock:.0f} | {ratios[0]:.1f} | {processor:.0f} | {ratios[1]:.1f} |"
        )
    return lines


def main(rounds: int, python: str) -> int:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        medians = measured(Path(name), rounds, python)
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout
    print(f"{ENTRIES} entries, {rounds} rounds, {version.strip()}, medians")
    print("\n".join(start_table(medians)))
    return 0


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(int(given[0]) if given else 15, given[1] if len(given) > 1 else sys.executable))
