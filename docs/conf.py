"""The configuration of Sphinx. `make docs` builds the site; docs/_ext/build_site.py makes the pages that it reads."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]

import inventories  # noqa: E402
import repository_pages  # noqa: E402

import arrayapi_gpu  # noqa: E402

project = "arrayapi_gpu"
author = "The arrayapi_gpu authors"
copyright = "the arrayapi_gpu authors"
release = version = arrayapi_gpu.__version__

extensions = ["myst_parser", "sphinx.ext.intersphinx", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["gallery/README.*", "gallery/GALLERY_HEADER.*"]
nitpicky = True
suppress_warnings = ["config.cache"]  # the gallery's configuration holds a class

myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 6
myst_links_external_new_tab = False

intersphinx_mapping = {
    name: (address, str(inventories.FOLDER / f"{name}.inv")) for name, address in inventories.ADDRESSES.items()
}
intersphinx_disabled_reftypes = ["*"]  # other projects' names are linked where a page says so

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

if any((HERE / "gallery").glob("*.py")):
    extensions.append("sphinx_gallery.gen_gallery")
    exclude_patterns = []
    sphinx_gallery_conf: dict[str, Any] = {
        "examples_dirs": str(HERE / "gallery"),
        "gallery_dirs": "gallery",
        "filename_pattern": r"\.py$",
        "ignore_pattern": r"__init__\.py$",
        "abort_on_example_error": True,
        "download_all_examples": False,
        "remove_config_comments": True,
        "show_signature": False,
        "write_computation_times": False,
        "min_reported_time": 0,
        "plot_gallery": True,
    }

html_theme = "pydata_sphinx_theme"
html_title = "arrayapi_gpu"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(HERE / "_static/scorer.js")
html_copy_source = html_show_sourcelink = False
html_show_sphinx = False
html_use_index = False  # the contents of the API list all names, and the search finds them
html_domain_indices = False
# A page without subpages or neighbours needs no list of them.
html_sidebars: dict[str, list[str]] = {
    page.stem: [] for page in HERE.glob("*.md") if page.stem == "index" or "{toctree}" not in page.read_text("utf-8")
}
html_theme_options: dict[str, Any] = {
    "collapse_navigation": True,
    "navigation_depth": 3,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
if os.environ.get("DOCS_VERSION"):  # one of several versions of the site, in a folder next to the others
    html_theme_options["switcher"] = {
        "json_url": os.environ["DOCS_SWITCHER"],
        "version_match": os.environ["DOCS_VERSION"],
    }
    html_theme_options["check_switcher"] = False
    html_theme_options["navbar_end"] = ["version-switcher", "theme-switcher"]
    release = version = os.environ["DOCS_VERSION"]
if "Source" in repository_pages.URLS:
    html_theme_options["icon_links"] = [
        {"name": "Source", "url": repository_pages.forge(), "icon": "fa-brands fa-github", "type": "fontawesome"}
    ]
    html_theme_options["navbar_end"].append("navbar-icon-links")
