"""`python -m checker`: run the modules as they lie here, without assembling them.

The catalogue is read from the file that `--catalogue FILE` names, else from the one that
`python -m generator build` wrote.
"""

import json
import sys
from typing import List

from checker.catalogue import Catalogue, CatalogueEntry
from checker.cli import leave, main

_BUILT = "dist/catalogue.json"


def read_built_catalogue(path: str) -> Catalogue:
    """Read the catalogue that the generator wrote for other programs."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    entries = tuple(
        CatalogueEntry(rule["id"], tuple(rule.pop("keys")), json.dumps(rule))
        for rule in document["entries"]
    )
    return Catalogue(entries, document["sha256"], document["date"])


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
    leave(run(sys.argv[1:]))
