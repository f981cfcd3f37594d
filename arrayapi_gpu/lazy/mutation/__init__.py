"""Writing into arrays.

`writes` assigns, and first computes the values that read the old elements. `scatters` writes to computed places,
`user_kernels` has users' kernels, which may write, and `iteration` gives elements one by one, as they were before a
write. The room imports all other rooms of `lazy`.
"""
