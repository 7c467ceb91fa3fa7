"""Run the programs beside this file, which make training failures really happen.

`run.py [NAME ...]` compares each capture with what its program declares in CAPTURES;
`run.py --write [NAME ...]` also stores the neutralized logs under tests/logs/NAME/;
`run.py --resume [NAME ...]` leaves out what has passed and has not changed since.
"""

from __future__ import annotations

import argparse
import ast
import getpass
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
LOGS = HERE.parent / "logs"
PASSED = HERE.parent.parent / "build" / "repro.json"
CONSOLE = "console.log"
TRIES = 3
# Most of a run is waiting: for torch to start, for a timeout, for the agent to look.
AT_ONCE = 2
# Captures of one program hold the same port.
ONE_HOLDS = threading.Lock()
CGROUP_V1 = Path("/sys/fs/cgroup/memory")
MARK = "TRAINWRECK_REPRO"
# Makes standard input the terminal that controls the new session, as a login does.
ENTERING_TERMINAL = [
    sys.executable,
    "-c",
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execvp(sys.argv[1], sys.argv[1:])",
]

Texts = dict[str, str]


@dataclass(frozen=True)
class Kill:
    """A signal that the runner sends, or has a terminal send, when a rank has logged a message."""

    rank: int
    signal: str
    after: str
    to: str = "rank"
    """`rank`, `agent`, or `terminal`: then SIGINT is its Ctrl-C, and SIGHUP that it is closed."""


@dataclass(frozen=True)
class Capture:
    """One way to run a program, and the messages and exit code that must come of it."""

    program: Path
    name: str
    torchrun: list[str] | None
    exit: int
    expect: dict[str, list[str]]
    absent: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    memory_limit_mib: int | None = None
    tmpfs_mib: dict[str, int] = field(default_factory=dict)
    hold_port: int | None = None
    needs: list[str] = field(default_factory=list)
    kill: Kill | None = None
    deadline: int = 120

    @property
    def label(self) -> str:
        """Name the capture in the report."""
        return f"{self.program.stem}/{self.name}"


@dataclass(frozen=True)
class Place:
    """The fresh folders of one run."""

    logs: Path
    programs: Path
    scratch: Path

    def neutral(self) -> dict[str, str]:
        """Map the folders to what they are called in the stored logs."""
        return {
            str(self.logs): "/workspace",
            str(self.programs): "/workspace",
            str(self.scratch): "/tmp",
        }


class CaptureError(Exception):
    """A capture could not be taken; the text says why."""


# ---------------------------------------------------------------------------------------------
# Finding


def find_captures(folder: Path) -> list[Capture]:
    """List the captures of every program in the folder: a program is a file with CAPTURES."""
    return [capture for path in sorted(folder.rglob("*.py")) for capture in read_captures(path)]


def read_captures(path: Path) -> list[Capture]:
    """Read a program's declaration without importing it, since that would import torch."""
    constants: dict[str, ast.expr] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            constants[node.targets[0].id] = node.value
    if "CAPTURES" not in constants:
        return []
    declared = literal(constants["CAPTURES"], constants)
    return [build_capture(path, name, parts) for name, parts in declared.items()]


def literal(node: ast.expr, constants: Mapping[str, ast.expr]) -> Any:
    """Evaluate a literal that may also name and spread the module's other literals."""
    expression = ast.Expression(node)
    names = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
    values = {name: literal(constants[name], constants) for name in names}
    code = compile(ast.fix_missing_locations(expression), "<CAPTURES>", "eval")
    return eval(code, {"__builtins__": {}}, values)


def build_capture(path: Path, name: str, parts: dict[str, Any]) -> Capture:
    """Turn a declaration into a capture; an unknown key is a TypeError."""
    kill = Kill(**parts["kill"]) if "kill" in parts else None
    return Capture(program=path, name=name, **{**parts, "kill": kill})


