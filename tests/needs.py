"""What some tests need of the machine, and what is said where it is missing.

A test that needs something is skipped with the reason where it is missing, or fails with it where
TRAINWRECK_REQUIRE_ALL is set, as it is in continuous integration.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
TOO_OLD = ("3.6", "3.7")
TORCH = ROOT / ".venv-torch/bin/python"
SARIF_MULTITOOL = (
    ROOT / "tests/script/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"
)
AXE = ROOT / "tests/script/node_modules/axe-core/axe.min.js"


def find_python(version: str) -> str | None:
    """Find an interpreter of this version: on PATH, or where pyenv keeps them."""
    roots = [Path(os.environ.get("PYENV_ROOT", "")), Path.home() / ".pyenv"]
    for root in roots:
        for found in sorted(root.glob(f"versions/{version}.*/bin/python")):
            return str(found)
    found_on_path = shutil.which(f"python{version}")
    if found_on_path and _answers(found_on_path, version):
        return found_on_path
    return None


def _answers(program: str, version: str) -> bool:
    """Tell a real interpreter from a pyenv shim that only says it is not installed."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and f"Python {version}." in done.stdout


def find_chromium() -> str | None:
    """Find the system's Chromium."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def _missing_pyodide() -> str | None:
    if not shutil.which("node"):
        return "node is not installed"
    if not (ROOT / "tests/script/node_modules/pyodide").is_dir():
        return "npm's pyodide is not installed: npm ci in tests/script"
    return None


def _missing_multitool() -> str | None:
    if not SARIF_MULTITOOL.exists():
        return "npm's sarif-multitool-linux is not installed: npm ci in tests/script"
    # npm runs no scripts of packages where it is told not to; this is all that its script does.
    SARIF_MULTITOOL.chmod(0o755)
    return None


def _missing_axe() -> str | None:
    return None if AXE.exists() else "npm's axe-core is not installed: npm ci in tests/script"


def _missing_python(version: str) -> Callable[[], str | None]:
    return lambda: None if find_python(version) else f"there is no Python {version}"


NEEDS: dict[str, Callable[[], str | None]] = {
    "chromium": lambda: None if find_chromium() else "Chromium is not installed",
    "pyodide": _missing_pyodide,
    "sarif": _missing_multitool,
    "axe": _missing_axe,
    "torch": lambda: (
        None if TORCH.exists() else "torch is not installed: make test-torch sets it up"
    ),
    "root": lambda: None if os.geteuid() == 0 else "this user is not root",
    "screen": lambda: None if shutil.which("screen") else "GNU screen is not installed",
    "strace": lambda: None if shutil.which("strace") else "strace is not installed",
    "fuse": lambda: None if os.path.exists("/dev/fuse") else "there is no /dev/fuse",
    **{f"python{version}": _missing_python(version) for version in PYTHONS + TOO_OLD},
}


def needs(name: str) -> pytest.MarkDecorator:
    """Mark a test that needs *name*, one of NEEDS."""
    reason = NEEDS[name]()
    if reason and os.environ.get("TRAINWRECK_REQUIRE_ALL"):
        return pytest.mark.missing(reason=reason)
    return pytest.mark.skipif(reason is not None, reason=reason or "")
