"""The texts that all tools look for in the scan benchmark, the same for each.

Fixed texts and expressions are those of the real catalogue: each text of a sign by its longest
fixed piece, and 26 expressions, of entries and of texts with placeholders. Further ones are made
of words that programs print, a quarter of them expressions, and belong to entries of their own.
"""

import json
import random
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from checker.wordings import compile_text, full_wording

FEWEST_FIXED, EXPRESSIONS = 311, 26
TEXTS_OF_AN_ENTRY = 6
FAST_LETTERS = 15
COMPONENTS = (
    "allocator", "backend", "bootstrap", "cache", "checkpoint writer", "collator", "communicator",
    "compiler", "connector", "controller", "decoder", "dispatcher", "driver", "engine", "fabric",
    "gateway", "heartbeat", "kernel launcher", "lease manager", "loader", "mount helper",
    "offloader", "optimizer", "planner", "prefetcher", "proxy", "quantizer", "queue", "registry",
    "rendezvous", "resharder", "router", "sampler", "scheduler", "serializer", "shard reader",
    "socket", "spooler", "store", "streamer", "tokenizer", "topology", "tracer", "transport",
    "tuner", "uploader", "worker",
)  # fmt: skip
TROUBLES = (
    "could not acquire", "could not flush", "could not map", "could not resolve", "dropped",
    "exhausted", "found a corrupted", "gave up on", "has lost", "has no permission for",
    "is missing", "keeps retrying", "rejected", "refused to open", "ran out of",
    "timed out waiting for", "truncated", "was denied", "was evicted from",
    "was interrupted during",
)  # fmt: skip
OBJECTS = (
    "the communicator handle", "the completion queue", "the gradient bucket", "the index shard",
    "the input pipeline", "the kernel module", "the lock file", "the manifest", "the memory pool",
    "the metadata server", "the partition table", "the peer connection", "the pinned buffer",
    "the port range", "the process group", "the quota group", "the remote snapshot",
    "the scratch volume", "the state dictionary", "the symlink target", "the token budget",
    "the vocabulary file", "the workspace tensor", "the write ahead journal",
)  # fmt: skip
VALUES = {"n": "[0-9]+", "pid": "[0-9]+", "rank": "[0-9]+", "peer": "[0-9]+", "word": "[^ ,;]+"}


class Signatures(NamedTuple):
    """What is looked for."""

    fixed: tuple[str, ...]
    expressions: tuple[str, ...]
    """POSIX extended expressions that ripgrep and Python understand alike."""
    literals: tuple[str, ...]
    """A fixed piece of each expression."""
    rows: str
    """The catalogue that holds them."""

    @property
    def patterns(self) -> str:
        """All as expressions, one a line."""
        return "\n".join([*map(escaped, self.fixed), *self.expressions]) + "\n"

    @property
    def pieces(self) -> str:
        """All as fixed texts, one a line, for what knows no expressions."""
        return "\n".join([*self.fixed, *self.literals]) + "\n"

    @property
    def short(self) -> list[str]:
        """The texts of the slow class."""
        return [text for text in self.fixed if kept_letters(text) < FAST_LETTERS]


def kept_letters(text: str) -> int:
    """Count the letters by which the checker compares lines."""
    return len(re.sub(r"[^g-zA-Z_]", "", text))


def escaped(text: str) -> str:
    """Write a fixed text as an expression that all tools read alike."""
    return re.sub(r"([][\\.^$*+?(){}|])", r"\\\1", text)


def signatures(rows: str, wanted: int, *, fast_only: bool = False) -> Signatures:
    """Take the texts of catalogue rows, and make further ones until there are *wanted*.

    With *fast_only* every text and row of the slow class is left out, to measure what it costs.
    """
    fixed, expressions, literals = _of_catalogue(rows)
    added: list[list[Any]] = [[]]
    for number, (text, regex, literal) in enumerate(_made()):
        if len(fixed) >= FEWEST_FIXED and len(fixed) + len(expressions) >= wanted:
            break
        if len(fixed) < FEWEST_FIXED or number % 4:
            fixed.append(text)
            added[-1].append(text)
        else:
            expressions.append(regex)
            literals.append(literal)
            added[-1].append(_regex_wording(regex, literal))
        if len(added[-1]) == TEXTS_OF_AN_ENTRY:
            added.append([])
    whole = rows.splitlines()
    if fast_only:
        fixed = [text for text in fixed if kept_letters(text) >= FAST_LETTERS]
        whole = [_without_slow(row) for row in whole]
    whole += [_entry(whole[0], number, texts) for number, texts in enumerate(added) if texts]
    joined = "".join(row + "\n" for row in sorted(whole))
    return Signatures(tuple(fixed), tuple(expressions), tuple(literals), joined)


