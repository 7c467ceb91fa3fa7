"""How much memory and time the files of many ranks take: one run in a process of its own.

    python tests/bench/ranks.py [FILES ...]

Every rank prints its beginning, steps with metrics and an end: `storm` has a CUDA out of memory
on one rank and NCCL's watchdog on all others, `same` one traceback on all, `metrics` no end.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.built import real_rows, write_script
from tests.bench.running import Command, run

FORMATS = ("text", "json", "html")
STEPS = {"storm": 40, "same": 20, "metrics": 200}
MODULE = "/opt/venv/lib/python3.11/site-packages/torch/nn/module.py"
FRAMES = (
    ("/workspace/train.py", 412, "<module>", "main()"),
    (MODULE, 1751, "_wrapped_call_impl", "return self._call_impl(*args, **kwargs)"),
    (MODULE, 1762, "_call_impl", "return forward_call(*args, **kwargs)"),
    ("/workspace/model.py", 41, "forward", "x = self.mlp(x)"),
)
MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 79.15 GiB of which 1.02 GiB is free."
)
WAITED = (
    "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4711, OpType=ALLREDUCE, "
    "NumelIn=268435456, NumelOut=268435456, Timeout(ms)=600000) ran for 600{part:03} milliseconds "
    "before timing out."
)
AVOIDED = "To avoid data inconsistency, we are taking the entire process down."


def rows_of(kind: str, rank: int, ranks: int) -> Iterator[str]:
    """Write what a rank prints."""
    head = f" INFO train rank {rank}: "
    yield f"2026-08-14 03:10:00,{rank % 1000:03}{head}ready, pid {10000 + rank}, world size {ranks}"
    for step in range(1, STEPS[kind] + 1):
        time = f"2026-08-14 03:{10 + step // 60:02}:{step % 60:02},{(rank * 7 + step) % 1000:03}"
        yield f"{time}{head}step {step} loss {8 - step / 50:.4f} grad_norm 1.{rank % 97}"
    if kind == "same" or (kind == "storm" and rank == ranks // 3):
        yield from traceback_of(rank, MEMORY)
    elif kind == "storm":
        mark = f"[rank{rank}]:[E814 03:22:{rank * 3 % 50:02}.{rank:06} ProcessGroupNCCL.cpp:"
        yield f"{mark}629] [Rank {rank}] {WAITED.format(part=rank % 97)}"
        yield f"{mark}695] [Rank {rank}] {AVOIDED}"
        yield from traceback_of(
            rank,
            f"torch.distributed.DistBackendError: NCCL communicator was aborted on rank {rank}.",
        )


def traceback_of(rank: int, last: str) -> Iterator[str]:
    """Write an exception with its frames."""
    mark = f"[rank{rank}]: "
    yield mark + "Traceback (most recent call last):"
    for path, line, function, code in FRAMES:
        yield f'{mark}  File "{path}", line {line}, in {function}'
        yield f"{mark}    {code}"
    yield mark + last


def told(script: Path, kind: str, ranks: int, form: str) -> str:
    """Diagnose a run, and return a row of the table."""
    with tempfile.TemporaryDirectory() as name:
        for rank in range(ranks):
            text = "\n".join(rows_of(kind, rank, ranks)) + "\n"
            (Path(name) / f"rank_{rank}.log").write_text(text)
        words = (sys.executable, "-I", "-S", str(script), name, "--format", form)
        taken = run(Command(words))
    return f"| {kind} | {form} | {ranks} | {taken.resident:.0f} | {taken.processor:.1f} |"


def main(counts: list[int]) -> int:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        script = write_script(Path(name) / "trainwreck.py", real_rows())
        print("| run | format | files | resident MiB | CPU seconds |")
        print("| --- | --- | ---: | ---: | ---: |")
        for kind in STEPS:
            for form in FORMATS if kind == "storm" else FORMATS[:1]:
                for ranks in counts:
                    print(told(script, kind, ranks, form), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]] or [128, 1024]))
