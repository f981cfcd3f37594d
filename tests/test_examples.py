"""Examples of all pages: README.md and docs/ run, on every device, and print what the pages show.

`tests/support/pages.py` says how an example and its output are written. A page is a program in a process of its own,
with the configuration of a user, in an empty directory.
"""

from __future__ import annotations

import codeop
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import pages
from support.processes import with_modules

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy import handle

ROOT = Path(__file__).parents[1]
FILES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
NAMES = [path.relative_to(ROOT).as_posix() for path in FILES]

# Pages whose examples other tests run, because they need names that the test makes.
OTHERS = {
    "docs/how-to/from-pyopencl.md": "tests/test_docs.py",
    "docs/how-to/from-pygpu.md": "tests/pygpu/test_pygpu_features.py",
    "docs/developer/overview.md": "tests/test_examples.py",
}
# Examples that no test runs (`{code-block} python` in the page), by page, and the reason.
UNTESTED: dict[str, tuple[int, str]] = {
    "docs/how-to/from-cupy.md": (1, "the program before needs CuPy and a GPU"),
    "docs/how-to/deployment.md": (1, "processes import the program, which must be a file"),
}

PAGES = [
    name
    for name, path in zip(NAMES, FILES, strict=True)
    if name not in OTHERS and pages.blocks(path.read_text("utf-8"))
]


