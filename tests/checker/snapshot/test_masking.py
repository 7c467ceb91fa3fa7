"""What is masked in a snapshot, and what is not."""

from collections.abc import Iterator
from pathlib import Path

from checker.catalogue import Catalogue
from checker.model import Fact, Input
from checker.probe.looking import MachineView
from checker.snapshot.excerpts import ExcerptShelf, KeptLog
from checker.snapshot.joining import kept_in_file
from checker.snapshot.masking import Masker, masker_for
from checker.snapshot.parsing import KeptExcerpt, KeptInput, KeptMachine
from checker.snapshot.writing import SnapshotWish, Station, Taken, Written, write_snapshot

NOTHING = Catalogue((), "0" * 64, "2026-01-01")
TOKEN = "hf_" + "Ab3dEf6hIj" * 3
ROWS = (
    "alice@gpu017:~$ python train.py --api-key " + TOKEN,
    "mail to alice.b@example.org from 10.20.30.40",
    "-----BEGIN RSA PRIVATE KEY-----",
    "MIIEpAIBAAKCAQEA",
    "-----END RSA PRIVATE KEY-----",
    "step 1 loss 2.0",
)
STATION = Station("gpu017.cluster", "b7e1", 1796083200.0, 5000.0, 6000.0)


def written(target: Path, wish: SnapshotWish) -> Written:
    """Write a snapshot of one log, one refused path and two facts."""
    shelf = ExcerptShelf()
    path = "/home/alice/run.log"
    shelf.keep(KeptLog(path, (), tuple(enumerate(ROWS, 1)), 0, False, ()))
    refused = ("unreadable", "its mount did not answer", None, None, None, None, None, True)
    inputs = [
        Input(path, "read", None, 300, 6, None, None, None, False),
        Input("/home/bob/x.log", *refused),
    ]
    facts = (
        Fact("mounts.space", ["/home/alice (nfs) 12 of 40 bytes"], None, None),
        Fact("system.kernel", None, "absent", None),
    )
    view = MachineView(facts, {}, (), ())
    return write_snapshot(str(target), Taken(shelf, inputs, view, STATION), NOTHING, wish)


def texts(path: Path) -> Iterator[object]:
    """List what the snapshot tells."""
    for kept in kept_in_file(str(path)):
        if isinstance(kept, KeptMachine):
            yield kept.section.host
            yield from (fact.value for fact in kept.facts)
        elif isinstance(kept, KeptInput):
            yield kept.given.path
        else:
            yield kept.log.path
            yield from (text for _, text in kept.log.rows)


def test_secrets_and_mails_never_get_into_a_snapshot(tmp_path: Path) -> None:
    """Whatever was asked for; a private key is masked to its end, and the rest stays."""
    done = written(tmp_path / "a.snap", SnapshotWish(salt="x"))

    assert list(texts(tmp_path / "a.snap")) == [
        "gpu017.cluster",
        ["/home/alice (nfs) 12 of 40 bytes"],
        None,
        "/home/bob/x.log",
        "/home/alice/run.log",
        "alice@gpu017:~$ python train.py --api-key secret",
        "mail to mail-5e911cd2 from 10.20.30.40",
        "secret",
        "secret",
        "secret",
        "step 1 loss 2.0",
    ]
    assert done.masked == {"secret": 2, "mail": 1}


def test_names_and_addresses_are_masked_where_that_is_wanted(tmp_path: Path) -> None:
    """In rows, paths, facts and the name of the machine alike."""
    done = written(tmp_path / "a.snap", SnapshotWish(redact=True, salt="x"))

    assert list(texts(tmp_path / "a.snap")) == [
        "host-2576378e",
        ["/home/user-30cb5f28 (nfs) 12 of 40 bytes"],
        None,
        "/home/user-8b0bb291/x.log",
        "/home/user-30cb5f28/run.log",
        "user-30cb5f28@host-2576378e:~$ python train.py --api-key secret",
        "mail to mail-5e911cd2 from ip-314b3de5",
        "secret",
        "secret",
        "secret",
        "step 1 loss 2.0",
    ]
    assert done.masked == {"secret": 2, "mail": 1, "host": 1, "user": 2, "address": 1}


def test_one_salt_gives_one_pseudonym_and_none_gives_another_each_time() -> None:
    """So snapshots of many machines can be joined, and those of strangers cannot."""

    def masker(salt: str) -> Masker:
        return masker_for(["alice@gpu017:~$"], [], NOTHING, True, salt)

    one, other = masker("x").text("alice@gpu017"), masker("x").text("alice@gpu017")
    assert one == other != masker("y").text("alice@gpu017")
    assert masker("").text("gpu017") != masker("").text("gpu017")


def test_paths_that_are_masked_alike_stay_apart(tmp_path: Path) -> None:
    """No log is taken for another one."""
    shelf = ExcerptShelf()
    for number in ("1", "2"):
        path = "/data/" + TOKEN.replace("3", number) + "/run.log"
        shelf.keep(KeptLog(path, (), ((1, "step 1"),), 0, False, ()))
    taken = Taken(shelf, [], MachineView((), {}, (), ()), None)
    write_snapshot(str(tmp_path / "a.snap"), taken, NOTHING)

    kept = kept_in_file(str(tmp_path / "a.snap"))
    assert [one.log.path for one in kept if isinstance(one, KeptExcerpt)] == [
        "/data/secret/run.log",
        "/data/secret/run.log~2",
    ]
