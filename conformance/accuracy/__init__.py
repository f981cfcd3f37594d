"""How accurate the functions of arrayapi_gpu are, on every device: `python -m conformance.accuracy --help`.

`operands` chooses arguments, `functions` knows the exact results, `meter` measures errors in ulps, `sums` does the same
for sums and matrix products, `report` writes it down.
"""
