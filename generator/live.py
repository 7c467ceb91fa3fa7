"""The site while entries are written: all pages once, then by itself each one that is new."""

from pathlib import Path

from mkdocs.commands.build import build, get_context
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, get_files
from mkdocs.structure.nav import get_navigation
from mkdocs.structure.pages import Page


class LiveSite:
    """A rendered site, of which a page costs no more than itself.

    MkDocs, told to render only what changed, still reads its configuration, every name and every
    template again. Here they stay.
    """

    def __init__(self, config: MkDocsConfig) -> None:
        """Render all pages of the configured folder."""
        build(config, serve_url=config.site_url)
        self._config = config
        self._files = get_files(config)
        self._environment = config.theme.get_env()
        self._files.add_files_from_theme(self._environment, config)
        self._navigation = get_navigation(self._files, config)

    def write(self, path: str, text: str) -> None:
        """Put the page of that path, whose Markdown is *text*, into the site."""
        config = self._config
        known = self._files.get_file_from_path(path)
        if known is not None:
            self._files.remove(known)
        file = File.generated(config, path, content=text)
        self._files.append(file)
        page = Page(None, file, config)
        page.read_source(config)
        page.render(config, self._files)
        context = get_context(self._navigation, self._files, config, page)
        template = self._environment.get_template(page.meta.get("template", "main.html"))
        target = Path(file.abs_dest_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        # A browser that asks at this moment gets the old page or the new one, whole.
        new = target.with_suffix(".new")
        new.write_text(template.render(context), encoding="utf-8", errors="xmlcharrefreplace")
        new.replace(target)
