"""A draft of an entry: what failed first and no entry explains enters, a Markdown file leaves.

What the logs tell is filled in, without what is only of this run. What they do not tell is marked
with TODO; lint names every such place. Words of a closed list are guesses, marked in a comment.
"""

import re
from typing import Dict, Iterable, List, Set, Tuple

from checker.diagnose.first_failure import FirstFailure
from checker.diagnose.usercode import (
    class_name,
    exception_text,
    is_user_frame,
    known_frames,
)
from checker.identity import NAME, VERSION
from checker.match.signs_machine import VERSION_FACT
from checker.model import Frame, Observations, Raised
from checker.report.neutral import fixed_length, neutral_path, neutral_text, proposed_wording
from checker.report.private import Names, private_names
from checker.report.redact import count_private, counts_sentence
from checker.report.terminal import visible

_FEWEST_FIXED = 20
_FIRST_FRAMES, _LAST_FRAMES = 1, 5
_MOST_MESSAGE_LINES = 6
_LINE_COLUMNS = 400
_CUT = " ..."
_TITLE_COLUMNS = 60
_LINE_LOOKED_AT = 8192
_FRAMEWORKS = {"torch": "pytorch"}


def draft_entry(
    first: FirstFailure, seen: Observations, today: str, tell_masked: bool = False
) -> str:
    """Write the draft; *today* is the day that it is dated.

    Nothing private is in it; *tell_masked* tells what was left out.
    """
    names = names_of_failure(first, seen)
    signs = _proposed_signs(first, names)
    lines = [
        "---",
        "# Drafted by {} {}. Save it as entries/ID.md, ID naming the mechanism.".format(
            NAME, VERSION
        ),
        "# Read the example again before you send it: only you know what in it is private.",
        *(["# " + _masked_in(first, names)] if tell_masked else []),
        "title: " + _yaml_text("TODO: name the mechanism" + _headline(first, names)),
        "category: crash  # TODO: a guess; 'trainwreck-dev new --help' lists the words",
        "phase: {}  # TODO: a guess".format(_phase_guess(seen)),
        "layer: {}  # TODO: a guess; where the cause lies".format(_layer_guess(first)),
        "frameworks: [{}]  # TODO: as far as the frames tell".format(
            ", ".join(_frameworks_of(first))
        ),
        "status: draft",
        "created: " + today,
        "updated: " + today,
        "kind: failure  # TODO: or symptom, stop, benign",
        "effect: dies  # TODO: or hangs, slows, wrong, damages",
        "",
        "summary:",
        "  symptom: " + _yaml_text("TODO: what a person sees, in one sentence."),
        "  cause: " + _yaml_text("TODO: why it happens, in one sentence."),
        "  fix: " + _yaml_text("TODO: what to do, in one sentence."),
        "",
        *_affects_lines(first, seen),
        "symptoms:",
        "  - sees: " + _yaml_text(_sees_text(first)),
        "    because: " + _yaml_text("TODO: why the mechanism shows so."),
        "",
        "confirm:",
        "  - check: " + _yaml_text("TODO: the cheapest way to be sure."),
        "    yes: " + _yaml_text("TODO: what it shows if it is this failure."),
        "    no: " + _yaml_text("TODO: what it shows if it is not."),
        "",
        "detect:",
        "  signs:",
        *["    {}: {}".format(name, text) for name, text in signs],
        "  signatures:  # TODO: strong, or decisive, if little or nothing else says so",
        *["    - {{weak: [{}]}}".format(name) for name, _ in signs],
        "",
        "fix:",
        "  now: [{}]".format(_yaml_text("TODO: the steps that end it now.")),
        "  why: " + _yaml_text("TODO: why these steps remove the cause."),
        "",
        "resume:",
        "  safe: check  # TODO: yes, check or no",
        "  why: " + _yaml_text("TODO: whether the last checkpoint is complete."),
        "",
        "references:",
        "  - url: https://example.org/  # TODO: a source",
        "    title: " + _yaml_text("TODO: its title"),
        "    supports: [cause, fix]",
        "    says: " + _yaml_text("TODO: what it says about this failure."),
        "",
        "examples:",
        "  diagnosed:",
        "    - name: " + _yaml_text("TODO: what the example shows"),
        "      origin: captured",
        *_example_lines(first, names),
        "      expect: {confidence: possible}  # TODO: as sure as your signatures make it",
        "  not_diagnosed: []  # TODO: a log that looks alike and is something else",
        "",
        "proof:",
        "  level: reported",
        "  by: " + _yaml_text("TODO: the program, the source or the report that proves it."),
        "  verified: " + today,
        "---",
        "",
        "## What it looks like in production",
        "",
        "TODO: what the person on call sees, in which order, on which ranks.",
        "",
        "## Why it happens",
        "",
        "TODO: the mechanism, step by step, from what starts it to what the log says.",
    ]
    return "\n".join(lines) + "\n"