# ---------------------------------------------------------------------------------------------
# Running


def why_not(capture: Capture) -> str | None:
    """Say why this machine cannot take the capture, or None."""
    if capture.memory_limit_mib is not None and (reason := why_no_memory_limit()):
        return reason
    if missing := [tool for tool in capture.needs if find_tool(tool) is None]:
        return f"needs {' and '.join(missing)} on the PATH"
    return why_no_mount() if capture.tmpfs_mib else None


def find_tool(name: str) -> str | None:
    """Look for a program beside this interpreter, and then on the PATH."""
    folders = (str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath))
    return shutil.which(name, path=os.pathsep.join(folders))


def why_no_mount() -> str | None:
    """Say why a capture with mounts of its own cannot be taken here, or None."""
    if os.geteuid() != 0:
        return "needs root to mount a small tmpfs"
    if shutil.which("unshare") is None or shutil.which("mount") is None:
        return "needs unshare and mount"
    command = [*mounting({"/mnt": 1}), "true"]
    tried = subprocess.run(command, check=False, capture_output=True, text=True)
    return f"may not mount a tmpfs: {tried.stderr.strip()}" if tried.returncode else None


def why_no_memory_limit() -> str | None:
    """Say why a capture with a memory limit cannot be taken here, or None."""
    if os.geteuid() != 0:
        return "needs root to limit memory and to read the kernel log"
    if not (CGROUP_V1 / "memory.limit_in_bytes").exists():
        return f"needs a cgroup v1 memory hierarchy at {CGROUP_V1}"
    if shutil.which("dmesg") is None:
        return "needs dmesg"
    return None


@contextmanager
def fresh_place() -> Iterator[Place]:
    """Make the folders of one run; the programs are copied, since tracebacks quote their lines."""
    with tempfile.TemporaryDirectory(prefix="repro-") as parent:
        place = Place(Path(parent) / "logs", Path(parent) / "programs", Path(parent) / "scratch")
        place.logs.mkdir()
        place.scratch.mkdir()
        shutil.copytree(HERE, place.programs, ignore=shutil.ignore_patterns("__pycache__"))
        yield place


def take(capture: Capture, place: Place) -> tuple[int, Texts]:
    """Run the capture and return the exit code and the text of every log."""
    limit = capture.memory_limit_mib
    with (
        held(capture.hold_port),
        nullcontext() if limit is None else memory_cgroup(limit) as cgroup,
    ):
        status = run(capture, place, cgroup)
    texts = read_texts(place.logs)
    if cgroup is not None:
        texts |= kernel_texts(cgroup.name)
    return status, texts


def command_of(capture: Capture, place: Place) -> list[str]:
    """Build the command line that starts torchrun, or the program alone."""
    program = place.programs / capture.program.relative_to(HERE)
    torchrun = Path(sys.executable).parent / "torchrun"
    starter = [sys.executable] if capture.torchrun is None else [str(torchrun), *capture.torchrun]
    return [*starter, str(program), *capture.arguments]


