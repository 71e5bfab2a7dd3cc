"""What MkDocs asks while it builds the site: the rules' pages, and links that hold there and on GitHub.

The documents link to the rules by their published addresses, as there are no such files; here these become
links between pages, which `mkdocs build --strict` follows.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import evidence
import rule_pages
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from dlint.reports.pages import SITE

_ADDRESS = re.compile(rf"(?<=\(){re.escape(SITE)}([\w/-]+)/(?=[)#])")
_EVIDENCE = "evidence.md"
_RULES = {"Rules": rule_pages.INDEX}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the rules where the navigation of mkdocs.yml has a place for them."""
    if config.site_url != SITE:
        raise ValueError(f"site_url is {config.site_url}, and dlint prints addresses of {SITE}")
    entries = config.nav or []
    if _RULES not in entries:
        raise ValueError(f"nav has no {_RULES}")
    config.nav = [{"Rules": rule_pages.navigation()} if each == _RULES else each for each in entries]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the rules' pages."""
    text = (Path(config.docs_dir) / _EVIDENCE).read_text(encoding="utf-8")
    for place, content in rule_pages.pages(evidence.read(text)).items():
        files.append(File.generated(config, place, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Turn published addresses into links to the pages of this build, and give the widest table room."""
    if page.file.src_uri == _EVIDENCE:
        page.meta["hide"] = ["toc"]
    here = posixpath.dirname(page.file.src_uri)
    return _ADDRESS.sub(lambda found: posixpath.relpath(f"{found[1]}.md", here or "."), markdown)
