"""Words of OpenCL C in users' kernels, as regular expressions, and their translations into the dialect."""

from __future__ import annotations

OPENCL_KERNEL = r"\b_*kernel\b(?:\s*__attribute__\s*\(\(.*?\)\)(?=\s*void))?"

OPENCL_WORDS: dict[str, str] = {
    r"\bbarrier\s*\([^)]*\)": "BARRIER",
    r"\b__global\b|\bglobal\b(?=\s+\w[\w\s]*\*)": "GLOBAL",
    r"\b__local\b|\blocal\b(?=\s+\w[\w\s]*[\w*])": "LOCAL",
    r"\b__private\b|\brestrict\b": "",
    r"^[ \t]*#[ \t]*pragma[ \t]+OPENCL[ \t]+EXTENSION[ \t]+cl_khr_(?:fp16|fp64)\b[^\n]*$": "",
    r"\bvload_half\b": "load_half",
    r"\bvstore_half(?:_rte)?\b": "store_half",
    r"\batomic_add\b": "ATOMIC_ADD",
    r"\batomic_xchg\b": "ATOMIC_XCHG",
    **{
        rf"\b{word}\s*\(\s*{axis}\s*\)": text.format(axis)
        for axis in range(3)
        for word, text in {
            "get_local_id": "LID_{0}",
            "get_group_id": "GID_{0}",
            "get_local_size": "LDIM_{0}",
            "get_num_groups": "GDIM_{0}",
            "get_global_id": "(GID_{0} * LDIM_{0} + LID_{0})",
            "get_global_size": "(GDIM_{0} * LDIM_{0})",
        }.items()
    },
}
