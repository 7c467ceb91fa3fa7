"""The words under which the model's values appear on the pages."""

from collections.abc import Sequence
from typing import NamedTuple


class Label(NamedTuple):
    """A name, and one sentence about what it stands for."""

    name: str
    says: str


CATEGORIES = {
    "hang": Label("Hang", "The processes live, and nothing moves."),
    "crash": Label("Crash", "A process ends by an error of its own."),
    "killed": Label("Killed", "A process is ended from outside, often without a word in its log."),
    "out-of-memory": Label("Out of memory", "The GPU or the host has no memory left to give."),
    "storage": Label("Storage", "A disk, a mount or a file system refuses, fills up or stalls."),
    "data-loading": Label("Data loading", "The way from the files to the batch breaks or blocks."),
    "network": Label("Network", "Ranks lose each other, or never meet."),
    "hardware": Label("Hardware", "A GPU, a link or a host fails as a device."),
    "environment": Label(
        "Environment", "Drivers, libraries and versions do not fit each other or the machine."
    ),
    "launch": Label("Launch", "The run does not come as far as its first step."),
    "numerics": Label("Numerics", "The run goes on, and the numbers are wrong."),
    "performance": Label("Performance", "The run goes on, and is slower than it should be."),
    "checkpoint": Label("Checkpoint", "Saving or loading the state of a run goes wrong."),
    "scheduler": Label("Scheduler", "The cluster ends, delays or misplaces the job."),
}

EFFECTS = {
    "dies": "the process ends",
    "hangs": "the run hangs",
    "slows": "the run slows down",
    "wrong": "the numbers are wrong",
    "damages": "something stays damaged",
}

PHASES = {
    "import": "at import",
    "launch": "at launch",
    "first-step": "at the first step",
    "training": "during training",
    "evaluation": "during evaluation",
    "save": "at a save",
    "resume": "at a resume",
    "shutdown": "at shutdown",
}

LAYERS = {
    "user-code": "the training program",
    "data": "the data",
    "framework": "the framework",
    "dependency": "a dependency",
    "host": "the host",
    "storage": "the storage",
    "scheduler": "the scheduler",
    "gpu": "the GPU",
    "interconnect": "the interconnect",
    "network": "the network",
    "external": "something outside the run",
}

KINDS = {
    "failure": "",
    "symptom": "This is what ranks and launchers show when something else failed first. "
    "Look for the cause on another rank, or earlier in the log.",
    "stop": "This is no fault of the run: something outside ended it on purpose.",
    "benign": "This looks bad and is harmless.",
}

PROOFS = {
    "reproduced": "reproduced",
    "source": "read in the upstream source",
    "maintainer": "confirmed by a maintainer",
    "reported": "reported, not verified",
}

SAFE = {
    "yes": ("Yes.", "yes"),
    "check": ("Check it first.", "maybe"),
    "no": ("No.", "no"),
}

PLACES = {
    "same_rank": "on the same rank",
    "same_gpu": "on the same GPU",
    "same_host": "on the same host",
    "other_ranks": "on other ranks",
    "run": "in the same run",
    "next_attempt": "in the next attempt",
}

ORIGINS = {
    "captured": "captured from a real run",
    "public": "adapted from a public report",
    "constructed": "built from the program's source",
}

SUPPORTS = {
    "cause": "the cause",
    "fix": "the fix",
    "versions": "the versions",
    "message": "the message",
    "confirm": "the way to confirm it",
    "impact": "the impact",
}

_FRAMEWORKS = {
    "accelerate": "Accelerate",
    "cuda": "CUDA",
    "datasets": "Datasets",
    "deepspeed": "DeepSpeed",
    "docker": "Docker",
    "fsdp": "FSDP",
    "huggingface": "Hugging Face",
    "jax": "JAX",
    "kubernetes": "Kubernetes",
    "lightning": "Lightning",
    "linux": "Linux",
    "megatron": "Megatron",
    "mpi": "MPI",
    "nccl": "NCCL",
    "nfs": "NFS",
    "peft": "PEFT",
    "python": "Python",
    "pytorch": "PyTorch",
    "pytorch-lightning": "PyTorch Lightning",
    "ray": "Ray",
    "slurm": "Slurm",
    "tensorflow": "TensorFlow",
    "torch": "PyTorch",
    "torchrun": "torchrun",
    "transformers": "Transformers",
    "trl": "TRL",
    "unsloth": "Unsloth",
    "vllm": "vLLM",
    "wsl": "WSL",
    "wsl2": "WSL2",
}


def phases(names: Sequence[str]) -> str:
    """Say when in a run it happens; many phases are not told one by one."""
    if len(names) > 3:
        return "in most phases of a run"
    return listing([PHASES[name] for name in names], "or")


def effects(names: Sequence[str]) -> str:
    """Say what it does to the run."""
    return listing([EFFECTS[name] for name in names], "or")


def framework(name: str) -> str:
    """Write a framework's name as its makers do, as far as it is known here."""
    return _FRAMEWORKS.get(name, name.replace("-", " ").capitalize())


def listing(words: Sequence[str], last: str = "and") -> str:
    """Join words as in a sentence."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
