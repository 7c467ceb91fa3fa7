"""`python -m checker`: run the modules as they lie here, without assembling them.

The catalogue is read from the file that `--catalogue FILE` names, else from build/catalogue.tsv.
"""

import hashlib
import sys
from typing import List

from checker.catalogue import Catalogue, read_catalogue
from checker.cli import main

_BUILT = "build/catalogue.tsv"


def read_built_catalogue(path: str) -> Catalogue:
    """Read the rows that the generator wrote."""
    with open(path, encoding="ascii", newline="\n") as file:
        rows = file.read()
    dates = [entry.rule()["updated"] for entry in read_catalogue(rows, "", "").entries]
    sha256 = hashlib.sha256(rows.encode("ascii")).hexdigest()
    return read_catalogue(rows, sha256, max(dates, default=""))


def run(argv: List[str]) -> int:
    """Take the catalogue's path out of the words and leave the rest to `main`."""
    path = _BUILT
    if argv[:1] == ["--catalogue"]:
        path, argv = argv[1], argv[2:]
    try:
        catalogue = read_built_catalogue(path)
    except FileNotFoundError:
        sys.stderr.write("checker: there is no {}; build it, or name one\n".format(path))
        return 2
    return main(argv, catalogue)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
