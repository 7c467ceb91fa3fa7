"""An extension is to be compiled when it is loaded, and that cannot be done.

Made by a `PATH` without ninja, by a CUDA source without a CUDA toolkit, and by a source that
includes a file which is not there. Run with `python tests/repro/run.py extension_not_built`.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from torch.utils.cpp_extension import load

CAPTURES = {
    "no_ninja": {
        "torchrun": None,
        "arguments": ["scale.cpp"],
        "environment": {"PATH": "/nonexistent"},
        "exit": 1,
        "expect": {"console.log": ["RuntimeError: Ninja is required to load C++ extensions"]},
    },
    "no_toolkit": {
        "torchrun": None,
        "arguments": ["scale.cu"],
        "needs": ["ninja", "c++"],
        "exit": 1,
        "expect": {
            "console.log": [
                "OSError: CUDA_HOME environment variable is not set. "
                "Please set it to your CUDA install root."
            ]
        },
    },
    "broken_source": {
        "torchrun": None,
        "arguments": ["scale.cpp"],
        "needs": ["ninja", "c++"],
        "exit": 1,
        "expect": {
            "console.log": [
                "RuntimeError: Error building extension 'scale'",
                "scale.cpp:2:10: fatal error: scale.h: No such file or directory",
                "ninja: build stopped: subcommand failed.",
            ]
        },
        "deadline": 300,
    },
}


def main(source: str) -> None:
    """Write a source, and load what is compiled of it."""
    folder = Path(tempfile.mkdtemp(prefix="extension-"))
    os.environ["TORCH_EXTENSIONS_DIR"] = str(folder)
    text = '#include <torch/extension.h>\n#include "scale.h"\n'
    (folder / source).write_text(text, encoding="utf-8")
    load(name="scale", sources=[str(folder / source)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("source", choices=["scale.cpp", "scale.cu"])
    main(parser.parse_args().source)