def environment_of(capture: Capture, place: Place) -> dict[str, str]:
    """Give the run an environment of its own, so that the caller's settings change no message."""
    tools = [str(Path(path).parent) for path in map(find_tool, capture.needs) if path]
    folders = [str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin", *tools]
    return {
        "PATH": ":".join(dict.fromkeys(folders)),
        "HOME": str(Path.home()),
        "LANG": "C.UTF-8",
        "TMPDIR": str(place.scratch),
        "PYTHONDONTWRITEBYTECODE": "1",
        MARK: str(place.logs),
        **capture.environment,
    }


def run(capture: Capture, place: Place, cgroup: Path | None) -> int:
    """Start torchrun in its own session, with one file for both of its streams."""
    with (place.logs / CONSOLE).open("ab") as console, Terminal() as terminal:
        process = subprocess.Popen(
            [
                *ENTERING_TERMINAL,
                *entering(cgroup),
                *mounting(capture.tmpfs_mib),
                *command_of(capture, place),
            ],
            cwd=place.logs,
            env=environment_of(capture, place),
            stdin=terminal.inner,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        terminal.leave_inner()
        try:
            return wait(process, capture, place.logs, terminal)
        finally:
            end_leftovers(process, place)


class Terminal:
    """A terminal that is nobody's but the run's; the streams do not go to it."""

    def __init__(self) -> None:
        self.outer, self.inner = os.openpty()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave_inner()
        self.close()

    def leave_inner(self) -> None:
        """Let the run alone hold its end."""
        if self.inner >= 0:
            os.close(self.inner)
        self.inner = -1

    def close(self) -> None:
        """Go away, as the window of a terminal does or a connection that drops."""
        if self.outer >= 0:
            os.close(self.outer)
        self.outer = -1

    def send(self, name: str) -> None:
        """Do what makes the kernel send this signal to those whom the terminal controls."""
        if name == "SIGHUP":
            self.close()
        else:
            assert name == "SIGINT"
            os.write(self.outer, b"\x03")


@contextmanager
def held(port: int | None) -> Iterator[None]:
    """Listen on the port for as long as the run lasts, and answer nobody."""
    alone = nullcontext() if port is None else ONE_HOLDS
    with alone, socket.socket() as listener:
        if port is not None:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("", port))
            listener.listen()
        yield


def wait(process: subprocess.Popen[bytes], capture: Capture, logs: Path, terminal: Terminal) -> int:
    """Wait for the end, sending the declared signal on the way."""
    deadline = time.monotonic() + capture.deadline
    pending = capture.kill
    while time.monotonic() < deadline:
        status = process.poll()
        if status is not None:
            if pending is not None:
                raise CaptureError(f"ended before rank {pending.rank} logged {pending.after!r}")
            return status
        if pending is not None and (pid := awaited_pid(pending, read_texts(logs))) is not None:
            if pending.to == "terminal":
                terminal.send(pending.signal)
            else:
                to_whom = process.pid if pending.to == "agent" else pid
                os.kill(to_whom, signal.Signals[pending.signal])
            pending = None
        time.sleep(0.05)
    raise CaptureError(f"did not end within {capture.deadline} seconds and was killed")


def awaited_pid(kill: Kill, texts: Texts) -> int | None:
    """Find the pid of the rank if it has logged the message that is waited for."""
    awaited = f"rank {kill.rank}: {kill.after}"
    return pid_of(kill.rank, texts) if any(awaited in text for text in texts.values()) else None


def pid_of(rank: int, texts: Texts) -> int | None:
    """Find the pid that the rank itself logged when it was ready."""
    for text in texts.values():
        if found := re.search(rf"rank {rank}: ready, pid (\d+)", text):
            return int(found[1])
    return None


def end_leftovers(process: subprocess.Popen[bytes], place: Place) -> None:
    """Kill what the run left: torchrun gives each worker a session, so its group is not enough."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    mark = f"{MARK}={place.logs}".encode()
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in environ.read_bytes().split(b"\0"):
                os.kill(int(environ.parent.name), signal.SIGKILL)
        except (OSError, ProcessLookupError):
            continue


def read_texts(folder: Path) -> Texts:
    """Read every file of the run, keeping carriage returns and undecodable bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes().decode("utf-8", "surrogateescape")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# ---------------------------------------------------------------------------------------------
# Small file systems


def mounting(tmpfs_mib: Mapping[str, int]) -> list[str]:
    """Build the prefix of a command that gives it small file systems that nothing else sees."""
    mount = 'mkdir -p "$0" && mount -t tmpfs -o size="$1m" tmpfs "$0" && shift && exec "$@"'
    prefix = ["unshare", "--mount"] if tmpfs_mib else []
    for point, mib in tmpfs_mib.items():
        prefix += ["sh", "-c", mount, point, str(mib)]
    return prefix


# ---------------------------------------------------------------------------------------------
# Kernel memory limit and kernel log


def entering(cgroup: Path | None) -> list[str]:
    """Build the prefix of a command that puts it into the cgroup before it starts."""
    if cgroup is None:
        return []
    return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(cgroup / "cgroup.procs")]


