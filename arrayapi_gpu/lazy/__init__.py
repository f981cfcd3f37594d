"""The lazy engine. Its rooms, which import only from earlier ones: `graph`, `plan`, `run`, `build`,
`out_of_core`, `mutation`. `api` comes through `build` for new values, `run` for values in memory, and `mutation` for
writes.
"""
