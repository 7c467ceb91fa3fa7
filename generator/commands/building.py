"""Commands that build: the checker, the data and the site."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from generator.build import products, repository_address, site_address
from generator.commands.checking import checked, run_examples
from generator.commands.registry import command
from generator.known_outcomes import digest, read_outcomes, write_outcomes
from generator.load import Collection
from generator.matrix import Outcome
from generator.offline import NAME, offline_site
from generator.pages import render
from generator.pages.write import read_pages, write_pages
from generator.products import write_products
from generator.roots import ROOT
from generator.runtime import PACKAGE, runtime_files
from generator.site import render_site


@command("trainwreck-dev build --entries entries --entries acme=../acme-entries")
def build(arguments: argparse.Namespace) -> int:
    """Check the entries, then make the checker and the data (dist) and the site (site)."""
    collection = checked(arguments)
    if collection is None:
        return 1
    address = site_address(os.environ)
    made = products(ROOT, collection, address)
    results = _outcomes(collection, made["trainwreck.py"])
    if results is None:
        return 1
    write_products(ROOT / "dist", made)
    print(f"dist: checker and data of {len(collection.entries)} entries")
    runtime = runtime_files(ROOT)
    if not runtime:
        print(f"skipped: {PACKAGE} is not there, so that no page diagnoses in the browser")
    hand_written = read_pages(ROOT / "site_overrides" / "pages")
    pages = render(
        collection,
        {**hand_written, **made},
        bool(runtime),
        address,
        results=results,
        repository=repository_address(os.environ),
    )
    write_pages(ROOT / "build" / "docs", {**pages, **runtime})
    complaint = render_site(ROOT)
    if complaint:
        print(complaint.rstrip("\n"), file=sys.stderr)
        return 1
    print("site: built")
    return 0


def _offline_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output", type=Path, default=ROOT / f"build/{NAME}.zip", help="the file to write"
    )


@command("trainwreck-dev offline --output site.zip", _offline_arguments)
def offline(arguments: argparse.Namespace) -> int:
    """Pack the site, with its search and the checker, into a zip for machines without a network.

    It is read from a file system, without a server; the same commit gives the same bytes.
    """
    collection = checked(arguments)
    if collection is None:
        return 1
    made = products(ROOT, collection, site_address(os.environ))
    results = _outcomes(collection, made["trainwreck.py"])
    if results is None:
        return 1
    hand_written = read_pages(ROOT / "site_overrides" / "pages")
    pages = render(collection, {**hand_written, **made}, results=results)
    archive = offline_site(ROOT / "build/offline", pages, os.environ)
    if isinstance(archive, str):
        print(archive, file=sys.stderr)
        return 1
    arguments.output.write_bytes(archive)
    print(f"{arguments.output}: {len(archive) / 1e6:.1f} MB, begin with {NAME}/index.html")
    return 0


def _outcomes(collection: Collection, script: str) -> Sequence[Outcome] | None:
    """Run all examples, unless the very same checker was tried on them before."""
    path, made_from = ROOT / "build/outcomes.json", digest(script)
    results = read_outcomes(path, made_from)
    if results is not None:
        print(f"{len(results)} examples: no failures, as before with the same checker")
        return results
    results = run_examples(collection)
    if results is not None:
        write_outcomes(path, made_from, results)
    return results
