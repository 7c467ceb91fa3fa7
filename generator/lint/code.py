"""Checks of the code that an entry shows."""

import ast
import configparser
import json
import textwrap
import tomllib
import warnings
from collections.abc import Callable, Iterator

import yaml

from generator.lint.registry import Finding, entry_check
from generator.load import Loaded


@entry_check
def code_syntax(loaded: Loaded) -> Iterator[Finding]:
    """A snippet is complete enough to be read by its language."""
    for index, snippet in enumerate(loaded.entry.code):
        for key, text in (("before", snippet.before), ("after", snippet.after)):
            read = _READERS.get(snippet.language)
            if text is None or read is None:
                continue
            line = _failing_line(read, text)
            if line is not None:
                where = f" at its line {line}" if line else ""
                yield Finding(
                    loaded,
                    ("code", index, key),
                    f"this is not {snippet.language}{where}",
                    "fix it, or correct 'language'; what is left out is written as a comment",
                )


def _failing_line(read: Callable[[str], object], text: str) -> int | None:
    """Give the line where a snippet cannot be read: None where it can, 0 where no line is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read(textwrap.dedent(text))
        except (SyntaxError, json.JSONDecodeError) as error:
            return error.lineno or 0
        except yaml.MarkedYAMLError as error:
            return error.problem_mark.line + 1 if error.problem_mark else 0
        except (ValueError, yaml.YAMLError, configparser.Error):
            return 0
    return None


_READERS: dict[str, Callable[[str], object]] = {
    "python": ast.parse,
    "json": json.loads,
    "yaml": yaml.safe_load,
    "toml": tomllib.loads,
    "ini": lambda text: configparser.ConfigParser(interpolation=None).read_string(text),
}