@pytest.mark.parametrize("page", PAGES)
def test_examples_run_and_print_what_the_page_shows(page: str, device: Device, tmp_path: Path) -> None:
    if "f64" not in device.dtypes:
        pytest.skip(f"{device} has no float64, which pages show")
    environment = {**with_modules(ROOT), "ARRAYAPI_GPU_DEVICE": device.name, "MPLBACKEND": "Agg"}
    environment.pop("SCIPY_ARRAY_API", None)
    program = [sys.executable, "-P", str(Path(pages.__file__)), str(ROOT / page), device.name]
    done = subprocess.run(program, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr
    if done.stdout:
        pytest.skip(f"not installed: {' '.join(done.stdout.split())}")


def test_the_first_steps_can_be_typed() -> None:
    """Interactive Python reads a line at a time, and needs an empty line after a block."""
    for block in pages.blocks((ROOT / "docs/first-steps.md").read_text("utf-8")):
        typed: list[str] = []
        for line in [*block.text.splitlines(), ""]:
            typed = [*typed, line] if line or typed else []
            if typed and codeop.compile_command("\n".join(typed)) is not None:
                typed = []
        assert not typed, typed


@pytest.mark.parametrize("page", NAMES)
def test_every_example_is_run_or_counted(page: str) -> None:
    """Python has one tag of its own, so that no example hides behind another."""
    text = (ROOT / page).read_text("utf-8")
    tags = [fence[1] for fence in pages.FENCE.finditer(text)]
    assert {"py", "python3", "pycon", "ipython", ""}.isdisjoint(tags), tags
    assert text.count("```python") == tags.count("python"), "a block inside another, or one without an end"
    assert text.count("```{code-block} python") == UNTESTED.get(page, (0, ""))[0]


@pytest.mark.parametrize("page", NAMES)
def test_lines_are_short_except_for_tables(page: str) -> None:
    lines = (ROOT / page).read_text("utf-8").splitlines()
    assert max(len(line) for line in lines if not line.startswith("|")) <= 140


@pytest.mark.usefixtures("device")
def test_the_operation_of_the_overview_reverses_elements() -> None:
    (block,) = pages.blocks((ROOT / "docs/developer/overview.md").read_text("utf-8"))
    names: dict[str, Any] = {"__name__": "arrayapi_gpu.lazy.build.reverses"}
    exec(compile(block.text, "reverses.py", "exec"), names)
    x = xp.reshape(xp.arange(6), (2, 3))
    assert handle(xp.Array, names["reversed_along"](x._node, 1)).tolist() == [[2, 1, 0], [5, 4, 3]]


def check(text: str, directory: Path, device: str = "native", names: dict[str, Any] | None = None) -> set[str]:
    """Run a page of this text."""
    page = directory / "page.md"
    page.write_text(text, "utf-8")
    return pages.run_page(page, device, {} if names is None else names)


def example(text: str, shown: str = "") -> str:
    """An example, with the text that it prints."""
    return f"Words.\n\n```python\n{text}\n```\n" + (f"\nWords.\n\n```text\n{shown}\n```\n" if shown else "\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("print(1 + 1)  # 2", ""),
        ("x = 3\nprint(x)", "3"),
        ("print(1)  # 1\nprint(2)", "2"),
        ("for k in range(2):\n    print(k)", "0\n1"),
        ("print('took 3.1 ms')", "took 0.2 ms"),
        ("print('a  1 ms  17')\nprint('b 2 ms 18')", "b 3 ms 20\na 1 ms 3"),
        ("print('at 0x17 in memory')", "at ... in memory"),
    ],
)
def test_what_is_shown_is_accepted(text: str, shown: str, tmp_path: Path) -> None:
    assert check(example(text, shown), tmp_path) == set()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("print(1 + 1)  # 3", ""),
        ("print(3)", ""),
        ("print(3)", "4"),
        ("x = 3", "3"),
        ("print(1)  # 1", "1"),
        ("print(1)\nprint(2)", "2\n1"),
        ("print('5 launches took 3.1 ms')", "4 launches took 3.1 ms"),
        ("import threading\nt = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()", ""),
    ],
)
def test_what_is_not_printed_is_an_error(text: str, shown: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        check(example(text, shown), tmp_path)


def test_another_device_has_its_name_and_its_launches(tmp_path: Path) -> None:
    check(example("print('on opencl:0:0')", "on native"), tmp_path, "opencl:0:0")
    check(
        example(
            "print('# launch 1 (reduction, opencl:0:0, its kernel is being compiled)')",
            "# launch 1 (reduction, native)",
        ),
        tmp_path,
        "opencl:0:0",
    )
    check(example("print('2 launches took 1 ms')", "3 launches took 1 ms"), tmp_path, "opencl:0:0")
    with pytest.raises(AssertionError):
        check(example("print('2 launches')", "3 launches"), tmp_path, "opencl:0:0")


def test_a_text_without_an_example_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no example prints"):
        check("```text\n3\n```\n", tmp_path)


def test_examples_share_names_and_lines_are_those_of_the_page(tmp_path: Path) -> None:
    page = example("x = 3") + example("print(x + 1)  # 4") + example("# slow.py\ndef f():\n    return 1 / 0")
    names: dict[str, Any] = {}
    check(page, tmp_path, names=names)
    assert names["f"].__code__.co_filename == "slow.py" and names["f"].__code__.co_firstlineno == 2
    with pytest.raises(ZeroDivisionError) as found:
        check(example("1 / 0"), tmp_path)
    assert Path(found.traceback[-1].path).name == "page.md" and found.traceback[-1].lineno + 1 == 4


def test_examples_of_absent_packages_and_those_that_need_them_are_left_out(tmp_path: Path) -> None:
    page = example("x = 1") + example("import absent_one as a\nx = a.x\ny = 2\nprint(y)") + example("print(x)  # 1")
    page += example("print(y)") + example("y = 3\nprint(y)  # 3") + example("from absent_two.b import z")
    assert check(page, tmp_path) == {"absent_one", "absent_two"}


def test_a_block_with_options_is_no_example_and_hides_none(tmp_path: Path) -> None:
    page = "```{code-block} python\nimport absent\n```\n\n" + example("print(3)  # 3")
    assert check(page, tmp_path) == set() and len(pages.blocks(page)) == 1


def test_tests_of_other_pages_exist() -> None:
    assert all((ROOT / page).exists() and (ROOT / test).exists() for page, test in OTHERS.items())
