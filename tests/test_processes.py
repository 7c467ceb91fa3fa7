"""Tests run in several processes at once, but not those that look at what others start."""

import re
import subprocess
import sys

from tests.needs import ROOT


def test_what_looks_at_this_machine_is_run_by_one_process() -> None:
    """A group is lost without a word where pytest and pytest-xdist do not fit."""
    words = "-v -p no:cacheprovider --numprocesses 3 --dist loadgroup -k why_there_is_no_value"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words.split(), "tests/checker/probe/test_children.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    workers = re.findall(r"^\[(gw\d)\].*PASSED\b", done.stdout, re.MULTILINE)
    assert len(workers) > 3
    assert len(set(workers)) == 1
