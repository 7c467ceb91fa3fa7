"""Prefixes peeled from lines. A piece of text enters; what its prefixes said leaves."""

import re
from typing import Dict, FrozenSet, Iterable, List, Optional, Sequence, Set, Tuple

from checker.lazy_patterns import lazy_pattern
from checker.scan.free_prefix import FreePrefix, free_prefix_in
from checker.scan.gate import template_of
from checker.scan.metrics import read_metrics
from checker.scan.prefix_readings import LEVEL_PATTERN, LEVELS, Peeled
from checker.scan.prefixes import PATTERNS, RECOGNIZERS
from checker.scan.recognizer import Recognizer
from checker.scan.text import KEPT_TEXT, line_pieces

_MOST_PREFIXES = 12
# No prefix is longer; a line of megabytes is not searched for one.
_LONGEST_PREFIX = 320
_MOST_BEGINNINGS = 4096
_RANK_TAGS = ("[rank", "[default")
# Heads that tell their level: what looks like one behind them is of the message.
_WHOLE_HEADS = ("glog", "c10d", "deepspeed", "basic", "vllm", "level-first", "clock", "nccl")
_RECORDS = ("json", "kernel-json")
# Shapes that are taken for prefixes where a few lines have them, however many do not.
_PLAIN_ENOUGH = ("role", "quote")
# The labels of launched tasks, and so many lines with one of them show that it is a counter.
_TASKS = ("mpich", "srun")
_TELL_TASKS = (*_TASKS, "mpi")
_FEWEST_COUNTED = 4
# So deep can shapes that count only where they recur stand in each other.
_MOST_LEARNT = 4
# So many lines of one record are read.
_MOST_ENCLOSED = 4096
_LEVEL_FIRST = lazy_pattern(
    r"(?:[-|:] ?)?\[?"
    + LEVEL_PATTERN
    + r"\]?(?: ?[-|:] ?|( +|$))((?:[\w.]+)(?::\d+)?(?: - |: ?\|| \| ))?"
)
_NAME_FIRST = lazy_pattern(
    r"\[?([\w./<>-]{1,80})(?::[\w<>]+)?(?::\d+)?(?:\](?=\[)| ?(?:[-|:] ?| ))\[?"
    + LEVEL_PATTERN
    + r"\]?(?: ?[-|:] ?| )"
)
_LEVEL_STARTS = "[" + "".join({level[0] for level in LEVELS})
_LEVEL_ONLY = lazy_pattern(r"\[?" + LEVEL_PATTERN + r"\]?(?=:| - |\])")
_NAMED_RANK = lazy_pattern(
    r"(?:[\w.]{1,40} )?[\[(]?[Rr](?:ank|ANK)[ _=:]?(\d{1,7})(?:/\d+)?[\])]?:? "
)

# Shapes that tell the source of a line without any prefix.
_SOURCES: Tuple[Tuple[str, Tuple[str, ...]], ...] = (
    (
        "scheduler",
        (
            "slurmstepd",
            "srun: ",
            "salloc: ",
            "sbatch: ",
            "=>> PBS:",
            "TERM_",
            "slurmctld",
        ),
    ),
    (
        "launcher",
        ("mpirun noticed", "Primary job  terminated", "prterun noticed", "Root Cause (first"),
    ),
    (
        "kernel",
        (
            "NVRM: ",
            "Out of memory: Killed process",
            "Memory cgroup out of memory",
            "oom-kill:constraint",
            "nfs: server",
            "watchdog: BUG",
            "EXT4-fs error",
            "nvidia-nvswitch",
            "pcieport ",
            "mlx5_core ",
            "misc dxg: ",
        ),
    ),
)


# Their beginnings alone could be anybody's.
_KERNEL_SENTENCES = (
    ("Killed process ", "total-vm:"),
    ("INFO: task ", " blocked for more than "),
)


