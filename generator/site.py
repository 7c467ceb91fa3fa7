"""The site, from its pages on disk: MkDocs renders them, and each page is bound by its policy."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from checker.report.page_style import page_style
from generator.pages.paste import PYTHON_PAGES
from generator.policy import bind

# Whose build asks for MkDocs 1 by a range needs no word about a version 2.
_QUIET = {"NO_MKDOCS_2_WARNING": "1"}


def render_site(folder: Path, environment: Mapping[str, str] = os.environ) -> str:
    """Render the pages below *folder* into its `site`; return what MkDocs complains of, or ''."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "--quiet", "build", "--strict"],
        cwd=folder,
        env={**environment, **_QUIET},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        return done.stderr or f"mkdocs ended with status {done.returncode}"
    bind(folder / "site", PYTHON_PAGES, [page_style()])
    return ""
