"""The messages of an entry, by how much they tell, and the command that finds them."""

from typing import Any

from generator.detection import Detect
from generator.pages.messages import Message, messages, search_command


def _texts(found: list[Message]) -> list[str]:
    return [message.text for message in found]


def _detect(signs: dict[str, Any], *signatures: dict[str, Any]) -> Detect:
    return Detect.model_validate({"signs": signs, "signatures": list(signatures)})


def test_only_what_decides_alone_is_called_enough() -> None:
    """A message that needs another sign, another sighting, or that none is seen, is not."""
    detect = _detect(
        {"alone": "only this", "one": "with another", "other": "beside it", "weak": "common"}
        | {"often": "seen twice", "never": "not this"},
        {"weak": ["weak"]},
        {"decisive": ["one", "other"]},
        {"decisive": [{"count": "often", "min": 2}]},
        {"decisive": ["never"], "none": ["weak"]},
        {"decisive": ["alone"]},
    )
    found = messages(detect)
    assert _texts(found.deciding) == ["only this"]
    assert _texts(found.telling) == ["with another", "beside it", "seen twice", "not this"]
    assert _texts(found.hints) == ["common"]


def test_what_must_stand_in_a_place_is_not_enough() -> None:
    """Without the frame, or the line above, the message alone is a weaker one or none."""
    detect = _detect(
        {
            "any": {"traceback": "OSError", "message": "No space left"},
            "framed": {"traceback": "OSError", "message": "No space left", "frame": "save.py"},
            "called": {"traceback": "ValueError", "message": "bad", "function": "load"},
            "below": {"log": "the line below", "under": "the line above"},
        },
        {"decisive": ["framed"]},
        {"decisive": ["called"]},
        {"decisive": ["below"]},
        {"weak": ["any"]},
    )
    found = messages(detect)
    assert _texts(found.deciding) == []
    assert _texts(found.telling) == ["ValueError: ... bad", "the line below"]
    assert _texts(found.hints) == ["OSError: ... No space left"]


def test_a_message_of_one_kind_of_log_names_the_log() -> None:
    """What only counts in the kernel's log is not called enough anywhere else."""
    detect = _detect({"a": {"log": "GPU is lost", "source": "kernel"}}, {"decisive": ["a"]})
    (message,) = messages(detect).deciding
    assert message == Message("GPU is lost", "GPU is lost", " in the kernel log")


def test_an_exception_is_shown_as_an_example_prints_it() -> None:
    """Only a log shows whether the wording follows the class at once."""
    sign = {"traceback": "OSError", "message": ["No space left", "full"]}
    found = messages(_detect({"a": sign}, {"strong": ["a"]}), ["OSError: full, and more"])
    assert _texts(found.telling) == ["OSError: ... No space left", "OSError: full"]


def test_each_of_several_choices_is_enough() -> None:
    """Where any one sign makes a decisive signature true, each message decides."""
    detect = _detect({"a": "first", "b": "second"}, {"strength": "decisive", "any": ["a", "b"]})
    assert _texts(messages(detect).deciding) == ["first", "second"]


def test_a_message_counts_by_its_strongest_signature() -> None:
    """A message that is weak in one signature and strong in another stands with the strong."""
    detect = _detect({"a": "one", "b": "two"}, {"weak": ["a"]}, {"weak": ["b"]}, {"strong": ["b"]})
    found = messages(detect)
    assert (_texts(found.telling), _texts(found.hints)) == (["two"], ["one"])


def test_what_shows_only_the_surroundings_is_not_listed() -> None:
    """A context sign and a sign that must not be seen are no messages of the failure."""
    signs = {"a": "one", "around": {"log": "step <n>", "onset": "context"}, "never": "fine"}
    detect = _detect(signs, {"strength": "strong", "all": ["a", "around"], "none": ["never"]})
    assert _texts(messages(detect).telling) == ["one"]


def test_an_exception_without_a_message_shows_its_head() -> None:
    """Any exception is found by the head of its block, a named one by its name."""
    detect = _detect(
        {"any": {"traceback": "*"}, "eof": {"traceback": "EOFError"}},
        {"weak": ["any"]},
        {"strong": ["eof"]},
    )
    found = messages(detect)
    assert _texts(found.telling) == ["EOFError"]
    assert _texts(found.hints) == ["Traceback (most recent call last):"]


def test_the_command_searches_for_fixed_pieces() -> None:
    """Placeholders are cut away, quotes are safe for a shell, and no piece holds another."""
    detect = _detect(
        {"a": "Killed process <pid:one> (python", "b": "can't open <path>", "c": "Killed process"},
        {"strong": ["a"]},
        {"strong": ["b"]},
        {"strong": ["c"]},
    )
    found = messages(detect).telling
    assert _texts(found) == ["Killed process <pid> (python", "can't open <path>", "Killed process"]
    assert search_command(found) == (
        "grep -rnF \\\n  -e 'Killed process' \\\n  -e 'can'\\''t open' LOG"
    )


def test_an_expression_is_shown_by_its_fixed_piece() -> None:
    """A reader is not asked to read a regular expression."""
    detect = _detect({"a": {"log": {"regex": "saving to /mnt/[a-z]/"}}}, {"strong": ["a"]})
    assert messages(detect).telling == [Message("saving to /mnt/", "saving to /mnt/")]
