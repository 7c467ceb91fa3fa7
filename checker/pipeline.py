"""One way from logs to a report: paths or texts and the catalogue enter, a `Report` leaves."""

import os
import stat
from typing import Any, Callable, FrozenSet, Mapping, Optional, Sequence

from checker.catalogue import Catalogue
from checker.diagnose.diagnosis import diagnose, diagnose_scene, scene_of
from checker.diagnose.runs import RunFiles, Runs, runs_of
from checker.diagnose.several import diagnose_apart
from checker.judgement import Report
from checker.model import Line, Observations
from checker.packed import packed_records, room_beside
from checker.picked import joined_records
from checker.probe.children import Children
from checker.probe.far_files import FarFiles, far_files
from checker.probe.looking import NO_VIEW, MachineView
from checker.probe.machine import Machine
from checker.scan.chaining import INTERRUPTED_HERE
from checker.scan.contents import IN_ARCHIVE
from checker.scan.interests import AskedLine
from checker.scan.observe import observe, observe_texts
from checker.scan.read import ReadingNote, never_far, unwatched
from checker.snapshot.excerpts import ExcerptShelf

Progress = Callable[[Sequence[str], Callable[[str], bool]], ReadingNote]


def diagnose_paths(
    catalogue: Catalogue,
    paths: Sequence[str],
    only: Optional[str],
    traced: Optional[str] = None,
    asked: Optional[AskedLine] = None,
    *,
    view: MachineView = NO_VIEW,
    progress: Optional[Progress] = None,
    shelf: Optional[ExcerptShelf] = None,
) -> Report:
    """Read the files and folders, and diagnose what they hold; several runs are read apart.

    *view* is what the machine showed, if it was looked at; *progress* takes the paths and gives
    what is told of all that is read; *shelf* takes excerpts of the logs, for a snapshot.
    """
    keys = _catalogue_keys(catalogue)
    texts = {**view.logs, **view.texts}
    far = _far_files(view)
    is_far = never_far if far is None else far.holds
    reading = unwatched if progress is None else progress(paths, is_far)

    def _read(
        chosen: Sequence[str],
        logs: Mapping[str, str],
        kept: Optional[ExcerptShelf] = None,
        members: Optional[FrozenSet[str]] = None,
    ) -> Observations:
        named = [path for path in chosen if path not in texts]
        read = observe(named, keys, asked, logs, reading, shelf=kept, members=members, far=far)
        return read._replace(
            facts=joined_records(view.facts, read.facts),
            probed=read.probed.union(view.logs.keys() & logs.keys()),
            victims=(*read.victims, *view.processes),
            world_size=read.world_size or view.world_size,
            silent=view.silent,
            errors=_errors_of_run(read.errors, view),
        )

    seen = _read(paths, texts, shelf)
    seen = seen._replace(inputs=joined_records(seen.inputs, view.refused))
    if view.jobs:
        return _diagnose_jobs(
            seen,
            view,
            lambda one: diagnose_paths(catalogue, one.paths, only, traced, asked, view=one),
        )
    runs = runs_of(seen)
    again = [path for run in runs.runs for path in run.paths] + list(runs.shared)
    interrupted = any(INTERRUPTED_HERE in (given.reason or "") for given in seen.inputs)
    if (
        not again
        or interrupted
        or not all(path in texts or _is_file(_outermost(path), far) for path in again)
    ):
        if far is not None:
            far.end()
        with room_beside(len(seen.inputs)):
            scene = scene_of(catalogue, seen)
            # Of thousands of files the records are not held twice, as read and with their clocks.
            del seen
            return diagnose_scene(catalogue, scene, only, traced)

    def _ask(chosen: Sequence[str]) -> Report:
        logs = {path: texts[path] for path in chosen if path in texts}
        containers = list(dict.fromkeys(_outermost(path) for path in chosen))
        read = _read(containers, logs, members=frozenset(chosen))
        return diagnose(catalogue, read, only, traced)

    try:
        return diagnose_apart(seen, runs, _ask)
    finally:
        if far is not None:
            far.end()


def _errors_of_run(errors: Sequence[Line], view: MachineView) -> Sequence[Line]:
    """Leave out errors that the machine told of itself before what runs there began."""
    if not view.began:
        return errors
    return packed_records(
        line
        for line in errors
        if line.path not in view.logs or not _is_before_run(line, view.began)
    )


def _is_before_run(line: Line, began: float) -> bool:
    moment = line.moment
    return moment is not None and moment.clock == "utc" and moment.seconds < began


def _far_files(view: MachineView) -> Optional[FarFiles]:
    """Reach files by a child that lie on a mount which may stop to answer, if there is one."""
    left = next((fact.value for fact in view.facts if fact.name == "probes.left"), None)
    return far_files(Machine(Children(0.0)), left or 0)


def _is_file(path: str, far: Optional[FarFiles]) -> bool:
    if far is None or not far.holds(path):
        return os.path.isfile(path)
    try:
        return stat.S_ISREG(far.status(path).st_mode)
    except OSError:
        return False


def _diagnose_jobs(
    seen: Observations, view: MachineView, ask: Callable[[MachineView], Report]
) -> Report:
    """Diagnose each of the runs of a machine with its own logs and facts."""
    of_jobs = {id(fact) for job in view.jobs for fact in job.facts}
    shared = tuple(fact for fact in view.facts if id(fact) not in of_jobs)
    views = {
        job.label: view._replace(
            facts=(*shared, *job.facts),
            paths=job.paths,
            processes=job.processes,
            world_size=job.world_size,
            jobs=(),
        )
        for job in view.jobs
    }
    runs = Runs(tuple(RunFiles(label, (label,)) for label in views), ())
    return diagnose_apart(seen, runs, lambda chosen: ask(views[chosen[0]]))


def diagnose_texts(
    catalogue: Catalogue,
    files: Mapping[str, str],
    facts: Mapping[str, Any],
    versions: Mapping[str, str],
) -> Report:
    """Diagnose texts as if they were files of these names."""
    keys = _catalogue_keys(catalogue)
    seen = observe_texts(files, keys, facts, versions)
    runs = runs_of(seen)
    if not runs.runs:
        return diagnose(catalogue, seen, None)

    def _ask(chosen: Sequence[str]) -> Report:
        texts = {path: files[path] for path in chosen}
        return diagnose(catalogue, observe_texts(texts, keys, facts, versions), None)

    return diagnose_apart(seen, runs, _ask)


def _outermost(path: str) -> str:
    """Name the file in which a log lies: an archive, a snapshot, or the log itself."""
    return path.partition(IN_ARCHIVE)[0]


def _catalogue_keys(catalogue: Catalogue) -> FrozenSet[str]:
    return frozenset(key for entry in catalogue.entries for key in entry.keys)
