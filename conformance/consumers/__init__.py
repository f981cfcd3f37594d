"""Runs what other libraries test with any namespace on our arrays, too, from their own installed test suites.

`python -m conformance consumers --help`. suites.py is the table of the libraries, plugin.py runs inside their pytest,
report.py counts.
"""
