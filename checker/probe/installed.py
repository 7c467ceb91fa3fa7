"""What a run has loaded and installed: maps and names of folders are read; nothing is imported."""

import os
from typing import Any, Dict, List, Optional, Sequence, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.model import Fact
from checker.probe.job import LiveJob, ask_on_mount
from checker.probe.machine import Findings, Machine, Unknown
from checker.probe.open_files import Holdings
from checker.probe.processes import TrainingProcess, each_of, living_folder

_MOST_RANKS = 64
_MOST_INSTALLED = 20000
_LIBRARIES = (
    *("libnccl.so", "librccl.so", "libnccl-net", "libcudart.so", "libcuda.so", "libcudnn.so"),
    *("libcublas.so", "libibverbs.so", "libfabric.so", "libjemalloc", "libtcmalloc", "libgomp"),
    *("libiomp5.so", "libmpi.so", "libhsa-runtime64.so"),
)
_ONE_COPY = (
    *("libnccl.so", "librccl.so", "libcudart.so", "libcudnn.so", "libcublas.so", "libcuda.so"),
)
"""Two copies of one of these in a process do not know of each other."""
_WHEELS = {
    "libnccl.so": "/nvidia/nccl/lib/",
    "libcudnn.so": "/nvidia/cudnn/lib/",
    "libcublas.so": "/nvidia/cublas/lib/",
    "libcudart.so": "/nvidia/cuda_runtime/lib/",
}
"""Where the wheel of each lies below the folder of packages."""
_SITES = ("/site-packages/", "/dist-packages/")
_PACKAGES = frozenset((
    "torch", "torchvision", "torchaudio", "torchdata", "torchtitan", "triton", "numpy", "deepspeed",
    "transformers", "accelerate", "datasets", "peft", "trl", "tokenizers", "safetensors",
    "huggingface-hub", "bitsandbytes", "flash-attn", "xformers", "apex", "transformer-engine",
    "lightning", "pytorch-lightning", "megatron-core", "nemo-toolkit", "composer",
    "mosaicml-streaming", "fairscale", "fairseq", "colossalai", "ray", "vllm", "jax", "jaxlib",
    "tensorflow", "ultralytics", "wandb", "webdataset", "fsspec", "s3fs", "gcsfs", "aiobotocore",
    "nvidia-nccl-cu11", "nvidia-nccl-cu12", "nvidia-nccl-cu13", "nvidia-cudnn-cu11",
    "nvidia-cudnn-cu12", "nvidia-cudnn-cu13", "nvidia-cublas-cu12",
))  # fmt: skip
_DISTRIBUTION = lazy_pattern(r"([A-Za-z0-9._]{1,80})-([0-9][\w.+!]{0,60})\.(?:dist|egg)-info$")


def probe_libraries(machine: Machine, job: LiveJob) -> Findings:
    """Which libraries of CUDA, NCCL and the network the ranks have loaded, and from where.

    Told are also two copies of one in a process, and a copy from elsewhere although the packages
    of the program's own Python bring one.
    """
    names = ("library.loaded", "library.copies", "library.foreign")
    maps, unknown = _maps_of(machine, job)
    if not maps:
        return dict.fromkeys(names, Unknown(unknown or "no rank was looked at"))
    loaded = sorted({path for paths in maps.values() for path in paths if _library(path)})
    copies, foreign = set(), set()
    for paths in maps.values():
        for library in _ONE_COPY:
            places = sorted({path for path in paths if _library(path) == library})
            if len({os.path.dirname(place) for place in places}) > 1:
                copies.add("{}: {}".format(library, ", ".join(places)))
            foreign.update(_foreign(machine, job, library, places, paths))
    return {
        "library.loaded": loaded,
        "library.copies": sorted(copies),
        "library.foreign": sorted(foreign),
    }


def _maps_of(machine: Machine, job: LiveJob) -> Tuple[Dict[int, List[str]], Any]:
    pids = [one.pid for one in job.ranks[:_MOST_RANKS]]
    return each_of(machine, "maps", pids, lambda pid: _mapped_files(machine, pid))


def _mapped_files(machine: Machine, pid: int) -> List[str]:
    try:
        text = machine.text(living_folder(machine, pid) + "maps")
    except OSError:
        return []
    paths = {row.partition("/")[2] for row in text.splitlines() if "/" in row}
    return sorted("/" + path for path in paths if ".so" in path)


def _library(path: str) -> str:
    name = path.rpartition("/")[2]
    return next((library for library in _LIBRARIES if name.startswith(library)), "")


def _foreign(
    machine: Machine, job: LiveJob, library: str, places: Sequence[str], paths: Sequence[str]
) -> List[str]:
    """Tell a copy that is not of the packages although these have one."""
    within = _WHEELS.get(library)
    sites = _sites_in(paths)
    if within is None or any(place.startswith(site) for place in places for site in sites):
        return []
    held = next(iter(job.holdings.values()), None)
    found = []
    for site in sites if places else ():
        wheel = site.rstrip("/") + within
        reply = ask_on_mount(machine, held, wheel, os.path.isdir)
        if reply.value is True:
            found.append("{} from {}, not from {}".format(library, places[0], wheel))
    return found


def _sites_in(paths: Sequence[str]) -> List[str]:
    """List the folders of packages from which something is loaded."""
    found = [path.partition(site)[0] + site for path in paths for site in _SITES if site in path]
    return list(dict.fromkeys(found))


def installed_versions(machine: Machine, job: LiveJob) -> List[Fact]:
    """List the versions of the packages that the ranks' Python has, by the names of folders."""
    maps, _ = _maps_of(machine, job)
    told: Dict[str, str] = {}
    asked = set()
    for one in job.ranks[:_MOST_RANKS]:
        held, paths = job.holdings.get(one.pid), maps.get(one.pid, [])
        for site in _sites_in(paths) or _sites_of_program(machine, held, one):
            key = (held.prefix if held is not None else "", site)
            if key not in asked:
                asked.add(key)
                reply = ask_on_mount(machine, held, site, distributions_in)
                told.update(reply.value or {})
    return [Fact("version " + name, version, None, None) for name, version in sorted(told.items())]


def _sites_of_program(
    machine: Machine, held: Optional[Holdings], one: TrainingProcess
) -> List[str]:
    """Guess the folders of packages from where the interpreter lies."""
    base, _, name = _program_of(machine, one).rpartition("/bin/")
    if name.startswith("python3."):
        return ["{}/lib/{}/site-packages/".format(base, name)]
    if machine.system == "linux" or not base:
        return []
    reply = ask_on_mount(machine, held, base + "/lib", os.listdir)
    return [
        "{}/lib/{}/site-packages/".format(base, name)
        for name in sorted(reply.value or ())
        if name.startswith("python3.")
    ]


def _program_of(machine: Machine, one: TrainingProcess) -> str:
    """Name the interpreter; where no kernel tells it, as the command line does."""
    if machine.system != "linux":
        return one.command[0] if one.command else ""
    try:
        return os.readlink("{}/proc/{}/exe".format(machine.root, one.pid))
    except OSError:
        return ""


def distributions_in(folder: str) -> Dict[str, str]:
    """List the packages in a folder that have to do with training, with their versions."""
    found = {}
    for entry in os.listdir(folder)[:_MOST_INSTALLED]:
        match = _DISTRIBUTION.match(entry)
        if match is not None:
            name = match.group(1).replace("_", "-").replace(".", "-").lower()
            if name in _PACKAGES:
                found[name] = match.group(2)
    return found