def _of_catalogue(rows: str) -> tuple[list[str], list[str], list[str]]:
    fixed: dict[str, None] = {}
    expressions: dict[str, str] = {}
    for row in rows.splitlines():
        rule = json.loads(row.split("\t")[2])
        for sign in rule["signs"].values():
            for wording in map(full_wording, sign.get("log", ())):
                regex = wording["regex"] if wording["text"] == wording["regex"] else None
                portable = _portable(wording["text"], regex)
                if portable and (regex or len(expressions) < EXPRESSIONS):
                    expressions[portable] = wording["literal"]
                else:
                    fixed[wording["literal"]] = None
    kept = list(expressions.items())[:EXPRESSIONS]
    return list(fixed), [text for text, _ in kept], [literal for _, literal in kept]


def _portable(text: str, regex: str | None) -> str | None:
    """Write an expression, or a text with placeholders, as all tools understand it."""
    if regex is not None:
        simple = regex.replace("(?:", "(").replace(r"\d", "[0-9]").replace(r"\b", "")
        return (
            None if "\\" in re.sub(r"\\[][.(){}|*+?$^]", "", simple) or "(?" in simple else simple
        )
    kinds = re.findall(r"<([a-z]+)(?::[a-z_0-9]+)?>", text)
    if not kinds or "<<" in text or any(kind not in VALUES for kind in kinds):
        return None
    pieces = re.split(r"<[a-z]+(?::[a-z_0-9]+)?>", text)
    pattern = escaped(pieces[0])
    for kind, piece in zip(kinds, pieces[1:], strict=True):
        pattern += VALUES[kind] + escaped(piece)
    return pattern


def _made() -> Iterator[tuple[str, str, str]]:
    """Make texts: fixed, as an expression, and a fixed piece of that."""
    generator = random.Random(311)
    seen = set()
    while True:
        component, trouble, thing = map(generator.choice, (COMPONENTS, TROUBLES, OBJECTS))
        head = f"{component} {trouble} {thing}"
        if head not in seen:
            seen.add(head)
            yield f"{head} of its owner", f"{head} (number|slot) [0-9]+", head


def _regex_wording(regex: str, literal: str) -> dict[str, Any]:
    return {
        "text": regex,
        "since": None,
        "until": None,
        "regex": regex,
        "literal": literal,
        "types": {},
    }


def _entry(row: str, number: int, texts: list[Any]) -> str:
    """Make an entry of texts; *row* lends what every entry has."""
    rule = json.loads(row.split("\t")[2])
    name = f"made-{number:04}"
    signs = {}
    for index, text in enumerate(texts):
        signs[f"said{index}"] = {
            "kind": "log",
            "log": [text],
            "capture": [],
            "at": "inside",
            "source": None,
            "under": None,
            "onset": "printed",
        }
    signature = {"name": None, "strength": "weak", "any": [], "none": []}
    rule.update(
        id=name,
        aliases=[],
        against=[],
        rules_out=[],
        leads_to=[],
        refines=[],
        refined_by=[],
        confused_with=[],
        kind="failure",
        recovers="progress",
        signs=signs,
        signatures=[{**signature, "all": [sign]} for sign in signs],
    )
    keys = [
        "log " + (compile_text(text).literal if isinstance(text, str) else text["literal"])
        for text in texts
    ]
    return f"{name}\t{json.dumps(keys)}\t{json.dumps(rule)}"


def _without_slow(row: str) -> str:
    name, keys, rule = row.split("\t")
    kept = [
        key
        for key in json.loads(keys)
        if not key.startswith("log ") or kept_letters(key[4:]) >= FAST_LETTERS
    ]
    return f"{name}\t{json.dumps(kept)}\t{rule}"
