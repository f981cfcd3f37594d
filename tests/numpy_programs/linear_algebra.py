# The singular value decomposition of an image, systems of equations, a pole held by cables.
# Compared by dtype and shape only: u, vt, channel_u, channel_vt, vectors, q, r
import numpy as np

rows, columns = np.ogrid[0:24, 0:32]
picture = np.stack([np.sin(rows / 4) * np.cos(columns / 7), rows * columns / 700, (rows + columns) % 9 / 9.0], axis=-1)
picture -= picture.min()
picture /= picture.max()
print(picture.shape, picture.dtype, picture.ndim)
gray = picture @ [0.2126, 0.7152, 0.0722]
u, s, vt = np.linalg.svd(gray)
sigma = np.zeros((u.shape[1], vt.shape[0]))
np.fill_diagonal(sigma, s)
error = np.linalg.norm(gray - u @ sigma @ vt)
is_close = np.allclose(gray, u @ sigma @ vt)
k = 5
approximation = u @ sigma[:, :k] @ vt[:k, :]
remaining = np.linalg.norm(gray - approximation) / np.linalg.norm(gray)
print(f"with {k} of {len(s)} values: {remaining:.4f}")
channels = np.transpose(picture, (2, 0, 1))
channel_u, channel_s, channel_vt = np.linalg.svd(channels, full_matrices=False)
rebuilt = (channel_u * channel_s[..., None, :]) @ channel_vt
close_again = np.allclose(np.transpose(rebuilt, (1, 2, 0)), picture)
rank = np.linalg.matrix_rank(gray, tol=1e-9)
a = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, -1.0], [0.0, -1.0, 4.0]])
b = np.array([9.0, 8.0, 3.0])
x = np.linalg.solve(a, b)
check = np.dot(a, x)
inverse = np.linalg.inv(a)
unit = inverse @ a
determinant = np.linalg.det(a)
eigenvalues, vectors = np.linalg.eigh(a)
residual = np.abs(a @ vectors - vectors * eigenvalues).max() < 1e-12
general = np.sort(np.linalg.eigvals(a))
lower = np.linalg.cholesky(a)
q, r = np.linalg.qr(np.vander([1.0, 2.0, 3.0, 4.0], 3))
orthogonal = np.round(q.T @ q, 10) + 0.0
pseudo = np.linalg.pinv(np.vander([1.0, 2.0, 3.0, 4.0], 3))
condition = np.linalg.cond(a)
cube = np.linalg.matrix_power([[1, 1], [1, 0]], 10)
line = np.c_[np.ones(5), np.arange(5)]
solution, residuals, matrix_rank, singular = np.linalg.lstsq(line, [1, 3, 5, 7, 9.5], rcond=None)
try:
    np.linalg.inv(np.ones((2, 2)))
    message = "invertible"
except np.linalg.LinAlgError as failure:
    message = str(failure)
upper = np.triu(a) + np.tril(np.ones((3, 3), dtype=int), -1)
trace = np.trace(a)
diagonal = np.diag([1, 2, 3])
force_a = np.array([1, 1, 0])
force_b = np.array([-1, 2.5, 0])
resultant = -(force_a + force_b)
balance = force_a + force_b + resultant
direction = np.array([3.0, 4.0, 12.0])
unit_vector = direction / np.linalg.norm(direction)
tension = 26 * unit_vector
moment = np.cross([0, 0, 5], tension)
reactions = np.zeros((2, 3))
reactions[0] -= tension
reactions[1] = -moment
print("reaction force:", reactions[0], "moment:", reactions[1])
arms = np.array([[1, 0, 0], [0, 2, 0], [0, 0, 3]])
moments = np.cross(arms, [1, 1, 1])
parallel = np.allclose(np.cross(unit_vector, direction), 0)
angle = np.degrees(np.arccos(np.dot(force_a, [1, 0, 0]) / np.sqrt(2)))
outer = np.outer(unit_vector, unit_vector)
batch = np.linalg.solve(np.stack([a, 2 * a]), np.stack([b, b])[..., None])
dots = np.vdot([1 + 2j, 3], [1j, 2])
chain = np.linalg.multi_dot([a, inverse, b])
sign, logdet = np.linalg.slogdet(a)
frobenius = np.linalg.norm(a, "fro")
one_norm = np.linalg.norm(a, ord=1)
