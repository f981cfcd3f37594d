"""Writing into arrays.

`writes` assigns, and computes first what reads the old values. `scatters` writes to computed places, `user_kernels`
runs kernels of users that write, and `iteration` gives elements one by one, as they were before a write. It imports
all of the rooms of `lazy`.
"""