@contextmanager
def memory_cgroup(limit_mib: int) -> Iterator[Path]:
    """Make a memory cgroup with a hard limit and remove it afterwards.

    Its name is used once: the kernel log is a ring, in which only a name tells this run's record.
    """
    cgroup = Path(tempfile.mkdtemp(prefix="training-job-", dir=CGROUP_V1))
    try:
        (cgroup / "memory.limit_in_bytes").write_text(str(limit_mib * 2**20))
        yield cgroup
    finally:
        remove_cgroup(cgroup)


def remove_cgroup(cgroup: Path) -> None:
    """Remove the cgroup; it stays busy for a moment after its last process was killed."""
    for _ in range(50):
        try:
            cgroup.rmdir()
            return
        except OSError:
            time.sleep(0.1)
    print(f"left behind: {cgroup}", file=sys.stderr)


def kernel_log(*options: str) -> list[str]:
    """Read the kernel's ring buffer as lines."""
    output = subprocess.run(["dmesg", *options], capture_output=True, text=True, check=True)
    return output.stdout.splitlines(keepends=True)


def kernel_texts(cgroup: str) -> Texts:
    """Return the kernel's lines on the cgroup's OOM kill, with both kinds of time."""
    options = {"dmesg.log": (), "dmesg-T.log": ("-T",)}
    logs = {name: kernel_log(*option) for name, option in options.items()}
    return {
        name: "".join(lines[index] for index in oom_lines(lines, cgroup))
        for name, lines in logs.items()
    }


def oom_lines(lines: list[str], cgroup: str) -> range:
    """Find the record: from 'invoked oom-killer' to the last line that names the killed process."""
    start = end = None
    ours = False
    for index, line in enumerate(lines):
        if "invoked oom-killer" in line and not ours:
            start = index
        ours = ours or f"oom_memcg=/{cgroup}," in line
        if ours and ("Killed process" in line or "oom_reaper: reaped process" in line):
            end = index
    if start is None or end is None:
        raise CaptureError("the kernel log has no OOM record of this run")
    return range(start, end + 1)


# ---------------------------------------------------------------------------------------------
# Neutralizing


def neutralize(text: str, replacements: dict[str, str]) -> str:
    """Replace this machine's paths, host name and user name, and nothing else."""
    for path in sorted(replacements, key=len, reverse=True):
        text = text.replace(path, replacements[path])
    text = replace_word(text, socket.gethostname(), "node-a")
    # "root" names no person, and is a word of logging and of torch.
    return text if getpass.getuser() == "root" else replace_word(text, getpass.getuser(), "user")


def neutral_paths(place: Place) -> dict[str, str]:
    """Map each path of this machine that a run can print to its stand-in."""
    return {
        sys.base_prefix: "/usr/local",
        sys.prefix: "/opt/venv",
        str(Path(sys.prefix).resolve()): "/opt/venv",
        str(Path.home()): "/home/user",
        **place.neutral(),
    }


def replace_word(text: str, word: str, neutral: str) -> str:
    """Replace a word that stands alone: a host called 'vm' must not change 'total-vm:'."""
    return re.sub(rf"(?<![\w/-]){re.escape(word)}(?![\w-])", neutral, text)


# ---------------------------------------------------------------------------------------------
# Comparing and storing


