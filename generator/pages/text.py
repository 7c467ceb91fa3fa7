"""Text of an entry, made safe to stand in Markdown.

What an entry says is text, never markup of ours. Two kinds of text exist:

- *prose*, the fields of the front matter: one paragraph, in which only code spans and links to
  https addresses, to other entries (`other-id.md`) and to questions of the page (`#fix`) are
  markup;
- the *body*: Markdown with lists, tables, emphasis, fenced code and the same links, but without
  HTML, images, link definitions and attributes.

Everything else shows as it was typed. Whatever could open HTML or an attribute leaves here as a
character reference, so that no parser can read it another way.
"""

import re
from collections.abc import Iterator
from functools import cache
from urllib.parse import quote

_TARGET = r"https://(?:[^\s()<>\"]|\([^\s()<>\"]*\))+|[a-z0-9-]+\.md(?:#[a-z0-9-]+)?|#[a-z0-9-]+"
_TOKEN = re.compile(
    r"(?<![`\\])(?P<ticks>`+)(?!`)(?P<code>(?:(?!\n[ ]*\n).)+?)(?<!`)(?P=ticks)(?!`)"
    rf"|\[(?P<text>[^\[\]]*)\]\((?P<target>{_TARGET})\)",
    re.DOTALL,
)
_FENCE = re.compile(
    r"^(?P<indent>[ ]*)(?P<fence>`{3,}(?=[^`]*$)|~{3,})[ ]*(?P<language>[A-Za-z0-9_+-]*)"
)
_HIGH_HEADING = re.compile(r"^#{1,2}(?=[ ])")
_PLAIN_CODE = re.compile(r"[^`|<>&\\{}\[\]*_!]+|[\w. /:=-]+")
# What can be markup inside a line, in any of the site's Markdown extensions.
_MARKUP = re.compile(r"[&<>`*_\[\](){}|\\!#~^=$\"':]")
# Control characters, and those that hide or turn the text around them.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def visible(text: str) -> str:
    """Name the characters that cannot be seen or that would turn the text around them."""
    return _UNSEEN.sub(lambda found: f"<U+{ord(found.group()):04X}>", text)


def escape(text: str) -> str:
    """Write *text* so that Markdown shows it as it is, on one line."""
    return _escape_start(inline(" ".join(text.split())))


def inline(text: str) -> str:
    """Write *text* so that Markdown shows it as it is within a line that has begun."""
    # An exclamation mark at the end would make an image of a link that follows.
    text = re.sub(r"[&<>`*\[\]{}|\\$\"]|!$", _reference, visible(text))
    # Between letters an underscore is no emphasis, and names stay legible.
    return re.sub(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", _reference, text)


def _escape_start(text: str) -> str:
    """Take from the first characters the power to begin a list, a heading or another block."""
    return re.sub(r"^([-+#!?:=~]|\d+(?=[.)]))", _references, text)


def _reference(found: "re.Match[str]") -> str:
    return f"&#{ord(found.group())};"


def _references(found: "re.Match[str]") -> str:
    return "".join(f"&#{ord(character)};" for character in found.group())


def code(text: str) -> str:
    """Write *text* as a code span."""
    text = " ".join(visible(text).split())
    if _PLAIN_CODE.fullmatch(text):
        return f"`{text}`"
    return f"<code>{_MARKUP.sub(_reference, text)}</code>"


def link(text: str, target: str) -> str:
    """Write a link; *text* is Markdown already."""
    return f"[{text}]({quote(target, safe=':/?#@!$&+,;=%~.-_')})"


@cache
def prose(text: str, *, links: bool = True) -> str:
    """Write a field's text: code spans and links are markup; without *links* only their text."""
    text = " ".join(text.split())
    parts: list[str] = []
    end = 0
    for found in _TOKEN.finditer(text):
        parts.extend((inline(text[end : found.start()]), _token(found, links)))
        end = found.end()
    return _escape_start("".join(parts) + inline(text[end:]))


def plain(text: str) -> str:
    """Return a field's text without its markup, for titles and descriptions."""
    text = visible(" ".join(text.split()))
    return _TOKEN.sub(lambda found: (found["code"] or plain(found["text"])).strip(), text)


def _token(found: "re.Match[str]", links: bool) -> str:
    if found["code"] is not None:
        return code(found["code"])
    text = prose(found["text"], links=False)
    return link(text, found["target"]) if links and text else text


def body(text: str) -> str:
    """Write a section of an entry's body: its Markdown, without what could carry HTML."""
    return "\n".join(_body_blocks(text.strip("\n").split("\n"))).strip("\n")


def _body_blocks(lines: list[str]) -> Iterator[str]:
    """Yield fenced code written anew, and the text between the fences."""
    waiting: list[str] = []
    at = 0
    while at < len(lines):
        opening = _FENCE.match(lines[at])
        if opening is None:
            # The page itself has the two highest headings.
            waiting.append(_HIGH_HEADING.sub("###", lines[at]))
            at += 1
            continue
        yield _body_text("\n".join(waiting))
        waiting = []
        end = _fence_end(lines, at + 1, opening["fence"])
        margin = len(opening["indent"])
        content = "\n".join(_without_margin(line, margin) for line in lines[at + 1 : end])
        yield indent(fenced(content, opening["language"]), margin)
        at = end + 1
    yield _body_text("\n".join(waiting))


def _fence_end(lines: list[str], start: int, fence: str) -> int:
    """Find the line that closes the fence, or the end of the text."""
    for at in range(start, len(lines)):
        closing = lines[at].strip()
        if len(closing) >= len(fence) and not closing.strip(fence[0]):
            return at
    return len(lines)


def _without_margin(line: str, margin: int) -> str:
    return line[min(margin, len(line) - len(line.lstrip(" "))) :]


def _body_text(text: str) -> str:
    parts: list[str] = []
    end = 0
    for found in _TOKEN.finditer(text):
        parts.extend((_disarm(text[end : found.start()]), _token(found, links=True)))
        end = found.end()
    return "".join(parts) + _disarm(text[end:])


def _disarm(text: str) -> str:
    """Keep the Markdown of a text, save what opens HTML, attributes, links and code."""
    return re.sub(r"[&<{`\[]|!$", _reference, visible(text))


def fenced(text: str, language: str = "text", title: str = "") -> str:
    """Write a code block; its fence is longer than any run of its kind in the text."""
    text = visible(text.strip("\n"))
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    name = f' title="{re.sub(r"[^A-Za-z0-9_ ./:+,-]", "_", title)}"' if title else ""
    return f"{fence}{language or 'text'}{name}\n{text}\n{fence}"


def indent(block: str, by: int = 4) -> str:
    """Move a block to the right; empty lines stay empty."""
    return "\n".join(" " * by + line if line else line for line in block.split("\n"))
