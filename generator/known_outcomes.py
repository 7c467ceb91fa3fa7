"""What became of all examples at the last build, for one that is made from the very same."""

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import generator.matrix
from generator.matrix import Found, Outcome


def digest(script: str) -> str:
    """Digest what outcomes depend on: the checker with all that is in it, and who judges."""
    judge = Path(generator.matrix.__file__).read_text(encoding="utf-8")
    return hashlib.sha256("\0".join((sys.version, judge, script)).encode("utf-8")).hexdigest()


def read_outcomes(path: Path, made_from: str) -> tuple[Outcome, ...] | None:
    """Read what was written for the same digest; None where there is no such thing."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if known["made_from"] != made_from:
        return None
    return tuple(
        Outcome(one, example, diagnosed, tuple(Found(*each) for each in found), tuple(problems))
        for one, example, diagnosed, found, problems in known["outcomes"]
    )


def write_outcomes(path: Path, made_from: str, results: Sequence[Outcome]) -> None:
    """Write outcomes beside the digest of what they were made from."""
    path.parent.mkdir(parents=True, exist_ok=True)
    known = {"made_from": made_from, "outcomes": results}
    path.write_text(json.dumps(known), encoding="utf-8")
