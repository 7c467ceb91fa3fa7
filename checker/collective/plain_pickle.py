"""A reader of pickles that hold plain data: bytes enter; dicts, lists and scalars leave.

It is no unpickler. It knows the few opcodes that build containers and scalars, and has no way
to find a class, call anything, or set an attribute: another opcode ends it. An unpickler that finds
no class is faster, but nothing bounds the room that it takes: a few bytes make Python's reserve
gigabytes for what it keeps, and 16 MB of empty lists fill one.
"""

import struct
from typing import Any, Callable, Dict, FrozenSet, List, Tuple

# What a dump of two thousand records with their stacks takes several times over.
MOST_BYTES = 16777216
MOST_CONTAINERS = 300000
_MOST_OPCODES = 4000000
_MOST_MARKS = 32
_MOST_KEPT = 400000
_LONGEST_NUMBER = 16
_STOP_CODE = ord(".")


class NotPlainError(Exception):
    """The pickle holds more than plain data, or is damaged."""


class _PickleStack:
    """The stack, the marks in it, and what was kept to be used again."""

    def __init__(self, data: bytes, unwanted: FrozenSet[str]) -> None:
        self.data = data
        self.at = 0
        self.stack: List[Any] = []
        self.marks: List[int] = []
        self.kept: Dict[int, Any] = {}
        self.unwanted = unwanted
        self.containers = 0

    def take(self, count: int) -> bytes:
        """Take bytes from the stream."""
        end = self.at + count
        if count < 0 or end > len(self.data):
            raise NotPlainError("cut")
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def number(self, size: int) -> int:
        """Take a number of so many bytes."""
        end = self.at + size
        if end > len(self.data):
            raise NotPlainError("cut")
        value = int.from_bytes(self.data[self.at : end], "little")
        self.at = end
        return value

    def begin(self, container: Any) -> None:
        """Push a new list or dict."""
        self.containers += 1
        if self.containers > MOST_CONTAINERS:
            raise NotPlainError("too large")
        self.stack.append(container)

    def pop(self) -> Any:
        """Take the top of the stack, never what stands below a mark."""
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            raise NotPlainError("damaged")
        return self.stack.pop()

    def above_mark(self) -> List[Any]:
        """Take all that stands above the last mark."""
        if not self.marks:
            raise NotPlainError("damaged")
        mark = self.marks.pop()
        taken = self.stack[mark:]
        del self.stack[mark:]
        return taken

    def top(self, kind: type) -> Any:
        """Look at the container on top."""
        if not self.stack or not isinstance(self.stack[-1], kind):
            raise NotPlainError("damaged")
        return self.stack[-1]

    def keep(self, key: int) -> None:
        """Keep the top of the stack for later."""
        if not self.stack or len(self.kept) >= _MOST_KEPT:
            raise NotPlainError("too large")
        self.kept[key] = self.stack[-1]

    def again(self, key: int) -> None:
        """Push what was kept."""
        if key not in self.kept:
            raise NotPlainError("damaged")
        self.stack.append(self.kept[key])


def _build_text(reading: _PickleStack, size: int) -> None:
    reading.stack.append(reading.take(reading.number(size)).decode("utf-8", "replace"))


def _signed(data: bytes) -> int:
    return int.from_bytes(data, "little", signed=True)


def _build_long(reading: _PickleStack) -> None:
    size = reading.number(1)
    if size > _LONGEST_NUMBER:
        raise NotPlainError("too large")
    reading.stack.append(_signed(reading.take(size)))


def _set_mark(reading: _PickleStack) -> None:
    if len(reading.marks) >= _MOST_MARKS:
        raise NotPlainError("nested too deeply")
    reading.marks.append(len(reading.stack))


def _build_tuple_of(reading: _PickleStack, count: int) -> None:
    items = [reading.pop() for _ in range(count)]
    reading.stack.append(tuple(reversed(items)))


def _build_append(reading: _PickleStack) -> None:
    item = reading.pop()
    reading.top(list).append(item)


def _build_appends(reading: _PickleStack) -> None:
    items = reading.above_mark()
    reading.top(list).extend(items)


def _build_set_items(reading: _PickleStack, pairs: List[Any]) -> None:
    into = reading.top(dict)
    if len(pairs) % 2:
        raise NotPlainError("damaged")
    for key, value in zip(pairs[::2], pairs[1::2]):
        if not isinstance(key, (str, int)):
            raise NotPlainError("a key that is no text")
        if key not in reading.unwanted:
            into[key] = value


def _build_set_item(reading: _PickleStack) -> None:
    value = reading.pop()
    _build_set_items(reading, [reading.pop(), value])


def _opcodes() -> Dict[int, Callable[[_PickleStack], None]]:
    """List all that is understood."""
    return {
        0x80: lambda reading: _say_nothing(reading.number(1)),  # PROTO
        0x95: lambda reading: _say_nothing(reading.number(8)),  # FRAME
        ord("("): _set_mark,
        ord("}"): lambda reading: reading.begin({}),
        ord("]"): lambda reading: reading.begin([]),
        ord(")"): lambda reading: reading.stack.append(()),
        ord("N"): lambda reading: reading.stack.append(None),
        0x88: lambda reading: reading.stack.append(True),
        0x89: lambda reading: reading.stack.append(False),
        ord("J"): lambda reading: reading.stack.append(_signed(reading.take(4))),
        ord("K"): lambda reading: reading.stack.append(reading.number(1)),
        ord("M"): lambda reading: reading.stack.append(reading.number(2)),
        0x8A: _build_long,
        ord("G"): lambda reading: reading.stack.append(struct.unpack(">d", reading.take(8))[0]),
        ord("X"): lambda reading: _build_text(reading, 4),
        0x8C: lambda reading: _build_text(reading, 1),
        0x85: lambda reading: _build_tuple_of(reading, 1),
        0x86: lambda reading: _build_tuple_of(reading, 2),
        0x87: lambda reading: _build_tuple_of(reading, 3),
        ord("t"): lambda reading: reading.stack.append(tuple(reading.above_mark())),
        ord("a"): _build_append,
        ord("e"): _build_appends,
        ord("s"): _build_set_item,
        ord("u"): lambda reading: _build_set_items(reading, reading.above_mark()),
        ord("q"): lambda reading: reading.keep(reading.number(1)),
        ord("r"): lambda reading: reading.keep(reading.number(4)),
        0x94: lambda reading: reading.keep(len(reading.kept)),
        ord("h"): lambda reading: reading.again(reading.number(1)),
        ord("j"): lambda reading: reading.again(reading.number(4)),
    }


def _say_nothing(_: int) -> None:
    """A version or a length that says nothing of the data."""


def _result(reading: _PickleStack) -> Any:
    if len(reading.stack) != 1 or reading.marks:
        raise NotPlainError("damaged")
    return reading.stack[0]


def read_plain_pickle(data: bytes, unwanted: Tuple[str, ...] = ()) -> Any:
    """Build what the pickle holds, without the values of unwanted keys; raises NotPlainError."""
    reading = _PickleStack(data, frozenset(unwanted))
    opcodes, size = _opcodes(), len(data)
    for _ in range(_MOST_OPCODES):
        if reading.at >= size:
            raise NotPlainError("cut")
        code = data[reading.at]
        reading.at += 1
        step = opcodes.get(code)
        if step is not None:
            step(reading)
        elif code == _STOP_CODE:
            return _result(reading)
        else:
            raise NotPlainError("it holds more than plain data")
    raise NotPlainError("too large")
