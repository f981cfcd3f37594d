"""Build the site in build/docs and check it: `make docs`.

The sources of all pages are written into build/docs/source: the pages of docs/, those of other folders, the pages of
the API and of the comparison. Sphinx reads this folder; docs/conf.py is its configuration.
"""

from __future__ import annotations

import argparse
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1])]

from api_pages import Pages  # noqa: E402
from check_site import MOST_OF_PICTURE, Site  # noqa: E402
from comparison_pages import comparison_pages, summary  # noqa: E402
from inventories import Inventories  # noqa: E402
from PIL import Image  # noqa: E402
from repository_pages import DOCS, ROOT, SOURCE, Sources, anchor  # noqa: E402

PLACE = re.compile("^<!-- made by the build: (.*?) -->$", re.MULTILINE)
HTML = SOURCE.with_name("html")


def written(texts: dict[str, str], copied: dict[str, Path]) -> None:
    """Make the folder that Sphinx reads. A file with the same content remains: Sphinx does not read it again."""
    for name, text in texts.items():
        file = SOURCE / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")
    for name, path in copied.items():
        file = SOURCE / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_bytes() != path.read_bytes():
            shutil.copyfile(path, file)
    for path in list(SOURCE.rglob("*")):
        name = path.relative_to(SOURCE).as_posix()
        if path.is_file() and name not in texts and name not in copied and not name.startswith("gallery/"):
            path.unlink()


def sources() -> Pages:
    """Write the sources of all pages."""
    pages, files = Pages(Inventories()), Sources()
    texts = files.made()
    generated = {
        "api contents": "\n".join(pages.contents()),
        "comparison summary": summary(pages),
        "accuracy contents": "\n".join(f"accuracy/{anchor(one)}" for one in [*files.chapters, "Random numbers"]),
    }
    for name, text in texts.items():
        texts[name] = PLACE.sub(lambda found: generated[found[1]], text)
    texts |= {f"api/{name}.rst": text for name, text in pages.pages().items()}
    texts |= comparison_pages(pages)
    written(texts, {name: DOCS / name for name in files.files if not name.endswith((".md", ".py", ".json"))})
    return pages


def contents() -> set[str]:
    """The documents that the contents reach from the first page. Pages of documents that do not exist are removed."""
    with (SOURCE.with_name("doctrees") / "environment.pickle").open("rb") as file:
        environment = pickle.load(file)
    for page in HTML.rglob("*.html"):
        name = page.relative_to(HTML).as_posix().removesuffix(".html")
        if name not in environment.all_docs and name != "search" and not name.startswith("_"):
            page.unlink()
    found, left = {"index"}, ["index"]
    while left:
        new = [name for name in environment.toctree_includes.get(left.pop(), []) if name not in found]
        found.update(new)
        left += new
    return found


def make_small() -> None:
    """Give large pictures of the gallery a palette of 256 colours, which takes a third of the bytes."""
    for path in HTML.glob("_images/sphx_glr_*.png"):
        if path.stat().st_size > MOST_OF_PICTURE * 3 // 4:
            with Image.open(path) as picture:
                palette = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
            palette.save(path, optimize=True)


def main() -> int:
    """Build and check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", action="store_true", help="write the sources of the pages, and build nothing")
    parser.add_argument("--jobs", default="auto", help="processes of Sphinx")
    arguments = parser.parse_args()
    pages = sources()
    if arguments.sources:
        return 0
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-j", arguments.jobs, "-b", "html"]
    command += ["-c", str(DOCS), "-d", str(SOURCE.with_name("doctrees")), str(SOURCE), str(HTML)]
    status = subprocess.run(command, cwd=ROOT).returncode
    if status:
        return status
    listed = contents()
    make_small()
    site = Site(HTML)
    faults = {
        "dead links": site.dead_links(),
        "too large": site.large(),
        "not in the contents": site.unlisted(listed),
        "names without a page": site.without_page(pages.files),
    }
    for title, found in faults.items():
        for one in found:
            print(f"{title}: {one}", file=sys.stderr)
    size = sum(path.stat().st_size for path in site.files.values())
    print(f"{len(site.pages)} pages, {len(pages.files)} public names, {size / 1e6:.1f} MB: {HTML / 'index.html'}")
    return 1 if any(faults.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
