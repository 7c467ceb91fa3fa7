"""Which GPU a rank uses, and what load and power say together."""

from pathlib import Path
from typing import Any

import pytest

from checker.probe.gpu_use import GpuUse, gpu_uses
from checker.probe.gpus import GpuLoad, gpu_loads, gpu_users
from checker.probe.processes import TrainingProcess
from tests.checker.probe.trees import machine_of, program

LOADS = {n: GpuLoad(n, f"GPU-{'abcd'[n]}", 100.0, 90.0, 500.0) for n in range(4)}


def rank(local: int | None, **environment: str) -> TrainingProcess:
    """A rank of this number on its node."""
    return TrainingProcess(
        *(700, 1, "python3", "S", "rank", (), environment, local, local, 0.0, True, 0)
    )


@pytest.mark.parametrize(
    ("one", "users", "number"),
    [
        (rank(2), {}, 2),
        (rank(2), {700: ["GPU-b"]}, 1),
        (rank(2), {700: ["GPU-b", "GPU-c"]}, 2),
        (rank(1, CUDA_VISIBLE_DEVICES="3,1"), {}, 1),
        (rank(0, CUDA_VISIBLE_DEVICES="GPU-d"), {}, 3),
        (rank(None, CUDA_VISIBLE_DEVICES="3"), {}, 3),
        (rank(None), {}, None),
        (rank(5), {}, None),
        (rank(2, CUDA_VISIBLE_DEVICES="3,1"), {}, None),
    ],
)
def test_the_gpu_of_a_rank(
    one: TrainingProcess, users: dict[int, list[str]], number: int | None
) -> None:
    """By the driver's list, else by its local rank among those that it can see."""
    used = gpu_uses([one], LOADS, LOADS, users).get(700)

    assert (None if used is None else used.number) == number


@pytest.mark.parametrize(
    ("loads", "powers", "limit", "told"),
    [
        ((100, 99), (180, 190), 500, (True, False, False)),
        ((100, 99), (380, 390), 500, (False, True, False)),
        ((100, 99), (180, 190), None, (False, False, False)),
        ((100, 40), (180, 90), 500, (False, False, False)),
        ((100,), (180,), 500, (False, False, False)),
        ((0, 2), (60, 60), 500, (False, False, True)),
        ((0, 2), (), None, (False, False, True)),
    ],
)
def test_load_and_power(loads: Any, powers: Any, limit: float | None, told: object) -> None:
    """A full load at low power in both looks is a wait; no load in both is none."""
    used = GpuUse(3, loads, powers, limit)

    assert (used.spins, used.works, used.idles) == told


def test_words() -> None:
    """What is not told is left out."""
    assert GpuUse(3, (90, 100), (90, 92.4), 500.0).words == "GPU 3: load 100 %, 92 W of 500 W"
    assert GpuUse(3, (90, 100), (), 500.0).words == "GPU 3: load 100 %"


def test_what_the_driver_tells(tmp_path: Path) -> None:
    """Cells without a number tell nothing; one process may use several GPUs."""
    script = (
        'case "$1" in *compute*) echo "GPU-a, 700, 9"; echo "GPU-b, 700, 9";;'
        ' *) echo "0, GPU-a, 98, 400.5, 700.00"; echo "1, GPU-b, [N/A], ERR!, [N/A]";; esac\n'
    )
    program(tmp_path / "bin", "nvidia-smi", script)
    machine = machine_of(tmp_path, {})

    assert gpu_loads(machine) == {
        0: GpuLoad(0, "GPU-a", 98.0, 400.5, 700.0),
        1: GpuLoad(1, "GPU-b", None, None, None),
    }
    assert gpu_users(machine) == {700: ["GPU-a", "GPU-b"]}
