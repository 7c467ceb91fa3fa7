"""Run the built checker as a person would, alone and from an ordinary folder."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.needs import ROOT


class Run(NamedTuple):
    """What a run showed."""

    status: int
    out: bytes
    err: bytes


def run(
    script: Path,
    *arguments: str,
    python: str = sys.executable,
    cwd: Path = ROOT,
    given: bytes | None = None,
) -> Run:
    """Run the checker with nothing but the standard library."""
    done = subprocess.run(
        [python, "-I", "-S", str(script), *arguments],
        cwd=cwd,
        input=given,
        stdin=subprocess.DEVNULL if given is None else None,
        capture_output=True,
        timeout=300,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr)
