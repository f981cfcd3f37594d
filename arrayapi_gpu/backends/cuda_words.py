"""Words of CUDA C in users' kernels, as regular expressions, and their translations into the dialect.

`L0` to `L2`, `N0` to `N2` and `G0`, `G1` are the extents of groups and of the grid, `kernels.user.raw_text`.
"""

from __future__ import annotations

import re

# Words that stay, so they compile on CUDA alone.
CUDA_ALONE = re.compile(
    r"\batomic(?:Sub|Max|Min|CAS|And|Or|Xor|Inc|Dec)\b|\b__(?:constant|managed)__|\b(?:static|reinterpret)_cast\b|"
    r"\btemplate\b|\bauto\b|\bsincosf\b|"
    r"\b__(?:expf|logf|sinf|cosf|powf|fdividef|ldg|shfl\w*|ballot\w*|any_sync|all_sync|syncwarp|threadfence)\b"
)

AXES = {"x": 0, "y": 1, "z": 2}

CUDA_KERNEL = r"\b__global__"

CUDA_WORDS: dict[str, str] = {
    r"^[ \t]*#[ \t]*include[ \t]*<cuda_(?:fp16|bf16)\.h>[ \t]*$": "",
    r"\b__half\b": "half",
    r"\b__nv_bfloat16\b": "bfloat16_t",
    r"\b__half2float\b": "half_to_float",
    r"\b__float2half(?:_rn)?\b": "float_to_half",
    r"\b__bfloat162float\b": "bfloat16_to_float",
    r"\b__float2bfloat16(?:_rn)?\b": "float_to_bfloat16",
    r"\batomicAdd\b": "ATOMIC_ADD",
    r"\batomicExch\b": "ATOMIC_XCHG",
    r"\b__launch_bounds__\s*\([^)]*\)": "",
    r"__syncthreads\s*\(\s*\)": "BARRIER",
    r"\b__shared__\b": "LOCAL",
    r"\b(?:__align__|alignas)\s*(\([^()]*\))": r"__attribute__((aligned\1))",
    r"\b__restrict__\b|\b__restrict\b": "",
    r"\b__(?:forceinline|noinline|inline)__\b": "",
    r"\b(?:static\s+)?__device__\b(?:\s*\binline\b)?": "FN",
    r'\bextern\s*"C"': "",
    **{rf"\bthreadIdx\s*\.\s*{letter}\b": f"LID_{axis}" for letter, axis in AXES.items()},
    **{rf"\bblockIdx\s*\.\s*{letter}\b": f"GID_{axis}" for letter, axis in AXES.items()},
    **{rf"\bblockDim\s*\.\s*{letter}\b": f"LDIM_{axis}" for letter, axis in AXES.items()},
    **{rf"\bgridDim\s*\.\s*{letter}\b": f"GDIM_{axis}" for letter, axis in AXES.items()},
}