def mismatches(capture: Capture, status: int, texts: Texts) -> list[str]:
    """Say in which respects the run has not the declared shape."""
    found = [] if status == capture.exit else [f"exit {status}, expected {capture.exit}"]
    for pattern, messages in capture.expect.items():
        matching = [text for name, text in texts.items() if Path(name).match(pattern)]
        if not matching:
            found.append(f"no file {pattern}")
        missing = [
            message
            for message in (fill(message, texts) for message in messages)
            if matching and not any(message in text for text in matching)
        ]
        found += [f"{pattern} lacks {message!r}" for message in missing]
    for message in capture.absent:
        names = [name for name, text in texts.items() if message in text]
        found += [f"{name} has {message!r}" for name in names]
    return found


def fill(message: str, texts: Texts) -> str:
    """Put the real pid in the place of '{pid of rank N}'."""
    return re.sub(
        r"\{pid of rank (\d+)\}", lambda match: str(pid_of(int(match[1]), texts)), message
    )


def store(program: Path, taken: dict[str, tuple[Capture, Texts]]) -> None:
    """Replace the program's stored logs; what else lies in its folder stays."""
    target = LOGS / program.stem
    readme = target / "README.md"
    kept = text_of_others(readme.read_text(encoding="utf-8")) if readme.exists() else ""
    for name, (_, texts) in taken.items():
        shutil.rmtree(target / name, ignore_errors=True)
        for path, text in texts.items():
            file = target / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode("utf-8", "surrogateescape"))
    readme.write_text(describe(program, taken) + kept, encoding="utf-8")


def text_of_others(readme: str) -> str:
    """Keep what stands below the runner's own table: it is about logs of another program."""
    lines = readme.splitlines(keepends=True)
    begin = next((n for n, line in enumerate(lines) if line.startswith("|")), len(lines))
    end = next((n for n in range(begin, len(lines)) if not lines[n].startswith("|")), len(lines))
    return "".join(lines[end:])


def describe(program: Path, taken: dict[str, tuple[Capture, Texts]]) -> str:
    """Write what made the logs."""
    lines = [
        f"# {program.stem}",
        "",
        (ast.get_docstring(ast.parse(program.read_text(encoding="utf-8"))) or "").split("\n")[0],
        "",
        f"Captured on {date.today().isoformat()} by `tests/repro/run.py --write {program.stem}`",
        f"with torch {importlib.metadata.version('torch')} and Python {platform.python_version()}"
        " on the CPU.",
        "Host name, absolute paths and user name are replaced; nothing else is.",
        "",
        "| folder | command | exit code |",
        "| --- | --- | --- |",
    ]
    for name, (capture, _) in taken.items():
        lines.append(f"| `{name}/` | `{shown_command(capture)}` | {capture.exit} |")
    return "\n".join(lines) + "\n"


def shown_command(capture: Capture) -> str:
    """Write the command as a person would type it."""
    environment = [f"{name}={value}" for name, value in capture.environment.items()]
    starter = ["python"] if capture.torchrun is None else ["torchrun", *capture.torchrun]
    return shlex.join([*environment, *starter, capture.program.name, *capture.arguments])


# ---------------------------------------------------------------------------------------------
# Command line


def attempt(capture: Capture) -> tuple[list[str], Texts]:
    """Take one capture, again if it does not show the declared shape; say so where it was.

    Which process the launcher notices first, and what a peer still prints before it is ended, are
    races inside torch. A shape that comes in none of TRIES is no race.
    """
    for number in range(1, TRIES + 1):
        found, texts = attempt_once(capture)
        if not found or number == TRIES:
            break
        print(f"{capture.label}: try {number} of {TRIES}: {found[0]}", flush=True)
    return found, texts


def attempt_once(capture: Capture) -> tuple[list[str], Texts]:
    """Take one capture in fresh folders; return its mismatches and its neutralized logs."""
    with fresh_place() as place:
        try:
            status, raw = take(capture, place)
        except CaptureError as error:
            return [str(error), *last_lines(read_texts(place.logs))], {}
        replacements = neutral_paths(place)
        texts = {name: neutralize(text, replacements) for name, text in raw.items()}
        found = mismatches(capture, status, texts)
        return [*found, *last_lines(texts)] if found else [], texts


