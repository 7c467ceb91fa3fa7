"""The reader of plain pickles: what it builds, and what it refuses."""

import collections
import os
import pickle
from typing import Any

import pytest

from checker.collective.plain_pickle import NotPlainError, read_plain_pickle

PLAIN = {
    "text": "a\u00e9\u4e2d",
    "numbers": [0, 255, 65535, 2**31 - 1, -5, 2**63, -(2**70), 1.5],
    "truths": (True, False, None),
    "nested": [{"a": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)]}, [], {}],
    "again": ["same", "same", "same"],
}


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_containers_and_scalars_are_built(protocol: int) -> None:
    """Every protocol since 2 gives what was pickled."""
    assert read_plain_pickle(pickle.dumps(PLAIN, protocol)) == PLAIN


def test_unwanted_keys_are_left_out() -> None:
    """Stacks would fill the memory and are not needed."""
    data = pickle.dumps({"entries": [{"frames": [1], "state": "started"}]}, 2)
    assert read_plain_pickle(data, ("frames",)) == {"entries": [{"state": "started"}]}


class _Runs:
    """Runs a command when it is unpickled."""

    def __init__(self, marker: str) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return os.mkdir, (self.marker,)


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_a_call_is_refused_and_not_executed(protocol: int, tmp_path: Any) -> None:
    """Nothing in a dump is run."""
    marker = tmp_path / "ran"
    data = pickle.dumps({"entries": [_Runs(str(marker))]}, protocol)
    with pytest.raises(NotPlainError):
        read_plain_pickle(data)
    assert not marker.exists()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"cos\nsystem\n(S'true'\ntR.", id="global and reduce"),
        pytest.param(b"\x80\x02cos\nsystem\nq\x00.", id="global"),
        pytest.param(b"\x80\x04\x8c\x02os\x8c\x06system\x93.", id="stack global"),
        pytest.param(b"(S'true'\nios\nsystem\n.", id="inst"),
        pytest.param(b"\x80\x02(cos\nsystem\nX\x01\x00\x00\x00ao.", id="obj"),
        pytest.param(b"\x80\x02}}b.", id="build"),
        pytest.param(b"\x80\x02\x82\x01.", id="ext1"),
        pytest.param(b"\x80\x02\x83\x01\x00.", id="ext2"),
        pytest.param(b"\x80\x02\x84\x01\x00\x00\x00.", id="ext4"),
        pytest.param(b"\x80\x02X\x01\x00\x00\x00aQ.", id="persistent id"),
        pytest.param(b"Pa\n.", id="persistent text"),
        pytest.param(b"\x80\x05\x97.", id="buffer"),
        pytest.param(b"\x80\x02)\x81.", id="newobj"),
        pytest.param(b"I01\n.", id="text opcodes"),
        pytest.param(pickle.dumps({"a": {1}}, 4), id="set"),
        pytest.param(pickle.dumps(collections.OrderedDict(a=1), 2), id="class"),
        pytest.param(b"", id="empty"),
        pytest.param(b"\x80\x02", id="cut"),
        pytest.param(b"\x80\x02X\xff\xff\xff\xffa.", id="text beyond the end"),
        pytest.param(b"\x80\x02\x8a\xff" + b"1" * 300 + b".", id="huge number"),
        pytest.param(b"\x80\x02h\x00.", id="nothing kept"),
        pytest.param(b"\x80\x02j\xff\xff\xff\xff.", id="far key"),
        pytest.param(b"\x80\x02a.", id="empty stack"),
        pytest.param(b"\x80\x02]e.", id="no mark"),
        pytest.param(b"\x80\x02}(Nu.", id="odd items"),
        pytest.param(b"\x80\x02}](NNs.", id="key that is a list"),
        pytest.param(b"\x80\x02]](a.", id="below a mark"),
        pytest.param(b"\x80\x02NN.", id="two results"),
        pytest.param(b"\x80\x02(N.", id="open mark"),
        pytest.param(b"\x80\x02" + b"(" * 100 + b".", id="deep marks"),
        pytest.param(b"\x80\x02" + b"]" * 400000 + b".", id="many containers"),
        pytest.param(b"\x80\x02" + b"N" * 5000000, id="endless"),
    ],
)
def test_anything_else_is_refused(data: bytes) -> None:
    """Opcodes that find, call or set anything, damage, and what would fill the memory."""
    with pytest.raises(NotPlainError):
        read_plain_pickle(data)


def test_a_far_key_takes_no_room() -> None:
    """What is kept under a high number costs no more than under a low one."""
    assert read_plain_pickle(b"\x80\x02Nr\xff\xff\xff\xff.") is None


def test_a_list_within_itself_is_built_and_not_followed() -> None:
    """A circle through what was kept ends nothing and hangs nothing."""
    built = read_plain_pickle(b"\x80\x02]q\x00h\x00a.")
    assert built[0] is built
