"""The words under which the model's values appear on the pages."""

from collections.abc import Sequence
from typing import NamedTuple


class Label(NamedTuple):
    """A name, and one sentence about what it stands for."""

    name: str
    says: str


CATEGORIES = {
    "hang": Label("Hang", "The run makes no progress, often until a timeout ends it."),
    "crash": Label("Crash", "A process stops with an error, such as an exception or an abort."),
    "killed": Label(
        "Killed", "Something outside ends a process, often without a message in its log."
    ),
    "out-of-memory": Label("Out of memory", "The GPU or the host has no memory left."),
    "storage": Label("Storage", "A disk, a mount or a file system fails, fills up or stalls."),
    "data-loading": Label("Data loading", "The data loader or its workers fail or block."),
    "network": Label("Network", "Ranks cannot connect, or lose the connection."),
    "hardware": Label("Hardware", "A GPU, a link or another device fails."),
    "environment": Label(
        "Environment", "Drivers, libraries or versions do not match each other or the machine."
    ),
    "launch": Label("Launch", "The run does not reach its first step."),
    "numerics": Label("Numerics", "The numbers are wrong, such as a loss that is NaN or zero."),
    "performance": Label("Performance", "The run is slower than it should be."),
    "checkpoint": Label("Checkpoint", "Saving or loading a checkpoint fails."),
    "scheduler": Label("Scheduler", "The cluster ends, delays or misplaces the job."),
}

EFFECTS = {
    "dies": "the process ends",
    "hangs": "the run hangs",
    "slows": "the run slows down",
    "wrong": "the numbers are wrong",
    "damages": "files or state stay damaged",
}

PHASES = {
    "import": "at import",
    "launch": "at launch",
    "first-step": "at the first step",
    "training": "during training",
    "evaluation": "during evaluation",
    "save": "when saving",
    "resume": "when resuming",
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
    "symptom": "Ranks and launchers print this when something else failed first. "
    "Look for the cause on another rank, or earlier in the log.",
    "stop": "Nothing is wrong with the run: something outside ended it on purpose.",
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
    "apex": "Apex",
    "autogluon": "AutoGluon",
    "axolotl": "Axolotl",
    "bitsandbytes": "bitsandbytes",
    "conda": "conda",
    "cuda": "CUDA",
    "cupy": "CuPy",
    "datasets": "Datasets",
    "deepspeed": "DeepSpeed",
    "diffusers": "Diffusers",
    "docker": "Docker",
    "fastai": "fastai",
    "flash-attention": "FlashAttention",
    "flash-attn": "flash-attn",
    "flax": "Flax",
    "fsdp": "FSDP",
    "gcsfuse": "Cloud Storage FUSE",
    "gloo": "Gloo",
    "huggingface": "Hugging Face",
    "huggingface-hub": "Hugging Face Hub",
    "jax": "JAX",
    "jupyter": "Jupyter",
    "keras": "Keras",
    "kubeflow": "Kubeflow",
    "kubernetes": "Kubernetes",
    "lightning": "Lightning",
    "linux": "Linux",
    "llama-factory": "LLaMA-Factory",
    "lm-eval": "lm-eval",
    "lustre": "Lustre",
    "maxtext": "MaxText",
    "megatron": "Megatron",
    "megatron-deepspeed": "Megatron-DeepSpeed",
    "megatron-lm": "Megatron-LM",
    "mmengine": "MMEngine",
    "modelscope": "ModelScope",
    "moosefs": "MooseFS",
    "mountpoint-s3": "Mountpoint for Amazon S3",
    "mpi": "MPI",
    "ms-swift": "ms-swift",
    "nccl": "NCCL",
    "nemo": "NeMo",
    "nfs": "NFS",
    "nncf": "NNCF",
    "nnunet": "nnU-Net",
    "numpy": "NumPy",
    "nvidia-driver": "NVIDIA driver",
    "openblas": "OpenBLAS",
    "opencv": "OpenCV",
    "openequivariance": "OpenEquivariance",
    "openrlhf": "OpenRLHF",
    "pandas": "pandas",
    "peft": "PEFT",
    "pyarrow": "PyArrow",
    "python": "Python",
    "pytorch": "PyTorch",
    "pytorch-lightning": "PyTorch Lightning",
    "ray": "Ray",
    "rclone": "rclone",
    "s3fs": "s3fs",
    "safetensors": "safetensors",
    "sglang": "SGLang",
    "slurm": "Slurm",
    "submitit": "submitit",
    "tensorflow": "TensorFlow",
    "tokenizers": "Tokenizers",
    "torch": "PyTorch",
    "torchaudio": "torchaudio",
    "torchmetrics": "TorchMetrics",
    "torchrun": "torchrun",
    "torchtitan": "torchtitan",
    "torchtune": "torchtune",
    "torchvision": "torchvision",
    "transformer-engine": "Transformer Engine",
    "transformers": "Transformers",
    "triton": "Triton",
    "trl": "TRL",
    "ucx": "UCX",
    "unsloth": "Unsloth",
    "vllm": "vLLM",
    "webdataset": "WebDataset",
    "wsl": "WSL",
    "wsl2": "WSL2",
    "xformers": "xFormers",
    "yolo": "YOLO",
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
