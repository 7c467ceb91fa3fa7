"""Workflows on GitHub: pinned, without rights they do not need, made of our own commands."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from checker.arguments import OPTIONS
from checker.commands import COMMANDS
from tests.needs import ROOT

FOLDER = ROOT / ".github"
WORKFLOWS = sorted((FOLDER / "workflows").glob("*.yml"))
BIN = Path(sys.executable).parent
PINNED = re.compile(r"uses: [\w-]+/[\w./-]+@[0-9a-f]{40} # v[0-9.]+$")


def jobs(workflow: Path) -> dict[str, Any]:
    """Read the jobs of a workflow."""
    return dict(yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"])


def steps(workflow: Path) -> list[dict[str, Any]]:
    """Read the steps of all jobs of a workflow."""
    return [step for job in jobs(workflow).values() for step in job["steps"]]


def targets() -> set[str]:
    """Read the targets of the Makefile."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z-]+):", text, re.MULTILINE))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_to_commits(workflow: Path) -> None:
    """A tag can be moved; a commit cannot. The version stands beside it for who reads."""
    used = re.findall(r"uses:.*", workflow.read_text(encoding="utf-8"))
    assert [line for line in used if not PINNED.match(line)] == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_no_rights_but_those_of_its_jobs(workflow: Path) -> None:
    """Each job names what it needs, and ends by itself."""
    assert yaml.safe_load(workflow.read_text(encoding="utf-8"))["permissions"] == {}
    for name, job in jobs(workflow).items():
        assert "permissions" in job, name
        assert job["timeout-minutes"] <= 90, name


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_every_step_is_a_command_that_runs_here_too(workflow: Path) -> None:
    """Steps call make or .ci/run; what is left is GitHub's own command line."""
    known = targets()
    for step in steps(workflow):
        for command in step.get("run", "make").split("\n"):
            word, _, rest = command.strip().partition(" ")
            if word == "make":
                assert set(rest.split()) <= known, command
            elif workflow.stem != "comment":
                assert word == "gh" or command.endswith(" .ci/run"), command


def test_workflows_are_valid() -> None:
    """`actionlint` knows the syntax, the contexts and the shell."""
    done = subprocess.run(
        [BIN / "actionlint", *WORKFLOWS], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_workflows_let_nobody_in() -> None:
    """`zizmor` finds no injection, no stored credential and no right that is too wide."""
    done = subprocess.run(
        [BIN / "zizmor", "--offline", "--no-progress", "--quiet", "--color", "never", FOLDER],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, re.findall(r"^\w+\[.*", done.stdout, re.MULTILINE)) == (0, [])


def test_hooks_for_others_are_valid() -> None:
    """`pre-commit` accepts the hooks, and ours run what `make test` runs."""
    for kind, name in {
        "validate-config": ".pre-commit-config.yaml",
        "validate-manifest": ".pre-commit-hooks.yaml",
    }.items():
        done = subprocess.run(
            [BIN / "pre-commit", kind, name], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    for hook in config["repos"][0]["hooks"]:
        command = hook["entry"].removeprefix(".venv/bin/")
        assert command.split(" --")[0] in makefile, hook["entry"]


def test_labels_that_are_used_exist() -> None:
    """Forms, updates and workflows name labels of the list."""
    labels = {line.split()[0] for line in (FOLDER / "labels.txt").read_text().splitlines()}
    used = set()
    for form in (FOLDER / "ISSUE_TEMPLATE").glob("*.yml"):
        used |= set(yaml.safe_load(form.read_text(encoding="utf-8")).get("labels", []))
    for update in yaml.safe_load((FOLDER / "dependabot.yml").read_text())["updates"]:
        used |= set(update["labels"])
    for workflow in WORKFLOWS:
        used |= set(re.findall(r"--label (\S+)", workflow.read_text(encoding="utf-8")))
    assert used - labels == set()


def test_forms_ask_for_what_the_checker_takes() -> None:
    """Options that a form names are options of the checker."""
    known = {name for option in OPTIONS for name in option.names}
    commands = {one.name for one in COMMANDS}
    for form in (FOLDER / "ISSUE_TEMPLATE").glob("*.yml"):
        for line in re.findall(r"trainwreck\.py ([^`]*)", form.read_text(encoding="utf-8")):
            words = line.split()
            assert {word for word in words if word.startswith("-")} <= known, line
            named = [word for word in words if re.fullmatch("[a-z-]{3,}", word)]
            assert {word for word in named if not word.startswith("-")} <= commands, line
