"""The reliability campaign: what must never happen, tried many times.

`python -m conformance.campaign --help`. Each row of the table in rows.py is one claim, such as "no random program
differs from NumPy's result"; a row has a module of its own. A row makes its cases from a seed, so each case can be made
again. row.py has what the rows have in common.
"""
