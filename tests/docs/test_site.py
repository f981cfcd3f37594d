"""The site of `make docs`, without Sphinx: each public name has a page, and links lead to pages.

The build itself checks the links of the pages as they are shown.
"""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest
from api_pages import Pages
from check_site import MOST_OF_PICTURE, Site
from comparison_pages import comparison_pages
from drawings import Drawing
from inventories import Inventories, generated
from peers import names
from repository_pages import COPIED, ROOT, SHOWN, Sources, anchor
from test_docstrings import PUBLIC
from versions import kept, switcher
from where_rows import _table

import arrayapi_gpu as xp


@cache
def pages() -> Pages:
    return Pages(Inventories())


@cache
def texts() -> dict[str, str]:
    return pages().pages()


@cache
def sources() -> dict[str, str]:
    return Sources().made()


# --- the API


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_has_a_page(module: str) -> None:
    found = importlib.import_module(module)
    names = {f"{module}.{name}" for name in found.__all__ if module != "arrayapi_gpu" or hasattr(xp, name)}
    modules = {"fft", "lib", "linalg", "random", "special"} if module == "arrayapi_gpu" else set()
    stride_tricks = {"arrayapi_gpu.lib.stride_tricks"}
    assert names - pages().names.keys() - {f"{module}.{name}" for name in modules} - stride_tricks == set()


def test_files_differ_by_more_than_capitals() -> None:
    assert len({file.lower() for file in pages().files.values()}) == len(pages().names) > 1100


def test_every_page_is_in_the_contents_of_a_chapter() -> None:
    chapters = set(pages().contents())
    listed = set(chapters)
    for name, text in texts().items():
        if name not in pages().files.values():
            listed.update(re.findall(r"^   ([\w.-]+)$", text.partition(".. toctree::")[2], re.MULTILINE))
    assert listed == texts().keys()


def test_functions_of_the_standard_lead_to_its_pages() -> None:
    without = [
        name.whole
        for chapter in pages().chapters[:11]
        for name in chapter.names
        if ":external+standard:" not in texts()[pages().files[name.whole]]
    ]
    assert without == []


def test_every_row_of_where_is_on_a_page() -> None:
    shown = "\n".join(texts().values())
    assert shown.count(".. rubric:: Where it computes") > 500
    short = {name.short.replace("random.Generator", "Generator") for name in pages().names.values()}
    assert [row for row in _table()[1] if row not in short] == []


def test_a_page_has_its_parameters_its_place_and_its_source() -> None:
    page = texts()["arrayapi_gpu.linalg.svd"]
    for part in ("py:function:: arrayapi_gpu.linalg.svd(", "**full_matrices**", "Where it computes", "``", ">>> "):
        assert part in page


# --- other pages


def test_pages_of_the_repository_are_pages_of_the_site() -> None:
    made = sources()
    assert {SHOWN[name] for name in COPIED} <= made.keys()
    for name, page in SHOWN.items():
        if page in made:
            assert (ROOT / name).exists()


def test_links_between_pages_lead_to_pages() -> None:
    known = {*sources(), *Sources().files, *(f"api/{name}.rst" for name in texts()), *comparison_pages(pages())}
    for name, text in {**sources(), **comparison_pages(pages())}.items():
        for link in re.findall(
            r"(?<!!)\[[^][]*\]\(([^)\s#]+)[^)\s]*\)", re.sub(r"```.*?^```", "", text, flags=re.M | re.S)
        ):
            if not re.match("[a-z]+:", link):
                target = (Path("/", name).parent / link).resolve().relative_to("/").as_posix()
                assert target in known or target.startswith("gallery/"), f"{name}: {link}"


def test_a_page_that_is_included_has_links_of_the_site() -> None:
    text = sources()["speed.md"]
    assert "](../docs/" not in text and "# A large GPU" in text
    assert "](ancestors/index.md)" in text


def test_a_link_with_the_name_of_a_file_shows_the_title() -> None:
    shown = "\n".join(sources().values())
    assert not re.findall(r"\[[\w./-]+\.md\]\(", re.sub(r"```.*?^```", "", shown, flags=re.M | re.S))
    assert "[Contributing](../developer/contributing.md)" in sources()["developer/overview.md"].replace(
        "(contributing.md)", "(../developer/contributing.md)"
    )


def test_chapters_of_the_accuracy_are_pages() -> None:
    assert {f"accuracy/{anchor(title)}.md" for title in ("float16", "complex128")} <= sources().keys()


def test_pictures_are_small() -> None:
    pictures = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".png", ".svg", ".jpg")]
    assert [path.name for path in pictures if path.stat().st_size > MOST_OF_PICTURE] == []


def test_a_drawing_has_its_boxes_and_arrows() -> None:
    text = (
        'flowchart TB\nsubgraph a["first: x"]\ndirection LR\none --> two["b < c"]\nend\ntwo -->|"calls"| three["d"]\n'
    )
    html = Drawing(text).html()
    assert "first: x" in html and "<span>one</span> <span>b &lt; c</span>" in html
    assert "<li>b &lt; c → d: calls</li>" in html


def test_inventories_have_the_names_of_other_projects() -> None:
    assert {"array_api.sum", "array_api.linalg.svd", "array_api.array.__add__"} <= Inventories().names(
        "standard"
    ).keys()
    assert {"numpy.sum", "numpy.linalg.svd", "numpy.ndarray"} <= Inventories().names("numpy").keys()
    assert "scipy.special.erf" in Inventories().names("scipy") and Inventories().link("scipy", "scipy.gone") == ""
    lines = list(generated("numpy"))
    assert "numpy.absolute py:function 1 reference/generated/numpy.absolute.html#numpy.absolute -" in lines
    assert "numpy.concat py:function 1 reference/generated/numpy.concatenate.html#numpy.concatenate -" in lines


def test_names_are_read_from_sources() -> None:
    source = "from a import b as c, d\nimport e.f\ng = 1\ndef h(): ...\nif True:\n    from i import j\n"
    assert {"c", "d", "e.f", "g", "h", "j"} == set(names(ast.parse(source)))


# --- the checks of the built site


def test_faults_of_a_site_are_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<a href="b.html#x">b</a><a href="gone.html">c</a><a href="https://x">d</a>')
    (tmp_path / "b.html").write_text(
        '<p id="y"><img src="b.png"><script src="https://x/y.js"></script>' + " " * 300_000
    )
    (tmp_path / "b.png").write_bytes(b" " * 200_001)
    site = Site(tmp_path)
    assert site.dead_links() == [
        "b.html loads https://x/y.js",
        "index.html: b.html#x, no such anchor",
        "index.html: gone.html",
    ]
    assert [fault.partition(":")[0] for fault in sorted(site.large())] == ["b.html", "b.png"]
    assert site.unlisted(["index"]) == ["b.html"]
    assert site.without_page({"xp.f": "f"}) == ["xp.f"]


def test_the_last_release_of_each_series_has_a_site() -> None:
    tags = ["v0.9.0", "v0.9.10", "v0.9.9", "v0.10.0", "v1.0.0", "v1.1.0rc1", "w2.0.0", "v0.1.0", "v0.2.0", "v0.3.1"]
    assert kept(tags) == ["v1.0.0", "v0.10.0", "v0.9.10", "v0.3.1", "v0.2.0"]
    entries = switcher(["v1.0.0", "v0.10.0"], "https://x.org/docs/")
    assert [entry["url"] for entry in entries] == [
        f"https://x.org/docs/{name}/" for name in ("dev", "v1.0.0", "v0.10.0")
    ]
    assert [entry.get("preferred") for entry in entries] == [None, True, False]
