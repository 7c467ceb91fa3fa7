"""The records of snapshots, masked: records enter, the same without what is private leave.

Whatever is written goes through here. Paths that were masked alike are kept apart.
"""

from typing import Any, Dict, Iterable, Iterator, Set

from checker.snapshot.form import END_KEY, SNAPSHOT_KEY
from checker.snapshot.masking import Masker


def texts_in(records: Iterable[Dict[str, Any]]) -> Iterator[str]:
    """List the texts of records, from which names of users and hosts are learned."""
    for record in records:
        if "rows" in record:
            yield from record["rows"]
        elif "fact" in record:
            value = record.get("value")
            values = value if isinstance(value, list) else [value]
            yield from (item for item in values if isinstance(item, str))
            yield record.get("line", {}).get("shown", "")
        elif "log" in record:
            yield record["log"]
            yield from (given["path"] for given in record["files"])
        elif "input" in record:
            yield record["input"]["path"]


class RecordMasker:
    """Masks the records of sections, one after another."""

    def __init__(self, masker: Masker) -> None:
        """Begin before the first section."""
        self._masker = masker
        self._names: Dict[str, str] = {}
        self._taken: Set[str] = set()

    def masked(self, record: Dict[str, Any]) -> Dict[str, Any]:
        """Mask one record."""
        if "rows" in record:
            return {**record, "rows": self._masker.rows(record["rows"])}
        if SNAPSHOT_KEY in record:
            self._names, self._taken = {}, set()
            return self._head(record)
        if "fact" in record:
            return self._fact(record)
        if "log" in record:
            return self._log(record)
        if "input" in record:
            return {"input": self._input(record["input"])}
        ended = {**record.get(END_KEY, {}), "masked": self._masker.counts()}
        return {END_KEY: ended} if END_KEY in record else record

    def _log(self, record: Dict[str, Any]) -> Dict[str, Any]:
        self._masker.begin_text()
        return {
            **record,
            "log": self._path(record["log"]),
            "files": [self._input(given) for given in record["files"]],
            "parts": [[at, self._path(path), first] for at, path, first in record["parts"]],
            "dump": record["dump"] and self._masker.text(record["dump"]),
        }

    def _head(self, record: Dict[str, Any]) -> Dict[str, Any]:
        host = record.get("host")
        head = {**record, "host": self._masker.name(host) if host else None}
        if self._masker.everything:
            head.update(redacted=True, boot=None)
        return head

    def _fact(self, record: Dict[str, Any]) -> Dict[str, Any]:
        fact = dict(record)
        if "value" in fact:
            fact["value"] = self._masker.value(fact["value"])
        if "unknown" in fact:
            fact["unknown"] = self._masker.text(fact["unknown"])
        if "line" in fact:
            line = fact["line"]
            texts = {name: self._masker.text(line[name]) for name in ("text", "shown")}
            fact["line"] = {**line, **texts}
        return fact

    def _input(self, given: Dict[str, Any]) -> Dict[str, Any]:
        reason, part_of = given["reason"], given["part_of"]
        return {
            **given,
            "path": self._path(given["path"]),
            "reason": reason and self._masker.text(reason),
            "part_of": part_of and self._path(part_of),
        }

    def _path(self, path: str) -> str:
        """Mask a path; another one never gets the same name."""
        if path not in self._names:
            masked = name = self._masker.text(path)
            number = 1
            while name in self._taken:
                number += 1
                name = "{}~{}".format(masked, number)
            self._taken.add(name)
            self._names[path] = name
        return self._names[path]
