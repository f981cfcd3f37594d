# Making arrays, shapes, indexing and slicing, reductions, printing.
import numpy as np

a = np.array([1, 2, 3, 4, 5, 6])
b = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])
print(a[0], b[1, 2], b[-1][0])
description = (b.ndim, b.shape, b.size, b.dtype, b.itemsize, b.nbytes)
zeros = np.zeros(2)
ones = np.ones((2, 3), dtype=np.int64)
evens = np.arange(2, 9, 2)
fifths = np.linspace(0, 10, num=5)
empty_shape = np.empty((3, 2), dtype=float).shape
identity = np.eye(3)
sevens = np.full((2, 2), 7)
unsorted = np.array([2, 1, 5, 3, 7, 4, 6, 8])
ordered = np.sort(unsorted)
joined = np.concatenate((a, evens))
column = a[:, np.newaxis]
row = np.expand_dims(a, axis=0)
print(column.shape, row.shape)
table = np.arange(6).reshape(3, 2)
in_fortran_order = np.reshape(a, (2, 3), order="F")
below_five = b[b < 5]
middle = b[(b > 2) & (b < 11)]
is_large = (b > 5) | (b == 5)
where_small = np.nonzero(b < 5)
coordinates = list(zip(where_small[0].tolist(), where_small[1].tolist(), strict=True))
top = b[0, :]
top[0] = 99
print(b)
own = b.copy()
own[:, 0] = 0
stacked = np.vstack((a, a * 2))
side_by_side = np.hstack([ones, table.T])
halves = np.hsplit(b, 2)
total = a.sum()
by_column = b.sum(axis=0)
by_row = b.sum(1)
extremes = (b.min(), b.max(), b.mean(), b.std())
print("sum", total, "of", a)
lowest_by_column = b.min(axis=0)
values, index, counts = np.unique([11, 11, 12, 13, 14, 15, 16, 17, 12, 13, 11], return_index=True, return_counts=True)
turned = np.flip(b)
b[1] = np.flip(b[1])
flat = b.flatten()
ravelled = b.ravel()
ravelled[-1] = -1
for element in b.flat:
    flat[0] += element
squares = a**2
ratio = a / 4
a += 10
mixed = a + np.array([0.5] * 6)
as_integers = mixed.astype(int)
x, y = np.mgrid[0:3, 0:5]
ramp = np.fromfunction(lambda i, j: 10 * i + j, (4, 3), dtype=int)
ramp[1:3, ::2] = [[-1, -2], [-3, -4]]
picked = ramp[[0, 2, 3], [1, 0, 2]]
grid = ramp[np.ix_([0, 3], [0, 2])]
last_column = ramp[..., -1]
every_other = ramp[np.s_[::2, 1:]]
ramp[ramp < 0] = 0
best = ramp.argmax(axis=0)
print(ramp, best, sep="\n")
