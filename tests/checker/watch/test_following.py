"""Files that grow, are replaced, cut, and come later."""

import os
from pathlib import Path

from checker.watch.following import LogFollower


def polled(follower: LogFollower) -> list[tuple[str, str, bool]]:
    """Look once; tell names, texts, and whether they were there before."""
    follower._walk_at = 0.0
    return [(os.path.basename(one.path), one.data.decode(), one.first) for one in follower.poll()]


def test_new_lines_are_read_once(tmp_path: Path) -> None:
    """What was there before is told as such."""
    log = tmp_path / "run.log"
    log.write_text("old\n")
    follower = LogFollower([str(log)], {})

    assert polled(follower) == [("run.log", "old\n", True)]
    assert polled(follower) == []
    with log.open("a") as file:
        file.write("new\n")
    assert polled(follower) == [("run.log", "new\n", False)]


def test_of_a_large_old_file_only_the_end_is_read(tmp_path: Path) -> None:
    """From a whole line on."""
    log = tmp_path / "run.log"
    log.write_text("x" * 99 + "\n" + "step 1\n" * 40000)
    follower = LogFollower([str(log)], {})

    ((_, text, first),) = polled(follower)
    assert (len(text), text[:7], first) == (262143 // 7 * 7, "step 1\n", True)


def test_of_the_output_of_a_command_all_of_its_own_is_read(tmp_path: Path) -> None:
    """And nothing of what the file held before."""
    log = tmp_path / "run.log"
    log.write_text("other run\nmine\n")
    follower = LogFollower([str(log)], {str(log): 10})

    assert polled(follower) == [("run.log", "mine\n", False)]


def test_a_log_may_come_later(tmp_path: Path) -> None:
    """Then it is read from its beginning."""
    log = tmp_path / "later/run.log"
    follower = LogFollower([str(log), str(tmp_path / "folder")], {})

    assert polled(follower) == []
    log.parent.mkdir()
    log.write_text("a\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/rank0.log").write_text("b\n")
    assert polled(follower) == [("run.log", "a\n", False), ("rank0.log", "b\n", False)]


def test_a_log_that_is_rotated_loses_no_line_and_repeats_none(tmp_path: Path) -> None:
    """Alone and in a folder, by a new name and by being cut."""
    log = tmp_path / "run.log"
    log.write_text("1\n")
    alone, folder = LogFollower([str(log)], {}), LogFollower([str(tmp_path)], {})
    for follower in (alone, folder):
        polled(follower)
    with log.open("a") as file:
        file.write("2\n")
    log.rename(tmp_path / "run.log.1")
    log.write_text("3\n")

    assert [text for _, text, _ in polled(alone)] == ["2\n", "3\n"]
    assert sorted(text for _, text, _ in polled(folder)) == ["2\n", "3\n"]
    log.write_text("")
    assert (polled(alone), polled(folder)) == ([], [])
    log.write_text("4\n")
    assert [text for _, text, _ in polled(alone) + polled(folder)] == ["4\n", "4\n"]


def test_what_is_no_log_is_left_alone(tmp_path: Path) -> None:
    """Checkpoints lie in the folders of logs."""
    (tmp_path / "model.bin").write_bytes(b"\0" * 5000)
    (tmp_path / ".hidden").write_text("a\n")
    os.mkfifo(tmp_path / "pipe")
    follower = LogFollower([str(tmp_path)], {})

    assert polled(follower) == []
    (tmp_path / "model.bin").write_bytes(b"\0" * 9000)
    assert (polled(follower), follower.files) == ([], 0)
