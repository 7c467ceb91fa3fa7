"""What the build puts into the products."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from generator.build import products, repository_address, site_address
from generator.lint import check
from tests.needs import ROOT

LOG = (
    "Traceback (most recent call last):\n"
    '  File "/workspace/train.py", line 3, in collate\n'
    "KeyError: 'input_ids'\n"
)


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        ({}, None),
        ({"SITE_URL": ""}, None),
        ({"SITE_URL": "https://example.org/some/where"}, "https://example.org/some/where/"),
        ({"SITE_URL": "https://example.org/"}, "https://example.org/"),
    ],
)
def test_address_of_the_site_comes_from_the_environment(
    environment: dict[str, str], address: str | None
) -> None:
    """Whoever deploys gives it, with or without the last slash."""
    assert site_address(environment) == address


def reports(site_url: str | None, folder: Path) -> tuple[dict[str, Any], str]:
    """Build the script, and let it diagnose an exception: as JSON and as text."""
    made = products(ROOT, check(ROOT / "entries")[0], site_url)
    script, log = folder / "trainwreck.py", folder / "train.log"
    script.write_text(made["trainwreck.py"], encoding="utf-8")
    log.write_text(LOG, encoding="utf-8")
    told = [
        subprocess.run(
            [sys.executable, str(script), *options, str(log)],
            capture_output=True,
            check=False,
            text=True,
        ).stdout
        for options in (["--format", "json"], [])
    ]
    return json.loads(told[0])["diagnoses"][0], told[1]


def test_report_names_the_page_of_an_entry_where_there_is_a_site(tmp_path: Path) -> None:
    """With an address the page is named; the command that explains is named in any case."""
    diagnosis, text = reports("https://example.org/x/", tmp_path)
    assert diagnosis["url"] == "https://example.org/x/entries/user-code-error/"
    assert text.splitlines()[-2:] == [
        "More about it: python3 trainwreck.py explain user-code-error",
        "https://example.org/x/entries/user-code-error/",
    ]


def test_report_names_no_page_without_a_site(tmp_path: Path) -> None:
    """A script that was built for no site invents no address."""
    diagnosis, text = reports(None, tmp_path)
    assert diagnosis["url"] is None
    assert text.splitlines()[-1] == "More about it: python3 trainwreck.py explain user-code-error"


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        ({}, None),
        (
            {"REPOSITORY_URL": "https://example.org/some/project/"},
            "https://example.org/some/project",
        ),
        ({"REPOSITORY_URL": "javascript:alert(1)"}, None),
    ],
)
def test_the_repository_is_named_by_the_deploy(
    environment: dict[str, str], address: str | None
) -> None:
    """Pages link to their sources only where a deploy says where these are."""
    assert repository_address(environment) == address
