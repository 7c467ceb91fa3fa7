"""What the cells of a notebook printed is read as a log."""

import json
from pathlib import Path

import pytest

from checker.scan.notebook import printed_by_cells, python_form
from checker.scan.observe import observe

# As IPython 8.31 prints it, with its colors.
TRACEBACK = [
    "\x1b[0;31m" + "-" * 75 + "\x1b[0m",
    "\x1b[0;31mRuntimeError\x1b[0m" + " " * 30 + "Traceback (most recent call last)",
    "Cell \x1b[0;32mIn[3], line 5\x1b[0m\n"
    "\x1b[1;32m      2\x1b[0m     \x1b[38;5;28;01mreturn\x1b[39;00m 1\n"
    "\x1b[1;32m      4\x1b[0m \n\x1b[0;32m----> 5\x1b[0m \x1b[43mstep\x1b[49m()\n",
    "File \x1b[0;32m~/project/train.py:12\x1b[0m, in \x1b[0;36mstep\x1b[0;34m(batch)\x1b[0m\n"
    "\x1b[1;32m     11\x1b[0m     loss = model(batch)\n"
    "\x1b[0;32m---> 12\x1b[0m     loss.backward()\n",
    "\x1b[0;31mRuntimeError\x1b[0m: CUDA out of memory. Tried to allocate 2.00 GiB\nsecond line",
]
CELLS = [
    {
        "cell_type": "code",
        "source": ['print("CUDA out of memory")'],
        "outputs": [
            {"name": "stdout", "output_type": "stream", "text": ["step 1\n", "step 2\n"]},
            {
                "data": {"image/png": "A" * 600_000 + '\\"', "text/plain": ["CUDA out of memory"]},
                "output_type": "display_data",
            },
            {"name": "stderr", "output_type": "stream", "text": 'said "a\\b"\n'},
        ],
    },
    {
        "cell_type": "code",
        "source": [],
        "outputs": [
            {
                "ename": "RuntimeError",
                "evalue": "CUDA out of memory",
                "output_type": "error",
                "traceback": TRACEBACK,
            },
            {"ename": "KeyError", "evalue": "'x'", "output_type": "error", "traceback": []},
        ],
    },
]
PRINTED = """\
step 1
step 2
said "a\\b"
Traceback (most recent call last):
  File "<ipython-input-3>", line 5, in <module>
    step()
  File "~/project/train.py", line 12, in step
    loss.backward()
RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB
second line
KeyError: 'x'
"""


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("size", [1, 7, 4096, 98304])
def test_outputs_are_read(indent: int | None, size: int) -> None:
    """However the JSON is laid out and cut, what was printed comes out, and no source or image."""
    cells = CELLS if size > 100 else [CELLS[1]]
    data = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=indent).encode()
    blocks = (data[start : start + size] for start in range(0, len(data), size))
    expected = PRINTED if size > 100 else PRINTED[PRINTED.index("Traceback") :]
    assert b"".join(printed_by_cells(blocks)).decode() == expected


def test_an_exception_of_a_cell_is_an_exception(tmp_path: Path) -> None:
    """It has the frames, and lines are counted in what was printed."""
    path = tmp_path / "train.ipynb"
    path.write_text(json.dumps({"cells": CELLS, "nbformat": 4}), encoding="utf-8")
    seen = observe([str(path)], frozenset({"log CUDA out of memory"}))
    (block,) = seen.tracebacks
    assert [(frame.path, frame.line, frame.function) for frame in block.parts[0].frames] == [
        ("<ipython-input-3>", 5, "<module>"),
        ("~/project/train.py", 12, "step"),
    ]
    assert block.parts[0].type == "RuntimeError"
    assert [hit.line.number for hit in seen.hits] == [9]


def test_a_notebook_without_outputs_says_so(tmp_path: Path) -> None:
    """The source of a notebook is no log."""
    path = tmp_path / "train.ipynb"
    cells = [{"cell_type": "code", "source": ["CUDA out of memory"], "outputs": []}]
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}), encoding="utf-8")
    (given,) = observe([str(path)], frozenset({"log CUDA out of memory"})).inputs
    assert (given.status, given.reason, given.refused) == (
        "unreadable",
        "a notebook without outputs",
        False,
    )


@pytest.mark.parametrize(
    ("head", "file", "function"),
    [
        ("<ipython-input-3-0a1b2c> in <module>", "<ipython-input-3-0a1b2c>", "<module>"),
        ("<ipython-input-3-0a1b2c> in <module>()", "<ipython-input-3-0a1b2c>", "<module>"),
        ("/opt/lib/nn/module.py in forward(self, x)", "/opt/lib/nn/module.py", "forward"),
        ("Input In [3], in <cell line: 1>()", "<ipython-input-3>", "<module>"),
        ("Cell In[3], line 1, in step(x)", "<ipython-input-3>", "step"),
    ],
)
def test_older_forms_of_frames_are_read(head: str, file: str, function: str) -> None:
    """IPython wrote the heads of frames in several ways."""
    rows = ["-" * 75, "KeyError" + " " * 34 + "Traceback (most recent call last)", head]
    rows += ["      1 a = {}", "----> 2 a['x']", "      3 b", "", "KeyError: 'x'"]
    assert python_form(rows) == [
        "Traceback (most recent call last):",
        f'  File "{file}", line 2, in {function}',
        "    a['x']",
        "KeyError: 'x'",
    ]
