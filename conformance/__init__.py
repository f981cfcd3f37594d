"""Runs the official test suite of the array API standard on every device and reports the results.

`python -m conformance --help`. plugin.py runs inside the suite's pytest, suite.py starts it,
report.py turns the records into REPORT.md, report.json, report.html and badge.svg.
"""

# The settings with which kernels compute all values. Otherwise NumPy computes small arrays, and loops or kernels of
# single operations compute what the compiler has not finished, so a tool would say nothing of the kernel.
BY_KERNELS = {"small_on_host": False, "wait_for_compiler": True}
# The same settings for processes, which read them from their environment.
VARIABLES = {f"ARRAYAPI_GPU_{name.upper()}": str(int(value)) for name, value in BY_KERNELS.items()}
