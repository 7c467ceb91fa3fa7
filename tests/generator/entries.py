"""Entries for tests: the least that the model accepts, with a `detect` of the test's own."""

from datetime import date
from typing import Any

from generator.model import Entry

URL = "https://example.org/report"


def make_entry(detect: dict[str, Any], **fields: Any) -> Entry:
    """Make a published entry that detects so; *fields* replace the invented texts."""
    written: dict[str, Any] = {
        "title": "A failure made up for a test",
        "category": "crash",
        "phase": "training",
        "layer": "host",
        "frameworks": ["pytorch"],
        "status": "published",
        "created": date(2026, 1, 1),
        "updated": date(2026, 1, 2),
        "kind": "failure",
        "effect": "dies",
        "summary": {"symptom": "It ends.", "cause": "A cause.", "fix": "A fix."},
        "symptoms": [{"sees": "It ends.", "because": "The cause ends it."}],
        "confirm": [{"check": "Look.", "run": "dmesg", "yes": "It shows.", "no": "It does not."}],
        "detect": detect,
        "fix": {"now": ["Mend it."], "why": "It removes the cause."},
        "resume": {"safe": "yes", "why": "Nothing was written."},
        "references": [{"url": URL, "title": "Report", "supports": ["cause"], "says": "It."}],
        "examples": {},
        "proof": {"level": "source", "by": "read", "verified": date(2026, 1, 2)},
    }
    return Entry.model_validate({**written, **fields})
