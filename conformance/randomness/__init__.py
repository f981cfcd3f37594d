"""The quality of random numbers: a battery on the raw stream, and every distribution against SciPy's.

`python -m conformance.randomness --help`.
"""
