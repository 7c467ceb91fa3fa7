"""A small catalogue for tests of the diagnosis, and ways to ask it."""

from collections.abc import Mapping
from typing import Any

from checker.catalogue import Catalogue, read_catalogue
from checker.diagnose.diagnosis import diagnose
from checker.judgement import Report
from checker.model import CONFIDENCE
from checker.scan.observe import observe_texts
from generator.catalogue import Published, compile_catalogue
from tests.generator.entries import make_entry

HOST_OOM = {
    "signs": {
        "kill": {
            "log": ["Out of memory: Killed process <pid>", "out of memory: Killed process <pid>"],
            "source": "kernel",
            "onset": "earlier",
        },
        "nine": {"exit": {"signal": 9}, "onset": "earlier"},
    },
    "signatures": [
        {"decisive": ["kill", "nine", {"same": ["pid", "host"]}]},
        {"weak": ["nine"]},
    ],
}
PEER_LOST = {
    "signs": {"closed": {"log": "Connection closed by peer"}},
    "signatures": [{"strong": ["closed"]}],
}
TIMEOUT = {
    "signs": {
        "timeout": {
            "log": "Timed out waiting <ms:waited>ms for recv operation",
            "onset": "minus waited",
        }
    },
    "signatures": [{"decisive": ["timeout"]}],
}
USER_CODE = {
    "signs": {"own": {"traceback": "*", "code": "user"}, "some": {"traceback": "*"}},
    "signatures": [{"strong": ["own"]}, {"weak": ["some"]}],
}
DISK_FULL = {
    "signs": {"full": {"traceback": "OSError", "message": "No space left on device"}},
    "signatures": [{"decisive": ["full"]}],
}

KNOWN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "host-oom-killer": (HOST_OOM, {}),
    "peer-connection-lost": (PEER_LOST, {"kind": "symptom"}),
    "collective-timeout": (TIMEOUT, {"kind": "symptom"}),
    "user-code-error": (USER_CODE, {}),
    "disk-full": (DISK_FULL, {}),
}


def catalogue_of(*ids: str, **more: tuple[dict[str, Any], dict[str, Any]]) -> Catalogue:
    """Make a catalogue of known entries and of more, given by name with `_` for `-`."""
    chosen = {name: KNOWN[name] for name in ids or KNOWN}
    chosen.update({name.replace("_", "-"): entry for name, entry in more.items()})
    compiled = compile_catalogue(
        Published(name, make_entry(detect, **fields)) for name, (detect, fields) in chosen.items()
    )
    return read_catalogue(compiled.rows, compiled.sha256, compiled.date)


def diagnosed(
    catalogue: Catalogue,
    files: Mapping[str, str],
    facts: Mapping[str, Any] | None = None,
    versions: Mapping[str, str] | None = None,
) -> Report:
    """Read texts and diagnose them."""
    keys = frozenset(key for entry in catalogue.entries for key in entry.keys)
    return diagnose(catalogue, observe_texts(files, keys, facts or {}, versions or {}))


def told(report: Report) -> list[tuple[str, str, str, int | None, str | None]]:
    """List id, confidence, role, rank and cause of every diagnosis."""
    return [
        (d.rule["id"], CONFIDENCE[d.confidence], d.role, d.rank, d.consequence_of)
        for d in report.diagnoses
    ]
