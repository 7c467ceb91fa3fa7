"""What is told of GPUs, with fakes for the driver's program."""

from pathlib import Path
from typing import Any

import pytest

import checker.probe.gpus
from tests.checker.probe.trees import facts_of, machine_of, program

ROW = "{}, 00000000:{:02X}:00.0, GPU-{}, 98, 78211, 81559, 412.55, 500.00, 61, 0, 3, {}"
IDLE, HOT = "0x0000000000000001", "0x0000000000000048"
OF_DRIVER = (
    *("gpu.answers", "gpu.trouble", "gpu.count", "gpu.errors", "gpu.states", "gpu.throttled"),
    *("gpu.ecc.uncorrected", "gpu.ecc.corrected"),
)
NO_ANSWER: dict[str, Any] = {
    "gpu.count": ("absent",),
    "gpu.errors": ("absent",),
    "gpu.states": ("absent",),
    "gpu.throttled": ("absent",),
    "gpu.ecc.uncorrected": ("absent",),
    "gpu.ecc.corrected": ("absent",),
}


def told_of(tmp_path: Path, script: str | None, files: dict[str, str] | None = None) -> Any:
    """Tell what the facts are where `nvidia-smi` does this."""
    if script is not None:
        program(tmp_path / "bin", "nvidia-smi", script)
    facts = facts_of(machine_of(tmp_path, files or {}), "gpu.")
    return {name: value for name, value in facts.items() if files or name in OF_DRIVER}


def test_no_gpu_and_no_driver(tmp_path: Path) -> None:
    """Without the program nothing is known, which is no trouble."""
    assert told_of(tmp_path, None) == {
        "gpu.answers": ("absent",),
        "gpu.trouble": ("absent",),
        **NO_ANSWER,
    }


def test_the_bus_and_the_loaded_driver(tmp_path: Path) -> None:
    """Only display controllers of the maker count, not its bridges or audio functions."""
    devices = "/sys/bus/pci/devices/0000:{}"
    files = {"/sys/module/nvidia/version": "550.54.15\n"}
    for place, vendor, kind in (
        ("17:00.0", "0x10de", "0x030200"),
        ("31:00.0", "0x10de", "0x030000"),
        ("31:00.1", "0x10de", "0x040300"),
        ("00:02.0", "0x8086", "0x030000"),
    ):
        files[devices.format(place) + "/vendor"] = vendor + "\n"
        files[devices.format(place) + "/class"] = kind + "\n"
    told = told_of(tmp_path, None, files)

    assert (told["gpu.pci.count"], told["gpu.driver.version"]) == (2, "550.54.15")


@pytest.mark.parametrize("count", [1, 8, 16])
def test_healthy_gpus(tmp_path: Path, count: int) -> None:
    """Each is listed with its state; none has an error."""
    rows = "".join(f"echo '{ROW.format(n, 16 + n, n, IDLE)}'\n" for n in range(count))
    told = told_of(tmp_path, rows)

    assert told["gpu.states"][-1] == (
        f"GPU {count - 1} (00000000:{15 + count:02X}:00.0): "
        "load 98 %, 78211 MiB used, of 81559 MiB, 412.55 W, 61 C"
    )
    del told["gpu.states"]
    assert told == {
        "gpu.answers": True,
        "gpu.trouble": "",
        "gpu.count": count,
        "gpu.errors": [],
        "gpu.throttled": [],
        "gpu.ecc.uncorrected": 0,
        "gpu.ecc.corrected": 3 * count,
    }


@pytest.mark.parametrize("known", ["clocks_event_reasons", "clocks_throttle_reasons"])
def test_a_gpu_that_is_slowed_down(tmp_path: Path, known: str) -> None:
    """By the name of the field that the driver's version knows."""
    told = told_of(
        tmp_path,
        f'case "$1" in *{known}*) ;; *) echo \'Field "x" is not a valid field to query.\'; exit 2;;'
        f" esac\necho '{ROW.format(0, 16, 0, IDLE)}'\necho '{ROW.format(1, 17, 1, HOT)}'\n",
    )

    assert told["gpu.throttled"] == ["GPU 1: hardware slowdown", "GPU 1: heat, by the hardware"]