class Peeler:
    """Peels the lines of one file, whose recurring shapes are known from a sample."""

    def __init__(self, sample: Iterable[str]) -> None:
        """Learn from the sample which ambiguous shapes recur."""
        self._by_start: Dict[str, List[Recognizer]] = {}
        self._accepted: FrozenSet[str] = frozenset()
        self._counters: FrozenSet[str] = frozenset()
        """Shapes of tasks whose numbers only rise: they are the program's own."""
        self._met: Set[str] = set()
        """Shapes of the line at hand that would be prefixes if they recurred."""
        self._learning = True
        self._free: Optional[FreePrefix] = None
        self._ranked = False
        self._gaps: Dict[str, int] = {}
        """The fewest blanks behind each level's word in the sample."""
        self.prefixed = False
        """Whether at least every second line of the sample has a prefix."""
        self.encloses = False
        """Whether lines stand in JSON records."""
        self._learn(list(sample))

    def peel(self, shown: str) -> Peeled:
        """Peel one piece of a line; of several lines that it holds, the last is taken."""
        return self.lines(shown)[-1]

    def lines(self, shown: str) -> List[Peeled]:
        """Peel one piece of a line, and every line that a record in it holds."""
        lines = self._opened(Peeled(shown), _MOST_PREFIXES)
        for peeled in lines:
            self._read_inner(peeled)
        return lines

    def _opened(self, peeled: Peeled, most: int) -> List[Peeled]:
        """Peel prefixes, and go on in each line of what they enclosed."""
        for left in range(most, 0, -1):
            if not self._peel_one(peeled):
                break
            if peeled.names[-1] in _RECORDS:
                enclosed = [peeled.with_text(text) for text in _lines_of(peeled.text)]
                return [line for one in enclosed for line in self._opened(one, left - 1)]
        return [peeled]

    def _read_inner(self, peeled: Peeled) -> None:
        """Read what stands before a message without being an envelope."""
        if self._is_of_kernel(peeled):
            return
        self._read_logging(peeled)
        # A program may log what its ranks print, with the tags of these behind its own head.
        while peeled.text.startswith(_RANK_TAGS) and self._peel_one(peeled):
            pass
        if self._ranked and peeled.rank is None:
            self._read_named_rank(peeled)
        if not self._is_of_kernel(peeled) and peeled.source is None:
            peeled.source = _source_of_shape(peeled.text)

    def _is_of_kernel(self, peeled: Peeled) -> bool:
        """Tell whether the kernel wrote a message: `INFO: ` before it is the kernel's own word."""
        if peeled.source is None and _source_of_shape(peeled.text) == "kernel":
            peeled.source = "kernel"
            if peeled.text.startswith("kernel: "):
                peeled.text = peeled.text[len("kernel: ") :]
        return peeled.source == "kernel"

    def _peel_one(self, peeled: Peeled) -> bool:
        text = peeled.text
        if not text:
            return False
        head = text[:_LONGEST_PREFIX]
        for recognizer in self._of_start(text[:2]):
            if recognizer.mark not in head or not self._may_stand(recognizer, peeled):
                continue
            found = PATTERNS[recognizer.name].match(head)
            if found is None:
                continue
            if recognizer.recurring and recognizer.name not in self._accepted:
                self._met.add(recognizer.name)
                continue
            before = peeled.text
            if recognizer.read(peeled, found) is False:
                continue
            if peeled.text is before:
                peeled.text = text[found.end() :]
            peeled.names.append(recognizer.name)
            return True
        if self._free is None or not self._free.read(peeled):
            return False
        peeled.names.append("free")
        return True

    def _may_stand(self, recognizer: Recognizer, peeled: Peeled) -> bool:
        """Tell whether the prefix is known, or is to be, and can stand behind those peeled."""
        if recognizer.recurring and not self._learning and recognizer.name not in self._accepted:
            return False
        # No host stands behind a rank.
        return recognizer.name != "pdsh" or peeled.source != "rank"

    def _of_start(self, start: str) -> List[Recognizer]:
        known = self._by_start.get(start)
        if known is None:
            first, second = start[0], start[1:]
            known = [
                recognizer
                for recognizer in RECOGNIZERS
                if first in recognizer.starts and (not recognizer.next or second in recognizer.next)
            ]
            if len(self._by_start) > _MOST_BEGINNINGS:
                self._by_start.clear()
            self._by_start[start] = known
        return known

    def _learn(self, sample: List[str]) -> None:
        """Learn from outside in, since one recurring shape may stand behind another."""
        shapes = _by_shape(sample)
        self._learn_all(shapes, len(sample))
        self._counters = frozenset(filter(lambda name: self._counts(name, sample), _TASKS))
        if self._counters:
            self._accepted = frozenset()
            self._learn_all(shapes, len(sample))
        self._learning = False
        self._free = self._free_prefix(sample)

    def _learn_all(self, shapes: Sequence[Tuple[str, int]], size: int) -> None:
        for _ in range(_MOST_LEARNT):
            accepted = self._accepted
            self._learn_once(shapes, size)
            if self._accepted == accepted:
                break

    def _counts(self, name: str, sample: Sequence[str]) -> bool:
        """Tell whether the numbers in a shape of tasks only rise, as a program's steps do.

        Tasks of which each wrote one line rise from 0 on, but do not write values.
        """
        if name not in self._accepted:
            return False
        labeled = [peeled for peeled in map(self.peel, sample) if name in peeled.names]
        if any(other != name and other in _TELL_TASKS for one in labeled for other in one.names):
            return False
        numbers = [peeled.task or 0 for peeled in labeled]
        if len(numbers) < _FEWEST_COUNTED or any(a >= b for a, b in zip(numbers, numbers[1:])):
            return False
        from_zero = numbers == list(range(len(numbers)))
        return not from_zero or read_metrics(labeled[-1].text) is not None

    def _free_prefix(self, sample: Sequence[str]) -> Optional[FreePrefix]:
        """Look for a prefix in a form of one's own, where no other stands before most lines."""
        if self.prefixed:
            return None
        texts = [shown for shown in sample if shown.strip()]
        return free_prefix_in(texts, lambda: any(map(self._is_of_launcher, texts)))

    def _is_of_launcher(self, shown: str) -> bool:
        return self.peel(shown).source == "launcher"

    def _learn_once(self, shapes: Sequence[Tuple[str, int]], size: int) -> None:
        counts: Dict[str, int] = {}
        ranked = prefixed = enclosed = 0
        for shown, times in shapes:
            self._met.clear()
            peeled = self.peel(shown)
            prefixed += times * bool(peeled.names)
            enclosed += times * any(name in _RECORDS for name in peeled.names)
            ranked += times * (_named_rank_in(peeled.text) is not None)
            for name in self._met:
                counts[name] = counts.get(name, 0) + times
        most = max(3, size // 3)
        self._accepted |= {
            name
            for name, count in counts.items()
            if count >= (3 if name in _PLAIN_ENOUGH else most) and name not in self._counters
        }
        self._ranked = self._ranked or ranked >= 3
        self.prefixed = 0 < size <= 2 * prefixed
        self.encloses = enclosed > 0

    def _read_named_rank(self, peeled: Peeled) -> None:
        found = _named_rank_in(peeled.text)
        if found and peeled.source in (None, "rank"):
            peeled.rank = int(found.group(1))
            peeled.source = "rank"
            peeled.text = peeled.text[found.end() :]

    def _read_logging(self, peeled: Peeled) -> None:
        """Take level and logger name off, where a time stood before them."""
        text, head = peeled.text, peeled.text[:_LONGEST_PREFIX]
        if not text or (peeled.names and peeled.names[-1] in _WHOLE_HEADS):
            return
        if peeled.moment is None:
            found = _LEVEL_ONLY.match(head) if head[0] in _LEVEL_STARTS else None
            if found:
                peeled.level = LEVELS[found.group(1)]
            return
        found = _LEVEL_FIRST.match(head)
        if found:
            peeled.level = LEVELS[found.group(1)]
            peeled.text = text[self._end_of_level(found) :]
            return
        found = _NAME_FIRST.match(head)
        if found:
            peeled.level = LEVELS[found.group(2)]
            peeled.text = text[found.end() :]

    def _end_of_level(self, found: "re.Match[str]") -> int:
        """Tell where a message begins behind its level; its own indentation stays."""
        word, blanks, name = found.groups()
        if not blanks or name:
            return found.end()
        gap = len(blanks)
        if self._learning:
            self._gaps[word] = min(gap, self._gaps.get(word, gap))
        elif self._gaps:
            shortest = min(self._gaps, key=lambda known: (len(known), known))
            # Words of levels are filled up to one column, or none is.
            filled = self._gaps[shortest] > 1
            column = len(shortest) + self._gaps[shortest] if filled else 0
            gap = min(gap, max(1, column - len(word)))
        return found.start(2) + gap


def _lines_of(text: str) -> List[str]:
    """Cut what a record holds into lines, and those into what a person would have seen."""
    rows = text[:KEPT_TEXT].rstrip("\r\n").split("\n")[:_MOST_ENCLOSED]
    return [piece for row in rows for piece in line_pieces(row.encode("utf-8", "replace"))]


def _by_shape(sample: List[str]) -> List[Tuple[str, int]]:
    """Take one line for all that differ only in what templates drop, and count them."""
    first: Dict[bytes, str] = {}
    times: Dict[bytes, int] = {}
    for shown in sample:
        shape = template_of(shown.encode("utf-8", "replace"))
        first.setdefault(shape, shown)
        times[shape] = times.get(shape, 0) + 1
    return [(first[shape], times[shape]) for shape in first]


def _named_rank_in(text: str) -> "Optional[re.Match[str]]":
    head = text[:_LONGEST_PREFIX]
    return _NAMED_RANK.match(head) if "ank" in head or "ANK" in head else None


def _source_of_shape(text: str) -> Optional[str]:
    if text.startswith("kernel: ") and _source_of_shape(text[len("kernel: ") :]) == "kernel":
        return "kernel"
    # What the kernel's log wraps stands below blanks, without a time of its own.
    bare = text.lstrip() if text[:1] == " " else text
    for source, starts in _SOURCES:
        if (bare if source == "kernel" else text).startswith(starts):
            return source
    if any(bare.startswith(start) and rest in bare for start, rest in _KERNEL_SENTENCES):
        return "kernel"
    return None
