"""The catalogue: every entry's detection data and terminal text, one entry a line.

A line of the catalogue is `id TAB keys TAB rule`, where `keys` and `rule` are JSON in ASCII.

`keys` lists what must have been seen before the entry can be diagnosed at all, so that the rule
itself is decoded only then (one of them is enough):

- `log LITERAL`: the literal text stands in the payload of a line, runs of blanks being alike;
- `traceback TYPE` (last part of the class name) or `traceback *`: such an exception was printed;
- `exit SIGNAL`, `exit code N`: a process ended so;
- `metric NAME`, `stack FRAGMENT`, `fact NAME`, `version PACKAGE`, `progress`, `collective`.

Four more say something of the entry and are never seen:

- `needs SOURCE` (`kernel`, `scheduler`, `service`, `launcher`, `fact`, `stack`): without it no
  signature of the entry can be met;
- `series NAME is BEHAVIOR LIMIT`: what it asks of a metric (`checker.scan.metric_asks`);
- `preflight FACT`, `preflight version PACKAGE`: what it asks before a run;
- `package NAME`: a framework that the entry affects, whose code is not the user's.

`rule` holds the texts of the entry (`title`, `summary`, `fix`, `confirm`, `stop_safely`,
`resume`, `dead_ends`, `verify`, as `generator.model` has them; `references` with url and title;
`sections`, a list of `heading` and `text`, those that are worth their weight without the site;
`page`, the address of its page or null), and besides:

- `id`, `category`, `layer`, `frameworks`, `kind`, `effect`, `recovers` (never null), `proof` (the
  level), `aliases`, `updated`, `affects` (package, range, fixed_in, source, note);
- `signs`: name to sign. A sign has `kind`, `onset` and all fields that `generator.detection` gives
  its kind, defaults written out. The wordings in `log`, `message` and `capture`, and `under`
  (which has `within` besides), have `text`, `since`, `until`, `regex` (to be compiled for ASCII),
  `literal` and `types` (capture name to placeholder type); in the row, a wording from whose text
  the rest follows is only the text;
- `signatures`: a list of `name` (or null), `strength`, `all`, `any`, `none`, whose items are sign
  names or conditions (`compare`, `order`, `same`, `differ`, `count`, `ranks`);
- `against`, `rules_out`, `preflight`: names of signs;
- `leads_to` (id, where, within), `refines`, `refined_by`, `confused_with` (id, tell);
- `examples`: for the self-test (`name`, `diagnosed`, `files` name to text, `facts`, `versions`,
  `expect`, `also`); a single log is the file `example.log`. A row holds the shortest example that
  must be diagnosed and the shortest near miss; the project's tests run all through the script.
"""

import json
from typing import Dict, List, NamedTuple, Optional, Tuple

from checker.model import Rule
from checker.wordings import full_wording


class CatalogueEntry(NamedTuple):
    """One line of the catalogue, its rule not yet decoded."""

    id: str
    keys: Tuple[str, ...]
    text: str
    """Holds the rule as JSON, from `start` to `end`; uncut, since all rows are megabytes."""
    start: int = 0
    end: Optional[int] = None

    @property
    def rule_text(self) -> str:
        """The rule as JSON."""
        return self.text[self.start : self.end]

    def rule(self) -> Rule:
        """Decode the rule, and write its wordings in full."""
        decoded: Rule = json.loads(self.rule_text)
        for sign in decoded["signs"].values():
            for field in ("log", "message", "capture"):
                if field in sign:
                    sign[field] = [full_wording(wording) for wording in sign[field]]
        return decoded


class Catalogue(NamedTuple):
    """All entries, in the order of their ids."""

    entries: Tuple[CatalogueEntry, ...]
    sha256: str
    date: str
    """The newest `updated` of all entries, as `YYYY-MM-DD`."""

    def by_id(self) -> Dict[str, CatalogueEntry]:
        """Map every id to its entry."""
        return {entry.id: entry for entry in self.entries}

    def find(self, name: str) -> Optional[CatalogueEntry]:
        """Find an entry by its id or by a former id."""
        known = self.by_id().get(name)
        if known is not None:
            return known
        quoted = json.dumps(name)
        for entry in self.entries:
            if quoted in entry.rule_text and name in entry.rule()["aliases"]:
                return entry
        return None


def read_catalogue(text: str, sha256: str, date: str) -> Catalogue:
    """Read the catalogue's lines; *text* is trusted, the assembler wrote it."""
    return Catalogue(_read_entries(text), sha256, date)


def _read_entries(text: str) -> Tuple[CatalogueEntry, ...]:
    names: List[str] = []
    keys: List[str] = []
    spans: List[Tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if end > start:
            keys_at = text.index("\t", start) + 1
            rule_at = text.index("\t", keys_at) + 1
            names.append(text[start : keys_at - 1])
            keys.append(text[keys_at : rule_at - 1])
            spans.append((rule_at, end))
        start = end + 1
    decoded: List[List[str]] = json.loads("[" + ",".join(keys) + "]")
    return tuple(
        [
            CatalogueEntry(name, tuple(own), text, begin, end)
            for name, own, (begin, end) in zip(names, decoded, spans)
        ]
    )
