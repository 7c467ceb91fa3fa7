"""What is private in a snapshot, masked: texts enter, the same texts with pseudonyms leave.

Keys, tokens, passwords and mail addresses are masked in every snapshot. Names of users and hosts
and addresses are masked where that is wanted; who has the same salt gives the same pseudonyms.
"""

import os
from typing import Any, Dict, FrozenSet, Iterable, List, Set

from checker.catalogue import Catalogue
from checker.report.private import Names, private_names, private_spans
from checker.report.redact import words_of_entries

ALWAYS_MASKED = ("secret", "mail")
_MASKED_IF_WANTED = ("host", "user", "address")
_PREFIXES = {"address": "ip"}
_KEY_BEGINS, _KEY_ENDS = "-----BEGIN ", "-----END "
_LONGEST_KEY = 400


class Masker:
    """Masks texts, and counts what it masked."""

    def __init__(self, names: Names, everything: bool, salt: bytes) -> None:
        """Take the names of users and hosts, which are masked only if *everything* is."""
        self.everything = everything
        self._kinds = (*ALWAYS_MASKED, *(_MASKED_IF_WANTED if everything else ()))
        self._names = names if everything else {}
        self._salt = salt
        self._met: Dict[str, Set[str]] = {}
        self._left = 0
        """How many more rows a private key can take."""

    def text(self, text: str) -> str:
        """Mask one text."""
        pieces, end = [], 0
        for start, stop, kind, key in private_spans(text, self._names):
            if kind in self._kinds:
                pieces += [text[end:start], self._pseudonym(kind, key)]
                end = stop
        return "".join([*pieces, text[end:]])

    def name(self, host: str) -> str:
        """Mask the name of a host, whatever it looks like, if names are masked."""
        label = host.partition(".")[0].lower()
        return self._pseudonym("host", label) if "host" in self._kinds else self.text(host)

    def begin_text(self) -> None:
        """Begin another text, into which no key goes on."""
        self._left = 0

    def rows(self, rows: Iterable[str]) -> List[str]:
        """Mask the next rows of a text, of which a key can take several."""
        masked: List[str] = []
        for row in rows:
            if self._left:
                self._left = 0 if _KEY_ENDS in row else self._left - 1
                masked.append("secret")
                continue
            masked.append(self.text(row))
            if _KEY_BEGINS in row and "PRIVATE KEY-----" in row and _KEY_ENDS not in row:
                self._left = _LONGEST_KEY
        return masked

    def value(self, value: Any) -> Any:
        """Mask the texts in a fact's value."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value

    def counts(self) -> Dict[str, int]:
        """Count the different things that were masked, by kind."""
        return {kind: len(self._met.get(kind, ())) for kind in self._kinds}

    def _pseudonym(self, kind: str, key: str) -> str:
        import hashlib  # noqa: PLC0415 - costs start-up, and memory in all runs that mask nothing

        told = "\0{}\0{}".format(kind, key).encode("utf-8", "replace")
        digest = hashlib.sha256(self._salt + told).hexdigest()
        self._met.setdefault(kind, set()).add(digest)
        # Of a secret not even a digest leaves.
        if kind == "secret":
            return kind
        return "{}-{}".format(_PREFIXES.get(kind, kind), digest[:8])


def salt_of(word: str) -> bytes:
    """Take what a person chose, or what nobody can know."""
    return word.encode("utf-8", "replace") if word else os.urandom(16)


def masker_for(
    texts: Iterable[str], hosts: Iterable[str], catalogue: Catalogue, everything: bool, salt: str
) -> Masker:
    """Make the masker of what holds these texts; they are looked at only if names matter."""
    if not everything:
        return Masker({}, False, salt_of(salt))
    kept: FrozenSet[str] = words_of_entries(catalogue)
    return Masker(private_names(texts, hosts, kept), True, salt_of(salt))
