"""Words of the drivers' languages: the tables of all."""

from __future__ import annotations

import re

from arrayapi_gpu.backends import cuda_words, opencl_words
from arrayapi_gpu.backends.languages import KERNELS, WORDS


def test_the_tables_share_no_word() -> None:
    assert len(WORDS) == len(cuda_words.CUDA_WORDS) + len(opencl_words.OPENCL_WORDS)
    assert len(KERNELS) == 2


def test_what_a_word_becomes_is_no_word_of_a_driver() -> None:
    for word in WORDS.values():
        assert not any(re.search(pattern, word) for pattern in WORDS)
