"""How it is computed: one file a kernel, host half and device half together."""