def last_lines(texts: Texts) -> list[str]:
    """Return the end of the console log, for a person who asks why a capture failed."""
    return texts.get(CONSOLE, "").splitlines()[-20:]


def main(arguments: list[str]) -> int:
    """Run what the command line asks for and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs (default: all)")
    parser.add_argument("--write", action="store_true", help="store the logs under tests/logs")
    parser.add_argument(
        "--resume", action="store_true", help="leave out what has passed and has not changed since"
    )
    options = parser.parse_args(arguments)
    captures = find_captures(HERE)
    programs = {capture.program.stem: capture.program for capture in captures}
    if unknown := sorted(set(options.names) - set(programs)):
        parser.error(f"no such program: {', '.join(unknown)} (there are: {', '.join(programs)})")
    if not (Path(sys.executable).parent / "torchrun").exists():
        parser.error(f"no torchrun beside {sys.executable}; see {HERE.name}/README.md")
    chosen = [program for name, program in programs.items() if name in (options.names or programs)]
    passed = read_passed() if options.resume else {}
    return report([one for one in captures if one.program in chosen], passed, write=options.write)


def report(captures: list[Capture], passed: dict[str, str], *, write: bool) -> int:
    """Take the captures program by program and print a row for each."""
    counts = dict.fromkeys(("passed", "failed", "skipped", "unchanged"), 0)
    width = max(len(capture.label) for capture in captures)
    for program in dict.fromkeys(capture.program for capture in captures):
        taken: dict[str, tuple[Capture, Texts]] = {}
        state = state_of(program)
        ours = [capture for capture in captures if capture.program == program]
        due = [capture for capture in ours if passed.get(capture.label) != state]
        for capture in ours:
            if capture not in due:
                counts["unchanged"] += 1
                print(f"{capture.label:<{width}}  unchanged since it passed", flush=True)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            judged = list(pool.map(judge, due))
        for capture, (outcome, seconds, reasons, texts) in zip(due, judged, strict=True):
            counts[outcome] += 1
            row = f"{capture.label:<{width}}  {outcome:<7}  {seconds:5.1f} s"
            print(row, *reasons, sep="\n    ", flush=True)
            if outcome == "passed":
                taken[capture.name] = (capture, texts)
                note_passed(capture, state)
        if write and len(taken) == len(ours):
            store(program, taken)
    print(
        ", ".join(f"{n} {what}" for what, n in counts.items() if n or what in ("passed", "failed"))
    )
    refused = counts["skipped"] if os.environ.get("TRAINWRECK_REQUIRE_ALL") else 0
    return 1 if counts["failed"] + refused else 0


def state_of(program: Path) -> str:
    """Return a digest of all that decides what a program shows: itself, the runner, libraries."""
    others = [path for path in sorted(HERE.rglob("*.py")) if not read_captures(path)]
    parts = [program, *others, HERE / "requirements.txt"]
    digest = hashlib.sha256(sys.version.encode())
    for path in parts:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read_passed() -> dict[str, str]:
    """Return the state in which each capture has passed, by its label."""
    return dict(json.loads(PASSED.read_text(encoding="utf-8"))) if PASSED.exists() else {}


def note_passed(capture: Capture, state: str) -> None:
    """Keep that a capture has passed, at once, since a run of all may be cut off."""
    PASSED.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**read_passed(), capture.label: state}, indent=1, sort_keys=True)
    partial = PASSED.with_suffix(".part")
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(PASSED)


def judge(capture: Capture) -> tuple[str, float, list[str], Texts]:
    """Return the outcome of one capture, its seconds, the reasons for it, and its logs."""
    if reason := why_not(capture):
        return "skipped", 0.0, [reason], {}
    begin = time.monotonic()
    found, texts = attempt(capture)
    return ("failed" if found else "passed"), time.monotonic() - begin, found, texts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
