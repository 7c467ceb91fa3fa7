"""The Python that runs in a browser: Pyodide, as npm unpacked and checked it."""

from pathlib import Path

PACKAGE = Path("tests/script/node_modules/pyodide")
FOLDER = "pyodide"
FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)


def runtime_files(root: Path) -> dict[str, bytes]:
    """Return the files that the site serves, by their paths; none where npm did not bring them."""
    package = root / PACKAGE
    if not all((package / name).is_file() for name in FILES):
        return {}
    return {f"{FOLDER}/{name}": (package / name).read_bytes() for name in FILES}
