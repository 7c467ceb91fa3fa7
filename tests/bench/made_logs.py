"""Logs as training runs print them, of any size and without limit of variety, for the benchmark.

Numbers, hashes and times differ in every line, and a share of the lines has words that stand
nowhere else. Where a number of failures is planted, it does not depend on the size.
"""

import gzip
import itertools
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

PLANTED = 30
RANK_FILES = 1024
FAILURES = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 79.15 GiB of which 1.02 GiB is free.",
    "RuntimeError: CUDA error: uncorrectable ECC error encountered",
    "OSError: [Errno 122] Disk quota exceeded: '/data/checkpoints/step.pt'",
)
NCCL_FAILURE = "NCCL WARN NET/IB : Got async event : port active"
ORDINARY = "NCCL INFO NET/IB : Set static link : lane active"
SYLLABLES = [a + b for a in "bdfgklmnprstvw" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]
_CHUNK = 1 << 20

Lines = Iterator[str]
Write = Callable[[Path, int, list[Path]], None]


def words_of(generator: random.Random, count: int) -> str:
    """Make words that hardly any other line has."""
    return " ".join(
        ["".join(generator.choices(SYLLABLES, k=generator.randint(2, 4))) for _ in range(count)]
    )


def clock(second: int) -> str:
    """Write a time of day."""
    day, second = divmod(second, 86400)
    return f"2026-08-{14 + day % 14:02} {second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def bar(step: int, total: int, rate: float) -> str:
    """Draw what tqdm draws."""
    part = step * 100 // total
    full = part // 10
    drawn = "\u2588" * full + "\u258c" * (full < 10) + " " * (9 - full)
    gone = int(step / rate)
    left = int((total - step) / rate)
    return (
        f"{part:3d}%|{drawn}| {step}/{total} [{gone // 3600}:{gone // 60 % 60:02}:{gone % 60:02}<"
        f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}, {rate:5.2f}it/s]"
    )


