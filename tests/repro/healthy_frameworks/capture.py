"""Run the programs beside this file, each in an environment that has its framework.

`ENVIRONMENT/bin/python tests/repro/healthy_frameworks/capture.py NAME ...` runs them, checks that
each ends with code 0 and prints what it declares in EXPECT, stores the neutralized log as
`tests/logs/healthy/NAME/console.log`, and prints a row for the table in the README there.
"""

from __future__ import annotations

import argparse
import ast
import importlib.metadata
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import run  # noqa: E402, RUF100  the runner beside this folder, whose neutralizing is shared


def declared(program: Path) -> dict[str, Any]:
    """Read a program's upper-case literals without importing its framework."""
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(program.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id in ("NEEDS", "COMMAND", "EXPECT")
    }


def take(program: Path, command: list[str]) -> tuple[int, str]:
    """Run the program in a fresh folder, and return its status and its neutralized output."""
    tools = Path(sys.executable).parent
    with tempfile.TemporaryDirectory(prefix="repro-") as folder:
        shutil.copy(program, folder)
        done = subprocess.run(
            [str(tools / command[0]), *command[1:]],
            cwd=folder,
            env={
                "PATH": f"{tools}:/usr/local/bin:/usr/bin:/bin",
                "HOME": str(Path.home()),
                "LANG": "C.UTF-8",
                "OMP_NUM_THREADS": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )
    text = done.stdout.decode("utf-8", "surrogateescape")
    paths = {
        os.path.realpath(folder): "/workspace",
        folder: "/workspace",
        sys.prefix: "/opt/venv",
        sys.base_prefix: "/usr/local",
        str(Path.home()): "/home/user",
    }
    return done.returncode, run.neutralize(text, paths)


def main() -> int:
    """Take the named logs; return 1 if one has not the declared shape."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", metavar="NAME")
    bad = 0
    for name in parser.parse_args().names:
        program = HERE / f"{name}.py"
        about = declared(program)
        status, text = take(program, about["COMMAND"])
        lacks = [message for message in about["EXPECT"] if message not in text]
        if status or lacks:
            bad += 1
            print(f"{name}: exit {status}, lacks {lacks}\n{text[-3000:]}", file=sys.stderr)
            continue
        target = run.LOGS / "healthy" / name / run.CONSOLE
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8", "surrogateescape"))
        versions = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in about["NEEDS"])
        command = shlex.join(about["COMMAND"])
        print(f"| `{name}/` | `{command}` | {versions}, Python {platform.python_version()} |")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
