"""Runs the official test suite of the array API standard on every device and reports the results.

`python -m conformance --help`. plugin.py runs inside the suite's pytest, suite.py starts it,
report.py turns the records into REPORT.md, report.json, report.html and badge.svg.
"""
