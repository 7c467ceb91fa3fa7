"""What in a text is only of this run: a printed text enters, its pieces leave.

A piece is fixed, or it has the kind of a placeholder and a neutral text: hosts, users, addresses,
absolute paths and ids are replaced, numbers stay as they are. `checker.report.private` finds them.
"""

import re
from typing import Callable, List, NamedTuple, Sequence, Tuple

from checker.report.private import Names, private_spans
from checker.wordings import PLACEHOLDERS, PatternError, compile_text

_MOST_PLACEHOLDERS = 4
_MOST_COLUMNS = 110
# A text of fewer letters would be found in too many lines.
_FEWEST_LETTERS = 4


class TextPiece(NamedTuple):
    """A part of a text."""

    text: str
    kind: str
    """The placeholder that stands for it; empty for what is always printed."""
    neutral: str


Neutral = Callable[[str], str]
_Rule = Tuple[str, str, Neutral]


def _kept(text: str) -> str:
    return text


def neutral_path(path: str) -> str:
    """Keep of a path what says whose code it is."""
    plain = path.replace("\\", "/")
    for folder in ("/site-packages/", "/dist-packages/"):
        if folder in plain:
            return "/venv/lib/python3" + folder + plain.rpartition(folder)[2]
    library = re.search(r"/lib(?:64)?/python\d[^/]{0,8}/", plain)
    if library:
        return "/usr" + plain[library.start() :]
    if plain.startswith(("/dev/", "/proc/", "/sys/")) or not re.match(r"~|/|[A-Za-z]:/", plain):
        return path
    return "/path/" + plain.rstrip("/").rpartition("/")[2]


# What is replaced whole, whatever in it is private.
_COARSE: Tuple[_Rule, ...] = (
    (r"[a-z][a-z0-9+.-]{1,20}://[^\s'\"<>,;]{1,300}", "word", lambda text: "https://example.org"),
    (r"(?<![\w.])~?/[^\s'\",;:()<>\[\]]{2,1024}(?::\d{1,10}(?!\w))?", "path", neutral_path),
    (r"(?<!\w)[A-Za-z]:\\[^\s'\",;()<>]{1,1024}", "path", neutral_path),
)
_FINE: Tuple[_Rule, ...] = (
    (r"(?<![\w:])" + PLACEHOLDERS["bus"][0] + r"(?![\w:.])", "bus", lambda text: "0000:01:00.0"),
    (
        r"(?<!\w)[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?!\w)",
        "word",
        lambda text: re.sub(r"\w", "0", text),
    ),
    (r"(?<!\w)0x[0-9a-fA-F]{1,16}(?!\w)", "word", lambda text: "0x0"),
    (
        r"(?<!\w)(?=[a-f]{0,40}\d)[0-9a-f]{12,64}(?!\w)",
        "word",
        lambda text: "0" * len(text),
    ),
    (r"(?i)(?:(?<=pid )|(?<=pid: )|(?<=pid=)|(?<=process ))\d{1,10}(?!\w)", "pid", _kept),
    (r"(?:(?<=ank )|(?<=ank: )|(?<=ank=)|(?<=\[rank))\d{1,7}(?![\w.])", "rank", _kept),
    (r"(?<![\w.-])" + PLACEHOLDERS["size"][0], "size", _kept),
    (r"(?<![\w.-])" + PLACEHOLDERS["dur"][0], "dur", _kept),
    (r"(?<!\w)\d{1,10}(?:x\d{1,10}){1,6}(?!\w)", "word", _kept),
    (r"(?<![\w.-])(?<!Errno )" + PLACEHOLDERS["n"][0] + r"(?!\w)", "n", _kept),
    # A wording holds ASCII only.
    (r"[^\s,;]{0,60}[^\x00-\x7f][^\s,;]{0,256}", "word", _kept),
)


def text_pieces(text: str, names: Names) -> List[TextPiece]:
    """Take a text apart."""
    pieces = [TextPiece(text, "", text)]
    for pattern, kind, neutral in _COARSE:
        pieces = _split_more(pieces, pattern, kind, neutral)
    hosts = sorted({key for kind, key in names.values() if kind == "host"})
    pieces = [part for piece in pieces for part in _without_private(piece, names, hosts)]
    for pattern, kind, neutral in _FINE:
        pieces = _split_more(pieces, pattern, kind, neutral)
    return pieces


def _without_private(piece: TextPiece, names: Names, hosts: Sequence[str]) -> List[TextPiece]:
    if piece.kind:
        return [piece]
    made, end = [], 0
    for start, stop, kind, key in private_spans(piece.text, names):
        fixed, private = piece.text[end:start], piece.text[start:stop]
        placeholder = "host" if kind in ("host", "address") else "word"
        made += [
            TextPiece(fixed, "", fixed),
            TextPiece(private, placeholder, _neutral_name(kind, key, hosts)),
        ]
        end = stop
    made.append(TextPiece(piece.text[end:], "", piece.text[end:]))
    return [part for part in made if part.text]


def _neutral_name(kind: str, key: str, hosts: Sequence[str]) -> str:
    if kind == "host":
        return "node{}".format(hosts.index(key) + 1) if key in hosts else "node"
    if kind == "address":
        return "::1" if ":" in key else "192.0.2.1"
    return {"mail": "user@example.org", "user": "user"}.get(kind, "SECRET")


def _split_more(
    pieces: List[TextPiece], pattern: str, kind: str, neutral: Neutral
) -> List[TextPiece]:
    found: List[TextPiece] = []
    for piece in pieces:
        if piece.kind:
            found.append(piece)
            continue
        end = 0
        # Searched in the piece alone, so that nothing is seen of what was replaced before it.
        for match in re.finditer(pattern, piece.text):
            fixed = piece.text[end : match.start()]
            found.append(TextPiece(fixed, "", fixed))
            found.append(TextPiece(match.group(), kind, neutral(match.group())))
            end = match.end()
        found.append(TextPiece(piece.text[end:], "", piece.text[end:]))
    return [piece for piece in found if piece.text]


def neutral_text(text: str, names: Names) -> str:
    """Write a text without what is only of this run."""
    return "".join(piece.neutral for piece in text_pieces(text, names))


def proposed_wording(text: str, names: Names) -> str:
    """Write the fixed part of a message with placeholders; nothing where too little is fixed."""
    written, placeholders, last = "", 0, ""
    for piece in text_pieces(text.strip(), names):
        if not piece.kind:
            written, last = written + piece.text.replace("<", "<<"), ""
        elif written.endswith("<"):
            # A bracket before a placeholder cannot be written.
            written = written.rstrip("<")
            break
        elif not last:
            if placeholders == _MOST_PLACEHOLDERS:
                break
            written, last = written + "<{}>".format(piece.kind), piece.kind
            placeholders += 1
        if len(written) > _MOST_COLUMNS:
            break
    return _sound_wording(_cut_at_blank(written))


def _cut_at_blank(text: str) -> str:
    if len(text) <= _MOST_COLUMNS:
        return text.strip()
    return text[:_MOST_COLUMNS].rpartition(" ")[0].strip() or text[:_MOST_COLUMNS].strip("<")


def _sound_wording(text: str) -> str:
    try:
        literal = compile_text(text).literal
    except PatternError:
        return ""
    return text if sum(letter.isalpha() for letter in literal) >= _FEWEST_LETTERS else ""


def fixed_length(wording: str) -> int:
    """Count the characters of a wording that are always printed."""
    return len(re.sub(r"(?<!<)<[a-z]{1,8}>", "", wording).strip())
