"""Small tables: text, HTML and numbers."""

from __future__ import annotations

import math

import pytest

from arrayapi_gpu.tables import Table, amount, counted, duration, rate

TABLE = Table({"name": str, "seconds": duration}, [("one", 2.5), ("<two>", 1e-5)])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 s"), (2.5, "2.5 s"), (0.012345, "12.3 ms"), (1.5e-6, "1.5 us"), (3e-9, "3 ns"), (1234.0, "1234 s"),
        (math.nan, "nan"),
    ],
)  # fmt: skip
def test_durations_have_three_digits_and_a_unit(value: float, text: str) -> None:
    assert duration(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0 B"), (12, "12 B"), (4_000_000, "4 MB"), (5_120_000_000_000, "5.12 TB")]
)
def test_amounts_have_a_unit(value: int, text: str) -> None:
    assert amount(value) == text


def test_a_rate_that_is_not_known_is_empty() -> None:
    assert (rate(0.0), rate(12.3e9)) == ("", "12.3 GB/s")


def test_a_table_prints_with_aligned_columns() -> None:
    assert str(TABLE) == "name   seconds\none      2.5 s\n<two>    10 us"
    assert TABLE.text(1).splitlines()[1:] == ["one     2.5 s", "... 1 more"]


def test_rows_are_numbers_by_name() -> None:
    assert [row.seconds for row in TABLE] == [2.5, 1e-5] and TABLE[1].name == "<two>" and len(TABLE) == 2


def test_html_is_escaped() -> None:
    text = TABLE._repr_html_()
    assert "<td>&lt;two&gt;</td>" in text and text.count("<tr>") == 3
    assert Table({"name": str}, []).html() == ""


def test_a_number_has_its_noun() -> None:
    assert [counted(n, "launch", "launches") for n in (0, 1, 2)] == ["0 launches", "1 launch", "2 launches"]
