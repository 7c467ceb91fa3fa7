"""Readers of facts that logs print: versions and the shape of the job.

`READERS` is the one registry; a payload enters, a fact leaves.
"""

import re
from typing import List, NamedTuple, Tuple

from checker.model import Fact, Line

VERSION_OF = "version "
WORLD_SIZE = "job.world_size"
JOINED_SIZE = "job.communicator_size"
COMPLETED = "job.completed"


class FactReader(NamedTuple):
    """One text by which programs tell a fact."""

    literal: str
    pattern: str
    name: str
    """Of the fact; `version PACKAGE` for the version of a package."""
    type: str
    """`text` or `number`."""


READERS: Tuple[FactReader, ...] = (
    FactReader("PyTorch version: ", r"PyTorch version: (\d[\w.+]*)", VERSION_OF + "torch", "text"),
    FactReader("torch version", r"torch version \.* ?(\d[\w.+]*)", VERSION_OF + "torch", "text"),
    FactReader("NCCL version ", r"NCCL version (\d[\w.+]*)", VERSION_OF + "nccl", "text"),
    FactReader(
        "DeepSpeed info: version=",
        r"DeepSpeed info: version=(\d[\w.+]*?),",
        VERSION_OF + "deepspeed",
        "text",
    ),
    FactReader(
        "deepspeed info", r"deepspeed info \.+ (\d[\w.+]*?),", VERSION_OF + "deepspeed", "text"
    ),
    FactReader(
        "transformers==", r"\btransformers==(\d[\w.+]*)", VERSION_OF + "transformers", "text"
    ),
    FactReader(
        "`transformers` version: ",
        r"`transformers` version: (\d[\w.+]*)",
        VERSION_OF + "transformers",
        "text",
    ),
    FactReader(
        "Transformers version",
        r"Transformers version:? (\d[\w.+]*)",
        VERSION_OF + "transformers",
        "text",
    ),
    FactReader("torch==", r"(?:^|[\s,\[])torch==(\d[\w.+]*)", VERSION_OF + "torch", "text"),
    FactReader("deepspeed==", r"\bdeepspeed==(\d[\w.+]*)", VERSION_OF + "deepspeed", "text"),
    FactReader("accelerate==", r"\baccelerate==(\d[\w.+]*)", VERSION_OF + "accelerate", "text"),
    FactReader(
        "`Accelerate` version: ",
        r"`Accelerate` version: (\d[\w.+]*)",
        VERSION_OF + "accelerate",
        "text",
    ),
    FactReader(
        "Nvidia driver version: ",
        r"Nvidia driver version: (\d[\w.]*)",
        VERSION_OF + "nvidia-driver",
        "text",
    ),
    FactReader("Python version: ", r"Python version: (\d[\w.]*)", VERSION_OF + "python", "text"),
    FactReader(
        "pytorch-lightning==", r"pytorch-lightning==(\d[\w.+]*)", VERSION_OF + "lightning", "text"
    ),
    FactReader("world size", r"world size[ :=]{1,3}(\d{1,7})\b", WORLD_SIZE, "number"),
    FactReader(
        "world_size", r"(?:\b|dist_)world_size['\"]?[ :=]{1,3}(\d{1,7})\b", WORLD_SIZE, "number"
    ),
    FactReader("WORLD_SIZE=", r"^(?:export )?WORLD_SIZE=(\d{1,7})$", WORLD_SIZE, "number"),
    FactReader("global_world_sizes=[", r"\bglobal_world_sizes=\[(\d{1,7})", WORLD_SIZE, "number"),
    FactReader("Num processes: ", r"^Num processes: (\d{1,7})$", WORLD_SIZE, "number"),
    FactReader("nranks ", r"\bnranks (\d{1,7})\b", JOINED_SIZE, "number"),
    FactReader("MEMBER: ", r"MEMBER: \d{1,7}/(\d{1,7})", WORLD_SIZE, "number"),
    FactReader("Training completed", r"^(Training completed)\b", COMPLETED, "truth"),
    FactReader("raining finished", r"^([Tt]raining finished)[.!]?\s*$", COMPLETED, "truth"),
    FactReader(
        "`Trainer.fit` stopped: `max_",
        r"(`Trainer\.fit` stopped: `max_(?:epochs|steps)=\d{1,12}` reached)",
        COMPLETED,
        "truth",
    ),
    FactReader("after training is done", r"^\[(after training is done)\] ", COMPLETED, "truth"),
    FactReader("microsoft-standard", r"-(microsoft-standard)(?:-WSL2)?\b", "system.wsl", "truth"),
)


def read_facts(line: Line) -> List[Fact]:
    """Read what a line tells."""
    found = []
    text = line.text
    for reader in READERS:
        if reader.literal in text:
            match = re.search(reader.pattern, text)
            if match:
                found.append(Fact(reader.name, _typed(match.group(1), reader.type), None, line))
    return found


def _typed(text: str, kind: str) -> object:
    if kind == "truth":
        return True
    return int(text) if kind == "number" else text.rstrip(".")
