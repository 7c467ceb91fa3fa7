"""What a run has loaded and installed, in constructed trees."""

from pathlib import Path

from checker.probe.installed import installed_versions
from tests.checker.probe.trees import holding, job_facts_of, machine_of, run_of

SITE = "/opt/venv/lib/python3.11/site-packages/"


def maps(*paths: str) -> str:
    """The kernel's text about what a process has loaded."""
    return "".join(f"7f00-7f01 r-xp 00000000 08:01 9    {path}\n" for path in paths)


def told(tmp_path: Path, files: dict[str, str], *loaded: str) -> dict[str, object]:
    """Tell what a rank that has loaded these libraries shows."""
    machine = machine_of(
        tmp_path, {**files, "/proc/700/maps": maps(*loaded), "/proc/700/stat": "700 (p) S 1\n"}
    )
    return job_facts_of(machine, run_of(machine, holding()), "library.")


def test_a_program_that_loaded_what_its_packages_bring(tmp_path: Path) -> None:
    """Only libraries that matter are listed."""
    nccl, torch = SITE + "nvidia/nccl/lib/libnccl.so.2", SITE + "torch/lib/libtorch.so"

    assert told(tmp_path, {nccl: ""}, nccl, torch, "/usr/lib/libc.so.6") == {
        "library.loaded": [nccl],
        "library.copies": [],
        "library.foreign": [],
    }


def test_two_copies_of_one_library(tmp_path: Path) -> None:
    """They do not know of each other."""
    own, other = SITE + "nvidia/nccl/lib/libnccl.so.2", "/usr/lib/libnccl.so.2.18.3"

    assert told(tmp_path, {own: ""}, own, other)["library.copies"] == [
        f"libnccl.so: {own}, {other}"
    ]


def test_a_library_from_elsewhere(tmp_path: Path) -> None:
    """Although the packages bring one, as with a wrong LD_LIBRARY_PATH."""
    other, torch = "/usr/local/cuda/lib64/libcudnn.so.8", SITE + "torch/lib/libtorch.so"
    wheel = SITE + "nvidia/cudnn/lib/"

    assert told(tmp_path, {wheel + "libcudnn.so.9": ""}, other, torch)["library.foreign"] == [
        f"libcudnn.so from {other}, not from {wheel}"
    ]
    assert told(tmp_path / "other", {}, other, torch)["library.foreign"] == []


def test_versions_by_the_names_of_folders(tmp_path: Path) -> None:
    """Nothing is imported, and what has nothing to do with training is left out."""
    names = [
        "torch-2.6.0+cu124.dist-info",
        "flash_attn-2.7.4.post1.dist-info",
        "six-1.16.dist-info",
    ]
    files = {SITE + name + "/METADATA": "" for name in names}
    files["/proc/700/maps"] = maps(SITE + "torch/lib/libtorch.so")
    files["/proc/700/stat"] = "700 (p) S 1\n"
    machine = machine_of(tmp_path, files)

    assert [
        (fact.name, fact.value) for fact in installed_versions(machine, run_of(machine, holding()))
    ] == [("version flash-attn", "2.7.4.post1"), ("version torch", "2.6.0+cu124")]
