"""What metric signs cost, and how long logs take that repeat one finding very often.

    python tests/bench/storms.py [ROUNDS]

Every log is read by a checker with the real entries, each in a process of its own. For the metric
logs a second checker takes its turn, which has no entry with a metric sign. Processor time is
told, since the machine may be shared; commands are run round by round, and medians are compared.
"""

import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.built import real_rows, write_script
from tests.bench.start import training_log

WATCHDOG = (
    "[rank{rank}]:[E814 03:{minute:02d}:{second:02d}.000000 ProcessGroupNCCL.cpp:629] "
    "[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={number}, "
    "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600{part:03d} "
    "milliseconds before timing out."
)
MEMORY = (
    "[rank{rank}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {part}.00 MiB. "
    "GPU {rank} has a total capacity of 79.15 GiB of which {second}.50 MiB is free."
)
RECORD = "2026-08-14 03:{minute:02d}:{second:02d},123 ERROR train: step {number} failed, skipping"
BLOCK = (
    "Traceback (most recent call last):",
    '  File "/workspace/train.py", line {part}, in step',
    "    loss = model(batch)",
    '  File "/opt/venv/lib/python3.11/site-packages/torch/nn/module.py", line 1751, in _call_impl',
    "    return self._call_impl(*args, **kwargs)",
    '  File "/opt/venv/lib/python3.11/site-packages/torch/nn/module.py", line 1762, in _call_impl',
    "    return forward_call(*args, **kwargs)",
    "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    '  File "/workspace/model.py", line 41, in forward',
    "    x = self.table[key]",
    "        ~~~~~~~~~~^^^^^",
    "KeyError: '{word}-{number}'",
)


def rows(times: int, ranks: int, *forms: str) -> Iterator[str]:
    """Write the lines of a form so many times."""
    choice = random.Random(20260101)
    for number in range(times):
        values = {
            "number": number,
            "rank": number % ranks,
            "minute": number // 60 % 60,
            "second": number % 60,
            "part": number % 900 + 2,
            "word": "".join(choice.choices("ghijklmnop", k=10)),
        }
        for form in forms:
            yield form.format(**values)


def prefixed(forms: tuple[str, ...]) -> tuple[str, ...]:
    """Put the prefix of a rank before each line."""
    return tuple("[rank{rank}]: " + form for form in forms)


LOGS: dict[str, Callable[[], str]] = {
    "metrics, 1 MB": lambda: training_log(1_000_000),
    "metrics, 50 MB": lambda: training_log(50_000_000),
    "50,000 exceptions with a record": lambda: "\n".join(rows(50_000, 1, RECORD, *BLOCK)),
    "50,000 exceptions of 64 ranks": lambda: "\n".join(rows(50_000, 64, *prefixed(BLOCK))),
    "10,000 bare exceptions": lambda: "\n".join(rows(10_000, 1, *BLOCK)),
    "20,000 watchdog lines, 64 ranks": lambda: "\n".join(rows(20_000, 64, WATCHDOG)),
    "20,000 watchdog lines, 1,024 ranks": lambda: "\n".join(rows(20_000, 1024, WATCHDOG)),
    "60,000 memory errors, 8 ranks": lambda: "\n".join(rows(60_000, 8, MEMORY)),
}


def taken(script: Path, log: Path) -> float:
    """Run a checker; return the seconds of processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(script), str(log)],
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit(f"{log.name}: exit status {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(rounds: int) -> int:
    """Print the table."""
    lines = real_rows()
    without = "".join(row for row in lines.splitlines(True) if '"metric ' not in row)
    print("| log | MB | seconds | without metric signs | ratio |")
    print("| --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scripts = [folder / "all.py", folder / "without.py"]
        for script, held in zip(scripts, (lines, without), strict=True):
            write_script(script, held)
        for label, made in LOGS.items():
            log = folder / "train.log"
            log.write_text(made() + "\n")
            both = scripts if label.startswith("metrics") else scripts[:1]
            times: list[list[float]] = [[] for _ in both]
            for _ in range(rounds):
                for script, found in zip(both, times, strict=True):
                    found.append(taken(script, log))
            middles = [statistics.median(found) for found in times]
            size = log.stat().st_size / 1e6
            row = f"| {label} | {size:.0f} | {middles[0]:.2f} |"
            if len(middles) > 1:
                row += f" {middles[1]:.2f} | {middles[0] / middles[1]:.2f} |"
            print(row if len(middles) > 1 else row + " | |", flush=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\nlargest resident memory: {peak:.0f} MB; Python {sys.version.split()[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