def names_of_failure(first: FirstFailure, seen: Observations) -> Names:
    """Collect the hosts that the logs name, and the users that the failure names."""
    hosts = [ended.host for ended in seen.exits] + [state.host for state in seen.ranks]
    return private_names(_all_texts(first), {*seen.hosts, *filter(None, hosts)}, ())


def _masked_in(first: FirstFailure, names: Names) -> str:
    return counts_sentence(count_private(_all_texts(first), names))


def _all_texts(first: FirstFailure) -> Iterable[str]:
    for line in first.lines:
        yield line.text
    if first.block is not None:
        for part in first.block.parts:
            yield part.message
            for frame in part.frames:
                yield frame.path


def _headline(first: FirstFailure, names: Names) -> str:
    if first.block is not None:
        text = exception_text(first.block.parts[0])
    elif first.lines:
        text = first.lines[0].text.strip()
    else:
        return ""
    text = visible(_neutral_start(text, names))
    return "; the log says " + _whole_words(text).rstrip(" .:;!")


def _whole_words(text: str) -> str:
    """Shorten a text between two words, where it has blanks."""
    cut = text[:_TITLE_COLUMNS]
    return cut if len(text) <= _TITLE_COLUMNS else cut.rpartition(" ")[0] or cut


def _phase_guess(seen: Observations) -> str:
    return "training" if any(sample.step for sample in seen.samples) else "launch"


def _layer_guess(first: FirstFailure) -> str:
    frames = known_frames(first.block, first.block.parts[0]) if first.block else ()
    return "user-code" if frames and is_user_frame(frames[-1], frozenset()) else "framework"


def _frameworks_of(first: FirstFailure) -> List[str]:
    names = _packages_of(first.block.parts[0]) if first.block else []
    return sorted({_FRAMEWORKS.get(name, name) for name in names}) or ["pytorch"]


def _packages_of(raised: Raised) -> List[str]:
    """List the installed packages that an exception went through, as an index names them."""
    found: List[str] = []
    for frame in raised.frames:
        package = re.search(r"/(?:site|dist)-packages/([A-Za-z0-9_]{1,60})", frame.path)
        if package:
            found.append(package.group(1).lower().strip("_").replace("_", "-"))
    return [name for name in found if re.match(r"[a-z0-9]+(-[a-z0-9]+)*$", name)]


def _affects_lines(first: FirstFailure, seen: Observations) -> List[str]:
    """Name the packages whose versions are told, and the one that raised if its own is not."""
    told: Dict[str, Set[str]] = {}
    for name in _packages_of(first.block.parts[0])[-1:] if first.block else ():
        told[name] = set()
    for fact in seen.facts:
        if fact.name.startswith(VERSION_FACT) and fact.unknown is None:
            told.setdefault(fact.name[len(VERSION_FACT) :], set()).add(str(fact.value))
    lines = ["affects:"] if told else []
    for package, versions in sorted(told.items()):
        note = "Seen with {}. ".format(", ".join(sorted(versions))) if versions else ""
        note += "TODO: which versions have it."
        lines += ["  - package: " + _yaml_text(package), "    note: " + _yaml_text(note)]
    return [*lines, ""] if lines else []


def _sees_text(first: FirstFailure) -> str:
    where = "" if first.rank is None else "On rank {} in this run. ".format(first.rank)
    return where + "TODO: what each rank shows, and what it does not show."


