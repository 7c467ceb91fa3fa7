"""What search engines read in the head of an entry's page: an article, and answers to questions."""

import json
from typing import Any

from generator.model import Entry
from generator.pages.labels import SAFE, framework
from generator.pages.text import plain

_LICENSE = "https://creativecommons.org/licenses/by/4.0/"


def structured(entry: Entry) -> dict[str, Any]:
    """Describe an entry in the terms of schema.org."""
    article = {
        "@type": "TechArticle",
        "headline": plain(entry.title),
        "description": plain(entry.summary.symptom),
        "about": [{"@type": "Thing", "name": framework(name)} for name in entry.frameworks],
        "keywords": entry.tags,
        "inLanguage": "en",
        "license": _LICENSE,
        "datePublished": entry.created.isoformat(),
        "dateModified": entry.updated.isoformat(),
    }
    questions = {"@type": "FAQPage", "mainEntity": [_answered(*one) for one in _questions(entry)]}
    return {"@context": "https://schema.org", "@graph": [article, questions]}


def as_text(document: dict[str, Any]) -> str:
    """Write the data so that nothing in it can end the element in which it stands."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _questions(entry: Entry) -> list[tuple[str, str]]:
    summary, resume = entry.summary, entry.resume
    verified = " ".join(map(plain, entry.verify))
    asked = [
        ("What does it look like?", plain(summary.symptom)),
        ("Why does it happen?", plain(summary.cause)),
        ("How do I fix it?", plain(summary.fix)),
        ("How do I know the fix worked?", verified),
        ("Can I resume from the last checkpoint?", f"{SAFE[resume.safe][0]} {plain(resume.why)}"),
    ]
    return [(question, answer) for question, answer in asked if answer]


def _answered(question: str, answer: str) -> dict[str, Any]:
    return {
        "@type": "Question",
        "name": question,
        "acceptedAnswer": {"@type": "Answer", "text": answer},
    }