def trainer_lines(seed: int = 1) -> Lines:
    """Follow a run of the Trainer: bars with carriage returns, records, logger lines, prose."""
    generator = random.Random(seed)
    step, total = 0, 4_000_000
    while True:
        rate = generator.uniform(2, 4)
        drawn = generator.randint(10, 50)
        row = "\r".join([bar(step + index, total, rate) for index in range(drawn)])
        step = (step + drawn) % total
        loss, norm = generator.uniform(1.2, 2.4), generator.uniform(0.4, 1.9)
        epoch = step / 1e6
        record = (
            f"{{'loss': {loss:.4f}, 'grad_norm': {norm:.6f}, "
            f"'learning_rate': {5e-5 * (1 - step / total):.12g}, 'epoch': {epoch:.2f}}}"
        )
        chance = generator.random()
        if chance < 0.5:
            yield row + "\r" + " " * 60 + "\r" + record
        else:
            yield row
            yield record
        now = clock(step // 3)
        if chance < 0.4:
            yield (
                f'{{"ts": "{now}", "step": {step}, "loss": {loss:.4f}, "tokens": {step * 4096}, '
                f'"host": "node-{step % 16:02}", "mem": {generator.randint(30, 79)}}}'
            )
        for _ in range(generator.randint(2, 5)):
            yield (
                f"[INFO|trainer.py:{generator.randint(400, 3000)}] {now},{step % 1000:03} >> "
                f"Saving model checkpoint to /data/out/checkpoint-{step} in {norm:.2f} s"
            )
        if chance < 0.3:
            yield (
                f"[WARNING|logging.py:{generator.randint(100, 400)}] {now},{step % 1000:03} >> "
                f"`use_cache=True` is incompatible with gradient checkpointing, sample {step}"
            )
        if chance < 0.2:
            yield f"sample {step}: {words_of(generator, generator.randint(6, 14))}"


def nccl_lines(seed: int = 2) -> Lines:
    """Follow NCCL at NCCL_DEBUG=INFO with the subsystem COLL, eight ranks in one file."""
    generator = random.Random(seed)
    bits = generator.getrandbits
    second = 0
    for count in itertools.count():
        rank = count % 8
        head = f"node-03:{4711 + rank}:{4890 + rank} [{rank}] NCCL INFO "
        if count % 200_000 < 8:
            yield (
                f"{head}comm 0x55{bits(40):010x} rank {rank} nranks 64 cudaDev {rank} busId "
                f"{bits(8):x}000 commId 0x{bits(60):x} - Init COMPLETE"
            )
            continue
        chance = generator.random()
        if chance < 0.6:
            name = ("AllReduce", "ReduceScatter", "AllGather")[count % 3]
            yield (
                f"{head}{name}: opCount {count:x} sendbuff 0x7f{bits(40):010x} recvbuff "
                f"0x7f{bits(40):010x} count {bits(24)} datatype 9 op 0 root 0 comm "
                f"0x55{bits(40):010x} [nranks=64] stream 0x55{bits(40):010x}"
            )
        elif chance < 0.8:
            ways = f"{rank}[{rank}] -> {(rank + 1) % 8}[{(rank + 1) % 8}]"
            yield f"{head}Channel {count % 32:02}/0 : {ways} via P2P/CUMEM"
        elif chance < 0.9:
            yield (
                f"{head}NET/IB : Using [{rank}]mlx5_{rank}:1/IB/SHARP [RO]; OOB "
                f"eth0:10.{bits(8)}.{bits(8)}.{bits(8)}<0>"
            )
        else:
            second += 1
            yield (
                f"{clock(second)},{bits(9):03} INFO train rank {rank}: step {count} took "
                f"{bits(10)} ms"
            )


def metric_lines(seed: int = 3) -> Lines:
    """Follow Megatron-LM: hardly anything but metric records."""
    generator = random.Random(seed)
    loss = 11.0
    for step in itertools.count(1):
        loss = max(1.4, loss * (1 - 1 / (step + 400))) + generator.uniform(-0.02, 0.02)
        yield (
            f" [{clock(step)}] iteration {step:8d}/ 9000000 | consumed samples: {step * 512:12d} | "
            f"elapsed time per iteration (ms): {generator.uniform(900, 1100):.1f} | throughput "
            f"per GPU (TFLOP/s/GPU): {generator.uniform(380, 420):.1f} | learning rate: "
            f"1.500000E-04 | global batch size:   512 | lm loss: {loss:.6E} | loss scale: 1.0 | "
            f"grad norm: {generator.uniform(0.3, 0.9):.3f} | number of skipped iterations:   0 | "
            "number of nan iterations:   0 |"
        )


def prose_lines(seed: int = 4) -> Lines:
    """Write words and hashes of which no line is like another."""
    generator = random.Random(seed)
    while True:
        yield f"{words_of(generator, generator.randint(6, 16))} {generator.getrandbits(128):032x}"


def candidate_lines(text: str, seed: int = 5) -> Lines:
    """Write lines that all hold the same text, with other numbers."""
    generator = random.Random(seed)
    for count in itertools.count():
        rank = count % 8
        yield (
            f"node-03:{4711 + rank}:{4890 + rank} [{rank}] {text} {generator.getrandbits(20)} on "
            f"mlx5_{rank} after {count} ms"
        )


def rank_lines(rank: int) -> Lines:
    """Write what a rank prints that retries all the time: tracebacks, warnings, steps."""
    generator = random.Random(rank)
    module = "/opt/venv/lib/python3.11/site-packages"
    for step in itertools.count():
        now, shard = f"{clock(step)},{step % 1000:03}", f"{generator.getrandbits(24):06x}"
        yield f"{now} INFO train rank {rank}: step {step} took {generator.randint(200, 400)} ms"
        yield f"{now} INFO data rank {rank}: shard {shard} read in {generator.randint(2, 90)} ms"
        if step % 3 == 0:
            yield f"{now} WARNING data rank {rank}: retry {step % 5} of shard {shard}"
            yield f"{now} WARNING data rank {rank}: handled below, shard {shard} is read again"
            yield "Traceback (most recent call last):"
            yield f'  File "{module}/stream/reader.py", line {generator.randint(90, 140)}, in fetch'
            yield "    return self._session.get(url, timeout=self._timeout)"
            yield f'  File "{module}/stream/session.py", line {generator.randint(300, 420)}, in get'
            yield "    raise ReadTimeout(url)"
            yield f"stream.session.ReadTimeout: shard {shard} after {step % 60} s"


MACHINE_FORMS: tuple[Callable[..., str], ...] = (
    lambda host, user, name, other, time, bits: (
        f"Aug 14 {time} {host} sshd[{bits(15)}]: Failed password for invalid user {user} from "
        f"10.{bits(8)}.{bits(8)}.{bits(8)} port {bits(16)} ssh2"
    ),
    lambda host, user, name, other, time, bits: (
        f"Aug 14 {time} {host} kernel: [{bits(20)}.{bits(19):06}] {name}: link is up at "
        f"{bits(7)} Gbps, full duplex"
    ),
    lambda host, user, name, other, time, bits: (
        f"10.{bits(8)}.{bits(8)}.{bits(8)} - {user} [14/Aug/2026:{time} +0000] "
        f'"GET /{name}/{other}.html HTTP/1.1" 200 {bits(16)}'
    ),
    lambda host, user, name, other, time, bits: (
        f"2026-08-14 {time},{bits(9):03} INFO dfs.DataNode$PacketResponder: Received block "
        f"blk_{bits(63)} of size {bits(26)} from /10.{bits(8)}.1.2"
    ),
    lambda host, user, name, other, time, bits: (
        f"26/08/14 {time} INFO executor.Executor: Finished task {bits(10)}.0 in stage "
        f"{bits(6)}.0 (TID {bits(18)}). {bits(11)} bytes of {name} sent to driver"
    ),
    lambda host, user, name, other, time, bits: (
        f"[{host}:{bits(16):05}] mca_base_component: {name} selected by {other}, priority {bits(6)}"
    ),
    lambda host, user, name, other, time, bits: (
        f"I0814 {time}.{bits(19):06} {bits(15)} {name}.cc:{bits(10)}] {other} finished in "
        f"{bits(12)} us"
    ),
    lambda host, user, name, other, time, bits: f"{user}@{host}:~$ ls -l /data/{name}/{other}",
    lambda host, user, name, other, time, bits: (
        f"-rw-r--r-- 1 {user} users {bits(28)} Aug 14 {time[:5]} {name}.bin"
    ),
    lambda host, user, name, other, time, bits: (
        f"slurmctld: sched: Allocate JobId={bits(18)} NodeList={host} Partition={name}"
    ),
    lambda host, user, name, other, time, bits: (
        f"npm WARN deprecated {name}@{bits(3)}.{bits(4)}.{bits(3)}: {other} of {user} on {host}"
    ),
)


def machine_lines(seed: int = 6) -> Lines:
    """Mix logs of unrelated programs: kernel, ssh, web server, storage, scheduler, a shell."""
    generator = random.Random(seed)
    bits, choice = generator.getrandbits, generator.choice
    names = [words_of(generator, 1) for _ in range(4000)]
    for second in itertools.count():
        host, user = f"n{bits(9):03}", choice(names)
        name, other = choice(names), choice(names)
        time = clock(second)[11:]
        yield choice(MACHINE_FORMS)(host, user, name, other, time, bits)


def planted(lines: Lines, failures: Iterable[str], size: int) -> Lines:
    """Put failures between lines, evenly over a number of bytes."""
    kept = list(itertools.islice(itertools.cycle(failures), PLANTED))
    written = placed = 0
    for line in lines:
        yield line
        written += len(line) + 1
        if placed < PLANTED and written * (PLANTED + 1) > (placed + 1) * size:
            yield kept[placed]
            placed += 1


def write_lines(path: Path, lines: Lines, size: int) -> None:
    """Write whole lines until the file has that size."""
    with path.open("wb") as file:
        left = size
        while left > 0:
            held, length = [], 0
            for line in lines:
                held.append(line)
                length += len(line) + 1
                if length >= min(left, _CHUNK):
                    break
            data = ("\n".join(held) + "\n").encode()
            file.write(data)
            left -= len(data)


def write_trainer(path: Path, size: int, real: list[Path]) -> None:
    """Write the log of a Trainer."""
    write_lines(path, planted(trainer_lines(), FAILURES, size), size)


def write_nccl(path: Path, size: int, real: list[Path]) -> None:
    """Write the log of NCCL."""
    failure = f"node-03:4711:4890 [0] {NCCL_FAILURE}"
    write_lines(path, planted(nccl_lines(), [failure], size), size)


def write_metrics(path: Path, size: int, real: list[Path]) -> None:
    """Write the log of Megatron-LM."""
    write_lines(path, metric_lines(), size)


def write_prose(path: Path, size: int, real: list[Path]) -> None:
    """Write unique text."""
    write_lines(path, planted(prose_lines(), FAILURES, size), size)


def write_candidates(path: Path, size: int, real: list[Path]) -> None:
    """Write lines that all match."""
    write_lines(path, candidate_lines(NCCL_FAILURE), size)


def write_ordinary(path: Path, size: int, real: list[Path]) -> None:
    """Write the same lines with another text in the place of what matches."""
    write_lines(path, candidate_lines(ORDINARY), size)


def write_ranks(path: Path, size: int, real: list[Path]) -> None:
    """Write a folder with a file of each rank."""
    path.mkdir()
    for rank in range(RANK_FILES):
        lines = rank_lines(rank)
        file = path / f"rank_{rank}.log"
        write_lines(file, lines, size // RANK_FILES)
        with file.open("a") as end:
            end.write(f"[rank{rank}]: {FAILURES[rank == RANK_FILES // 3]}\n")


def write_mixed(path: Path, size: int, real: list[Path]) -> None:
    """Concatenate real logs with those of unrelated programs, which make most of a large file."""
    texts = [file.read_bytes().rstrip(b"\n") + b"\n" for file in real]
    lines = machine_lines()
    with path.open("wb") as file:
        for text in texts:
            file.write(text)
            made = "\n".join(itertools.islice(lines, 200)) + "\n"
            file.write(made.encode())
        while file.tell() < size:
            made = "\n".join(itertools.islice(lines, 4000)) + "\n"
            file.write(made.encode())


def write_packed(path: Path, size: int, real: list[Path]) -> None:
    """Pack the log of a Trainer, as large when unpacked."""
    plain = made_log(path.parent.parent, "trainer", size, real)
    with plain.open("rb") as file, gzip.open(path, "wb", compresslevel=6) as packed:
        while data := file.read(_CHUNK):
            packed.write(data)


def write_bars(path: Path, size: int, real: list[Path]) -> None:
    """Write one line: a progress bar that was redrawn all the time."""
    generator = random.Random(7)
    with path.open("wb") as file:
        step = 0
        while file.tell() < size:
            drawn = [
                bar(step + index, 90_000_000, generator.uniform(2, 4)) for index in range(9000)
            ]
            file.write(("\r" + "\r".join(drawn)).encode())
            step += len(drawn)


def write_blob(path: Path, size: int, real: list[Path]) -> None:
    """Write one line without any carriage return."""
    generator = random.Random(8)
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(generator.randbytes(_CHUNK // 2).hex().encode())


LOGS: dict[str, tuple[str, Write]] = {
    "trainer": ("trainer.log", write_trainer),
    "nccl": ("nccl.log", write_nccl),
    "metrics": ("metrics.log", write_metrics),
    "prose": ("prose.log", write_prose),
    "candidates": ("candidates.log", write_candidates),
    "ordinary": ("ordinary.log", write_ordinary),
    "ranks": ("ranks", write_ranks),
    "mixed": ("mixed.log", write_mixed),
    "packed": ("trainer.log.gz", write_packed),
    "bars": ("bars.log", write_bars),
    "blob": ("blob.log", write_blob),
}
"""What each is called, and what makes it."""


def made_log(folder: Path, name: str, size: int, real: list[Path]) -> Path:
    """Make a log below a folder, unless one of this size is there."""
    called, write = LOGS[name]
    place = folder / f"{name}-{size}"
    if not (place / "whole").exists():
        place.mkdir(parents=True, exist_ok=True)
        write(place / called, size, real)
        (place / "whole").touch()
    return place / called
