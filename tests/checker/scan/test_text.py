"""Of what was written to a terminal, what a person would have seen is read."""

import pytest

from checker.scan.observe import observe_texts
from checker.scan.text import line_pieces, opened_records, plain_bytes

OUTER = "Epoch:  50%|#####     | 1/2 [00:01<00:01,  1.00s/it]"
INNER = "Step:  33%|###3      | 1/3 [00:00<00:00,  9.00it/s]"
ERROR = "RuntimeError: CUDA out of memory. Tried"
UP = "\x1b[A"


@pytest.mark.parametrize(
    ("written", "pieces"),
    [
        (f"\r{INNER}{UP}\r{OUTER}", [INNER, OUTER]),
        (f"\r{INNER}{UP}{ERROR}", [INNER, ERROR]),
        (f"{INNER}{UP}{UP}{ERROR}", [INNER, ERROR]),
        (f"\x1b[2K\x1b[1A\x1b[2K{OUTER}", [OUTER]),
        (f"\x1b[1G{INNER}\x1b[G{ERROR}", [INNER, ERROR]),
        (f"\x1b[12;1H{OUTER}\x1b[13;1H{ERROR}", [OUTER, ERROR]),
        ("\x1b[01;31m\x1b[Kerror\x1b[m\x1b[K: x", ["error: x"]),
        ("CUDA\x1b[1Cout\x1b[Cof memory", ["CUDA out of memory"]),
    ],
)
def test_where_the_cursor_moves_a_piece_ends(written: str, pieces: list[str]) -> None:
    """Bars below each other are told apart, and colors leave nothing."""
    assert line_pieces(plain_bytes(written.encode())) == tuple(pieces)


def test_an_error_below_nested_bars_is_found() -> None:
    """Tqdm goes down a line for an inner bar, and up again."""
    rows = [f"\r{OUTER}"] + [f"\r{INNER}{UP}\r{OUTER}"] * 40 + [f"\r{INNER}{UP}{ERROR}"]
    text = "\n".join(rows) + "\n"
    seen = observe_texts({"a.log": text}, frozenset({"log CUDA out of memory"}), {}, {})
    assert [(hit.line.number, hit.line.text) for hit in seen.hits] == [(42, ERROR)]


@pytest.mark.parametrize(
    ("record", "meant"),
    [
        (b'{"log":"a \\"b\\" \\u003cc\\u003e\\n"}', b'{"log":"a "b" <c> "}'),
        (b'{"MESSAGE":[67,85,68,65]}', b'{"MESSAGE":"CUDA"}'),
        (b'{ "MESSAGE" : [ 67, 85, 999, 9999 ] }', b'{ "MESSAGE":"CU\xff" }'),
        (b"plain", b"plain"),
    ],
)
def test_records_show_what_they_hold(record: bytes, meant: bytes) -> None:
    """Escapes are opened before wordings are looked for."""
    assert opened_records(record) == meant
