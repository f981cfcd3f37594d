"""The lazy engine. Its rooms, each of which imports from those before it: `graph`, `plan`, `run`, `build`,
`out_of_core`, `mutation`. `api` comes through `build` for new values, `run` for values in memory, and `mutation` for
writes.
"""
