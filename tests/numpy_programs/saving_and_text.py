# Saving and loading, bytes, numbers as text, strings in arrays.
# Compared by dtype and shape only: folder
import numpy as np
import io
import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp())
x = np.linspace(-1, 1, 9)
y = np.exp(-(x**2))
np.save(folder / "x.npy", x)
loaded = np.load(folder / "x.npy")
np.savez(folder / "both.npz", x=x, y_axis=y)
with np.load(folder / "both.npz") as archive:
    names = sorted(archive.files)
    y_again = archive["y_axis"]
same = (y == y_again).all()
np.savez_compressed(folder / "small", np.arange(5), mask=x > 0)
small = np.load(folder / "small.npz")
first = small["arr_0"]
mask = small["mask"]
small.close()
pairs = np.column_stack([x, y])
np.savetxt(folder / "pairs.csv", pairs, fmt="%.4f", delimiter=",", header="x,y", comments="")
text = (folder / "pairs.csv").read_text()
print(text)
from_text = np.loadtxt(folder / "pairs.csv", delimiter=",", skiprows=1)
x_column, y_column = np.loadtxt(folder / "pairs.csv", delimiter=",", skiprows=1, unpack=True)
holes = np.genfromtxt(io.StringIO("1,2,3\n4,,6\n7,8,"), delimiter=",")
filled = np.genfromtxt(["1;2", ";4"], delimiter=";", filling_values=-1, dtype=int)
number_of_holes = np.isnan(holes).sum()
x.tofile(folder / "raw.bin")
raw = np.fromfile(folder / "raw.bin", dtype=np.float64)
size = (folder / "raw.bin").stat().st_size
data = np.arange(4, dtype=np.int16).tobytes()
view = np.frombuffer(data, dtype=np.int16)
as_bytes = np.array([1, 256], dtype="<u2").view(np.uint8)
mapped = np.load(folder / "x.npy", mmap_mode="r")[2:4].sum()
listed = x[:3].tolist()
item = y[4].item()
print(f"{item:.3f} {y[0]:8.5f} {np.pi:.4e} {x.size:03d}")
print("%.2f and %d" % (y.max(), y.argmax()))
np.set_printoptions(precision=3, suppress=True)
print(y * 1e-5)
print(np.array([1e10, np.nan, -np.inf]))
short = np.array2string(x, precision=2, separator=", ")
positional = np.format_float_positional(1e-7, trim="-")
scientific = np.format_float_scientific(np.float32(np.pi), precision=4)
with np.printoptions(precision=1, threshold=5):
    print(np.arange(20) / 3)
np.set_printoptions(precision=8, suppress=False)
shown = repr(np.array([1.5, 2], dtype=np.float32))
print(np.array([[True, False], [False, True]]))
print(np.float64(0.1) + np.float64(0.2), np.int64(7) // 2, np.bool_(True))
binary = np.binary_repr(10, width=8)
base = np.base_repr(255, 16)
words = np.array(["apple", "fig", "cherry"])
lengths = np.char.str_len(words)
shouted = np.char.upper(words)
longest = words[np.argmax(lengths)]
labels = np.char.add("n = ", np.arange(3).astype(str))
numbers = np.array(["1.5", "2", "-3e2"]).astype(float)
print(", ".join(f"{name}: {value:g}" for name, value in zip(words.tolist(), numbers, strict=True)))
points = np.array([(1, 2.5), (3, 4.5)], dtype=[("id", "i4"), ("weight", "f8")])
weights = points["weight"] * 2
points["id"][0] = 9
limits = (np.finfo(np.float32).eps, np.iinfo(np.int16).max, np.finfo(float).tiny)
kinds = (np.issubdtype(x.dtype, np.floating), np.result_type(np.int8, np.float32), np.can_cast(np.int64, np.int32))
packed = np.packbits([1, 0, 1, 0, 0, 0, 0, 1])
unpacked = np.unpackbits(packed)
dates = np.arange("2024-02-27", "2024-03-02", dtype="datetime64[D]")
step = np.datetime64("2024-03-01") - dates[0]
days = dates.astype(str).tolist()
