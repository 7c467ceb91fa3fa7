"""How long the site takes to build against the number of its entries, and how large it gets.

    python tests/bench/site.py [ENTRIES ...]

The real entries, and copies of them under ids of their own whose relations lead to copies, become
sites of each number of entries, 1,000 and 3,000 if none is named. Beside each build, the same
pages are rendered by python-markdown alone, with the extensions of the site. Every step is a
process of its own, so that its time and its memory are known.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from generator.load import Collection, Loaded, load  # noqa: E402
from generator.pages import render  # noqa: E402
from generator.pages.write import read_pages, write_pages  # noqa: E402
from generator.site import render_site  # noqa: E402

# The checker and its data lie beside the pages; how they grow is not the pages' doing.
PRODUCTS = dict.fromkeys(
    ("trainwreck.py", "catalogue.json", "entry.schema.json", "report.schema.json"), ""
)


class Cost(NamedTuple):
    """What a step took."""

    seconds: float
    processor: float
    mib: float


class Sizes(NamedTuple):
    """What was built."""

    site: int
    searched: int


def multiplied(collection: Collection, wanted: int) -> Collection:
    """Copy entries until there are *wanted*; a copy has its own ids and leads to copies."""
    originals = collection.entries
    names = islice(_copies(originals), max(wanted - len(originals), 0))
    known = set(originals)
    copies = {f"{name}-{mark}": _copy(originals[name], mark, known) for name, mark in names}
    return collection._replace(entries=dict(sorted({**originals, **copies}.items())[:wanted]))


def _copies(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    ordered = sorted(names)
    return ((name, f"copy{number}") for number in count(1) for name in ordered)


def _copy(loaded: Loaded, mark: str, known: set[str]) -> Loaded:
    """Copy an entry; wherever it names an entry by its id alone, the copy names a copy."""

    def renamed(value: object) -> object:
        if isinstance(value, str):
            return f"{value}-{mark}" if value in known else value
        if isinstance(value, list):
            return [renamed(one) for one in value]
        if isinstance(value, dict):
            return {name: renamed(one) for name, one in value.items()}
        return value

    entry = loaded.entry
    relations = renamed(entry.relations.model_dump(by_alias=True))
    changed = {
        "relations": type(entry.relations).model_validate(relations),
        "aliases": [f"{alias}-{mark}" for alias in entry.aliases],
        "title": f"{entry.title} ({mark})",
    }
    return loaded._replace(id=f"{loaded.id}-{mark}", entry=entry.model_copy(update=changed))


def sizes(site: Path, entries: int) -> Sizes:
    """Tell how many bytes the site has, and how many of its search data an entry has."""
    files = {path: path.stat().st_size for path in site.rglob("*") if path.is_file()}
    searched = sum(size for path, size in files.items() if path.parent.name == "search")
    return Sizes(sum(files.values()), searched // entries)


def measured(*step: str) -> Cost:
    """Run a step of this program in a process of its own."""
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, __file__, *step])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(step)}: ended with status {process.returncode}")
    seconds = time.perf_counter() - began
    return Cost(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def pages(folder: str, entries: str) -> None:
    """Write the pages of so many entries into a folder, and what MkDocs needs beside them."""
    collection = multiplied(load(ROOT / "entries"), int(entries))
    beside = read_pages(ROOT / "site_overrides/pages")
    write_pages(Path(folder) / "build/docs", render(collection, {**beside, **PRODUCTS}))
    for name in ("mkdocs.yml", "site_overrides"):
        if not (Path(folder) / name).exists():
            (Path(folder) / name).symlink_to(ROOT / name)


def site(folder: str) -> None:
    """Build the site from the pages of a folder."""
    complaint = render_site(Path(folder))
    if complaint:
        raise SystemExit(complaint)


def alone(folder: str) -> None:
    """Render the same pages by python-markdown alone, one after another with one renderer."""
    import markdown  # noqa: PLC0415
    from mkdocs.config import load_config  # noqa: PLC0415

    config = load_config(str(ROOT / "mkdocs.yml"), docs_dir=folder)
    renderer = markdown.Markdown(
        extensions=config.markdown_extensions, extension_configs=config.mdx_configs
    )
    for path in sorted((Path(folder) / "build/docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        renderer.reset()
        renderer.convert(re.sub(r"\A---\n.*?\n---\n", "", text, count=1, flags=re.DOTALL))


STEPS = {"pages": pages, "site": site, "alone": alone}


def measure(entries: int) -> tuple[dict[str, Cost], Sizes]:
    """Build a site of so many entries, and then again with nothing changed."""
    with tempfile.TemporaryDirectory() as folder:
        costs = {
            "pages": measured("--step", "pages", folder, str(entries)),
            "alone": measured("--step", "alone", folder),
            "site": measured("--step", "site", folder),
            "pages again": measured("--step", "pages", folder, str(entries)),
            "site again": measured("--step", "site", folder),
        }
        return costs, sizes(Path(folder) / "site", entries)


def main() -> None:
    """Measure, and print a row for each step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entries", nargs="*", type=int, default=[1000, 3000])
    for entries in parser.parse_args().entries:
        costs, built = measure(entries)
        for name, cost in costs.items():
            print(f"| {entries} | {name} | {cost.processor:.1f} | {cost.mib:.0f} |", flush=True)
        print(f"{entries} entries: {built.site} bytes, {built.searched} searched bytes an entry")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        STEPS[sys.argv[2]](*sys.argv[3:])
    else:
        main()