def _proposed_signs(first: FirstFailure, names: Names) -> List[Tuple[str, str]]:
    signs: List[Tuple[str, str]] = []
    if first.block is not None:
        signs.append(("raised", _traceback_sign(first.block.parts[0], names)))
    wordings: List[str] = []
    for line in first.lines:
        wording = proposed_wording(visible(line.text[:_LINE_LOOKED_AT]), names)
        if wording and wording not in wordings:
            wordings.append(wording)
            short = fixed_length(wording) < _FEWEST_FIXED
            text = "{{log: {}{}}}".format(_yaml_text(wording), ", at: start" if short else "")
            signs.append(("line_{}".format(len(wordings)), text))
    if first.ended is not None and first.ended.signal is not None:
        signs.append(("ended", "{{exit: {{signal: {}}}}}".format(first.ended.signal)))
    return signs or [("line_1", "{log: " + _yaml_text("TODO: the words that it prints") + "}")]


def _traceback_sign(raised: Raised, names: Names) -> str:
    package = raised.type.partition(".")[0].lower().replace("_", "-")
    # Two libraries may name a class alike; the module of a person's own code is of this run alone.
    exact = package in _packages_of(raised)
    parts = ["traceback: " + _yaml_text(raised.type if exact else class_name(raised))]
    said = [line for line in raised.message.split("\n") if line.strip()]
    wording = proposed_wording(visible(said[0][:_LINE_LOOKED_AT]), names) if said else ""
    if wording:
        parts.append("message: " + _yaml_text(wording))
    elif raised.frames and not is_user_frame(raised.frames[-1], frozenset()):
        frame = raised.frames[-1]
        parts.append("frame: " + _yaml_text(_path_end(frame.path)))
        if frame.function.isidentifier():
            parts.append("function: " + _yaml_text(frame.function))
    return "{" + ", ".join(parts) + "}"


def _path_end(path: str) -> str:
    """Keep the folders below site-packages, else the file."""
    plain = path.replace("\\", "/")
    for folder in ("/site-packages/", "/dist-packages/"):
        if folder in plain:
            return plain.rpartition(folder)[2]
    return plain.rpartition("/")[2]


def _example_lines(first: FirstFailure, names: Names) -> List[str]:
    prefix = "" if first.rank is None else "[rank{}]: ".format(first.rank)
    head = first.block.line.number if first.block is not None else 0
    told = [(line.number < head, _neutral_start(line.text.strip(), names)) for line in first.lines]
    texts = [text for above, text in told if above]
    if first.block is not None:
        texts += _block_texts(first.block.parts[0], names)
    texts += [text for above, text in told if not above]
    if first.ended is not None and not texts:
        texts = [_neutral_start(first.ended.line.text.strip(), names)]
        prefix = ""
    shown = [visible(prefix + text).rstrip() for text in texts] or ["TODO: the lines of a log"]
    return ["      log: |", *["        " + text for text in shown]]


def _block_texts(raised: Raised, names: Names) -> List[str]:
    texts = ["Traceback (most recent call last):"]
    frames = raised.frames
    if len(frames) > _FIRST_FRAMES + _LAST_FRAMES:
        frames = frames[:_FIRST_FRAMES] + frames[-_LAST_FRAMES:]
    for frame in frames:
        texts += _frame_texts(frame, names)
    said = raised.message.split("\n")[:_MOST_MESSAGE_LINES]
    text = raised.type + (": " + said[0] if said[0] else "")
    return texts + [_neutral_start(line, names) for line in (text, *said[1:])]


def _frame_texts(frame: Frame, names: Names) -> List[str]:
    where = '  File "{}", line {}, in {}'.format(
        neutral_path(frame.path), frame.line or 0, frame.function or "<module>"
    )
    code = _neutral_start(frame.code.strip(), names)
    return [where] + (["    " + code] if code else [])


def _neutral_start(text: str, names: Names) -> str:
    """Write the beginning of a text; half of a secret has no longer its form."""
    neutral = neutral_text(text[:_LINE_LOOKED_AT], names)
    return neutral if len(neutral) <= _LINE_COLUMNS else neutral[:_LINE_COLUMNS] + _CUT


def _yaml_text(text: str) -> str:
    """Quote a text for YAML."""
    return '"{}"'.format("".join(_yaml_character(character) for character in text))


def _yaml_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    code = ord(character)
    if 0x20 <= code < 0x7F:
        return character
    return "\\u{:04x}".format(code) if code < 0x10000 else "\\U{:08x}".format(code)
