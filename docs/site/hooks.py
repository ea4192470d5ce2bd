"""What is added to the pages when the site is built: results of their code, equations, references.

Files of the repository that are pages, too, are taken from where they are; links between files
lead to the pages made of them.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from mkdocs.config.defaults import MkDocsConfig  # noqa: E402
from mkdocs.exceptions import PluginError  # noqa: E402
from mkdocs.structure.files import File, Files  # noqa: E402
from mkdocs.structure.pages import Page  # noqa: E402

import page_code  # noqa: E402
import reference  # noqa: E402
from equations import with_mathml  # noqa: E402

ROOT = HERE.parent.parent
# Pages whose text stands elsewhere in the repository.
SOURCES = {
    "index.md": "README.md",
    "file_format.md": "crates/softwood/MODEL_FORMAT.md",
    "benchmarks.md": "benches/README.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
}
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)#:\s]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
# What a page would have to load from elsewhere to be shown.
REMOTE = re.compile(r"<(?:script|img|iframe)[^>]*src=\"?https?:|<link[^>]*stylesheet[^>]*https?:")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not files of this folder."""
    for page, source in SOURCES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    for page, text in reference.pages():
        files.append(File.generated(config, f"reference/{page}.md", content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put results, equations and links into a page."""
    uri = page.file.src_uri
    if page_code.shows(markdown):
        markdown = _with_results(markdown, uri, config, files)
    parts = FENCE.split(with_mathml(markdown))
    at = posixpath.dirname(SOURCES.get(uri, f"docs/{uri}"))
    parts[::2] = [LINK.sub(lambda found: _link(found, at, uri), part) for part in parts[::2]]
    return "".join(parts)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Refuse pages that need anything from elsewhere."""
    found = REMOTE.search(output)
    if found:
        raise PluginError(f"{page.file.src_uri} needs something from elsewhere: {found[0]}")
    return output


def _with_results(markdown: str, uri: str, config: MkDocsConfig, files: Files) -> str:
    parts, end = [], 0
    for place, shown in enumerate(page_code.run(markdown, uri)):
        parts.append(markdown[end : shown.end])
        end = shown.end + len(shown.marker)
        if not shown.pictures:
            parts.append(f"\n```text\n{shown.printed.rstrip()}\n```\n")
        for style, drawn in shown.pictures.items():
            picture = f"pictures/{uri.removesuffix('.md')}_{place}_{style}.svg"
            files.append(File.generated(config, picture, content=drawn))
            leads = posixpath.relpath(picture, posixpath.dirname(uri) or ".")
            parts.append(f"\n![{shown.said}]({leads}#only-{style})")
    return "".join([*parts, markdown[end:]])


def _link(found: re.Match[str], at: str, uri: str) -> str:
    """Return a link between files as one between pages."""
    said, target, place = found[1], found[2], found[3] or ""
    path = posixpath.normpath(posixpath.join(at, target))
    if "#only-" in place:
        return found[0]
    pages = {source: page for page, source in SOURCES.items()}
    lead = pages.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
    if lead is None:
        if not (ROOT / path).exists():
            raise PluginError(f"{uri} has a link to {target}, which is not there")
        return said[1:-1]  # a file that is not on the site
    return f"{said}({posixpath.relpath(lead, posixpath.dirname(uri) or '.')}{place})"