def test_memory_of_processes_that_are_not_there(tmp_path: Path) -> None:
    """A process of this machine holds its own."""
    script = "echo 'GPU-a, 700, 4096'\necho 'GPU-a, 701, 20480'\n"
    told = told_of(tmp_path, script, {"/proc/700/comm": "python3\n"})

    assert told["gpu.foreign"] == ["process 701 is not seen here and holds 20480 MiB"]


def test_what_a_gpu_does_not_have_is_no_error(tmp_path: Path) -> None:
    """`ERR!` and unknown errors are."""
    told = told_of(
        tmp_path,
        "echo '0, 00000000:10:00.0, GPU-a, [N/A], 5, 100, [Not Supported], [N/A], 40, [N/A], "
        "[N/A], [N/A]'\n"
        "echo '1, 00000000:11:00.0, GPU-b, 7, 5, 100, ERR!, 500, [Unknown Error], 2, 0, "
        "0x0000000000000000'\n",
    )

    assert told == {
        "gpu.answers": True,
        "gpu.trouble": "",
        "gpu.count": 2,
        "gpu.errors": [
            "GPU 1: power.draw is ERR!",
            "GPU 1: temperature.gpu is [Unknown Error]",
        ],
        "gpu.states": [
            "GPU 0 (00000000:10:00.0): 5 MiB used, of 100 MiB, 40 C",
            "GPU 1 (00000000:11:00.0): load 7 %, 5 MiB used, of 100 MiB",
        ],
        "gpu.throttled": [],
        "gpu.ecc.uncorrected": 2,
        "gpu.ecc.corrected": 0,
    }


@pytest.mark.parametrize(
    ("script", "trouble"),
    [
        (
            "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18\n",
            "Failed to initialize NVML: Driver/library version mismatch",
        ),
        ("echo 'cannot load' >&2; exit 127\n", "cannot load"),
        ("kill -11 $$\n", "ended with status -11 and no word"),
    ],
)
def test_a_program_that_fails(tmp_path: Path, script: str, trouble: str) -> None:
    """Its own words are kept; nothing is known of the GPUs."""
    assert told_of(tmp_path, script) == {"gpu.answers": True, "gpu.trouble": trouble, **NO_ANSWER}


def test_no_devices_were_found(tmp_path: Path) -> None:
    """The program answers, and lists none."""
    told = told_of(tmp_path, "echo 'No devices were found'\n")

    assert (told["gpu.count"], told["gpu.trouble"]) == (0, "No devices were found")


def test_a_version_that_does_not_know_a_field(tmp_path: Path) -> None:
    """It is asked again, for less."""
    told = told_of(
        tmp_path,
        'case "$1" in *power*) echo \'Field "x" is not a valid field to query.\'; exit 2;; esac\n'
        "echo '0, 5, 100'\n",
    )

    assert told["gpu.states"] == ["GPU 0: 5 MiB used, of 100 MiB"]
    assert told["gpu.ecc.uncorrected"] == ("absent",)


def test_the_language_of_the_person_changes_nothing(tmp_path: Path) -> None:
    """The program runs in none, so that its numbers have points."""
    asked = 'test "$LC_ALL$LANG" = CC || { echo "0, 98,5"; exit; }\n'
    told = told_of(tmp_path, asked + f"echo '{ROW.format(0, 16, 0, IDLE)}'\n")

    assert (told["gpu.count"], told["gpu.errors"]) == (1, [])


def test_a_program_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer in time is itself an answer, and why the rest is unknown."""
    monkeypatch.setattr(checker.probe.gpus, "_SECONDS_OF_QUERY", 0.5)
    told = told_of(tmp_path, "exec /bin/sleep 30\n")
    reason = told["gpu.count"][0]

    assert told["gpu.answers"] is False
    assert reason.startswith("did not answer in 0.5 s (state S")
    assert told["gpu.trouble"] == (reason,)
