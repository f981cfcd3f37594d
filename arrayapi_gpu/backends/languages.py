"""Words of the drivers' languages in users' kernels, as regular expressions, and their translations."""

from __future__ import annotations

from . import cuda_words, opencl_words

KERNELS = cuda_words.CUDA_KERNEL, opencl_words.OPENCL_KERNEL  # before the name of a kernel, and its type, which is void
WORDS = cuda_words.CUDA_WORDS | opencl_words.OPENCL_WORDS
