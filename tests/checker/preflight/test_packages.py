"""What is known of the packages that a planned run would use."""

from pathlib import Path

import pytest

from checker.preflight.packages import package_facts
from tests.checker.probe.trees import machine_of

MOUNTS = "22 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw\n"
SITE = "/opt/env/lib/python3.11/site-packages/"


def told(folder: Path, driver: str, *names: str) -> dict[str, object]:
    """Ask for the facts of an environment: values, or reasons in a tuple."""
    files = {SITE + name + ".dist-info/METADATA": "" for name in names}
    files["/proc/self/mountinfo"] = MOUNTS
    if driver:
        files["/sys/module/nvidia/version"] = driver + "\n"
    facts = package_facts(machine_of(folder, files), "/opt/env")
    return {fact.name: fact.value if fact.unknown is None else (fact.unknown,) for fact in facts}


@pytest.mark.parametrize(
    ("driver", "names", "expected"),
    [
        ("470.82.01", ["torch-2.6.0+cu124"], True),
        ("525.60.13", ["torch-2.6.0+cu124"], False),
        ("550.54.15", ["torch-2.9.0", "nvidia_nccl_cu13-2.27.7"], True),
        ("550.54.15", ["torch-2.6.0", "nvidia_nccl_cu12-2.21.5"], False),
        ("470.82.01", ["torch-1.13.1+cu117"], False),
        ("550.54.15", ["torch-2.6.0+cpu"], ("no torch with a known CUDA is installed",)),
        ("550.54.15", [], ("no torch with a known CUDA is installed",)),
        ("", ["torch-2.6.0+cu124"], ("no NVIDIA driver is loaded",)),
    ],
)
def test_the_driver_must_suffice_for_the_cuda_of_torch(
    tmp_path: Path, driver: str, names: list[str], expected: object
) -> None:
    """CUDA 11 runs from 450 on, 12 from 525, 13 from 580; the build or its wheels tell which."""
    assert told(tmp_path, driver, *names)["plan.driver_too_old"] == expected


def test_the_versions_of_packages_are_known(tmp_path: Path) -> None:
    """By the names of folders; what has nothing to do with training is left out."""
    assert told(tmp_path, "", "torch-2.6.0+cpu", "six-1.16", "numpy-1.26.4") == {
        "version numpy": "1.26.4",
        "version torch": "2.6.0+cpu",
        "plan.driver_too_old": ("no torch with a known CUDA is installed",),
    }
