"""Device functions made of users' bodies: which way they are computed, and their texts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arrayapi_gpu.kernels.user.user_functions import UserBody, functions_of, in_dialect, indexed, preamble_of

FLOAT32 = np.dtype("float32")
BODY = UserBody("f", "y = x + 1", "", (("x", FLOAT32),), (), (("y", FLOAT32),), (), True)


def test_the_same_body_gives_the_same_rules() -> None:
    assert functions_of(BODY) is functions_of(replace(BODY, text="y = " + "x + 1"))


def test_bodies_without_loops_are_for_registers() -> None:
    assert not functions_of(BODY).by_lanes
    assert functions_of(replace(BODY, text="for (;;) { y = x; break; }")).by_lanes


def test_each_result_has_a_function() -> None:
    body = replace(BODY, text="y = x; z = x", results=(("y", FLOAT32), ("z", np.dtype("int8"))))
    rules = functions_of(body).rules
    assert [rule.result for rule in rules] == [FLOAT32, np.dtype("int8")]
    assert rules[0].function != rules[1].function
    assert rules[0].family is rules[1].family


@pytest.mark.parametrize(
    ("text", "incoming"),
    [
        ("for (int k = 0; k < 2; k++) y += x;", ("y",)),
        ("float t[2] = {x, x}; y = t[0];", ()),
        ("while (x > 2) y = 1;", ("y",)),
    ],
)
def test_old_values_are_operands_where_they_may_be_read(text: str, incoming: tuple[str, ...]) -> None:
    found = functions_of(replace(BODY, text=text))
    assert found.incoming == incoming
    assert len(found.rules[0].args) == 1 + len(incoming)


def test_types_and_functions_get_the_dialects_words() -> None:
    text, called = in_dialect("unsigned long long k = (T)exp(x.exp); mine(k);", {"T": FLOAT32}, {"x": "a0"}, True)
    assert text == "M_u64 k = (M_f32)ours_exp(a0.exp); mine(k);"
    assert called == {"exp"}


def test_elements_are_found_between_brackets() -> None:
    assert indexed("ax[1] + x[y[i] + 1] - x.x[2]", "x", "<{}>".format) == "ax[1] + <y[i] + 1> - x.x[2]"


def test_functions_of_a_preamble_have_names_of_their_own() -> None:
    texts, names = preamble_of(
        "#define TWO 2\n__device__ float twice(float x) { return TWO * x; }\nint one() { return 1; }", "f", "u1", True
    )
    assert names == {"twice": "twice_u1", "one": "one_u1", "TWO": "TWO_u1"}
    assert "FN M_f32 twice_u1(M_f32 x) { return TWO_u1 * x; }" in texts[0]
    assert "#define TWO_u1 2" in texts[0]


def test_type_errors_come_before_compilers() -> None:
    with pytest.raises(TypeError, match="use fmod"):
        functions_of(replace(BODY, text="y = x % 2"))
