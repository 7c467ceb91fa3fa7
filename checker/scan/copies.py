"""Files that hold again what others hold. Paths enter; those that need not be read leave.

GitHub's archive of a run's logs has each job twice: a file a step in a folder named by the job, and
all steps in one file beside the folder. Read twice, one line would be two witnesses.
"""

from typing import Collection, FrozenSet

from checker.lazy_patterns import lazy_pattern

WHOLE_JOB = "a job whose steps are read one by one"
_OF_JOB = lazy_pattern(r"(?P<above>(?:.*/)?)-?\d{1,20}_(?P<job>[^/]{1,255})\.txt$")
_OF_STEP = lazy_pattern(r"(?P<folder>.*)/\d{1,9}_[^/]{1,255}\.txt$")


def whole_jobs(paths: Collection[str]) -> FrozenSet[str]:
    """List the files of whole jobs beside which stand those of their steps."""
    steps = (_OF_STEP.match(path) for path in paths)
    folders = {found.group("folder") for found in steps if found}
    jobs = ((path, _OF_JOB.match(path)) for path in paths)
    named = ((path, found.group("above") + found.group("job")) for path, found in jobs if found)
    return frozenset(path for path, folder in named if folder in folders)
