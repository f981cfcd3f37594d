# A network of two layers on small pictures of digits, made by formulas; draws are compared by statistics.
# Compared by dtype and shape only: rng, noise, drawn_weights, shuffled, legacy, dropped, batch_order, uniform
import numpy as np

pixels = 36
classes = 4
samples = 80
labels = np.arange(samples) % classes
grid_y, grid_x = np.indices((6, 6))
strokes = np.stack([grid_x == 2, grid_y == 3, grid_x == grid_y, grid_x + grid_y == 5]).astype(np.float64)
images = strokes[labels] * (0.6 + 0.4 * np.cos(np.arange(samples))[:, None, None] ** 2)
rng = np.random.default_rng(0)
noise = rng.normal(0, 0.1, size=images.shape)
noise_is_small = (abs(noise.mean()) < 0.02, abs(noise.std() - 0.1) < 0.02)
images += 0.05 * np.sin(np.arange(images.size)).reshape(images.shape)
np.clip(images, 0, 1, out=images)
x = images.reshape(-1, pixels)
print("pictures:", x.shape, "labels:", np.bincount(labels))
training, test = x[:60], x[60:]
training_labels, test_labels = labels[:60], labels[60:]


def one_hot_encoding(numbers, dimension=4):
    one_hot = numbers[..., None] == np.arange(dimension)[None]
    return one_hot.astype(np.float64)


targets = one_hot_encoding(training_labels)
print(targets[:4])
by_eye = np.eye(classes)[training_labels]
equal = (targets == by_eye).all()
drawn_weights = 0.2 * rng.random((pixels, 12)) - 0.1
weights_in_range = drawn_weights.min() >= -0.1 and drawn_weights.max() < 0.1
weights_1 = 0.2 * np.sin(np.arange(pixels * 12) * 1.7).reshape(pixels, 12)
weights_2 = 0.2 * np.cos(np.arange(12 * classes) * 2.3).reshape((12, classes))
bias = np.zeros(classes)


def relu(v):
    return (v >= 0) * v


def relu_to_derivative(v):
    return v >= 0


def softmax(v):
    e = np.exp(v - v.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


hidden = relu(training @ weights_1)
active = np.count_nonzero(hidden, axis=0)
scores = hidden.dot(weights_2) + bias
probabilities = softmax(scores)
row_sums = probabilities.sum(-1)
loss = -np.log(probabilities[np.arange(len(training)), training_labels]).mean()
accuracy = (probabilities.argmax(1) == training_labels).mean()
print(f"before: loss {loss:.4f}, accuracy {accuracy:.2f}")
delta_2 = (probabilities - targets) / len(training)
delta_1 = delta_2.dot(weights_2.T) * relu_to_derivative(hidden)
gradient_2 = hidden.T @ delta_2
gradient_1 = np.dot(training.T, delta_1)
weights_2 -= 0.5 * gradient_2
weights_1 -= 0.5 * gradient_1
bias -= 0.5 * delta_2.sum(axis=0)
losses = []
for _ in range(60):
    hidden = np.maximum(training @ weights_1, 0)
    probabilities = softmax(hidden @ weights_2 + bias)
    losses.append(float(-np.sum(targets * np.log(probabilities)) / len(training)))
    delta = (probabilities - targets) / len(training)
    back = delta @ weights_2.T
    back[hidden <= 0] = 0
    weights_2 -= 0.5 * hidden.T @ delta
    weights_1 -= 0.5 * training.T @ back
    bias -= 0.5 * np.sum(delta, 0)
falling = bool(np.all(np.diff(losses[:20]) < 0))
predicted = np.argmax(relu(test @ weights_1) @ weights_2 + bias, axis=1)
confusion = np.zeros((classes, classes), dtype=int)
np.add.at(confusion, (test_labels, predicted), 1)
hits = np.trace(confusion) / confusion.sum()
print(confusion)
print(f"after: loss {losses[-1]:.4f}, right {hits:.0%}")
mistakes = np.where(predicted != test_labels)[0]
half = training.astype(np.float32) @ weights_1.astype(np.float32)
sigmoid = 1 / (1 + np.exp(-half))
slope = sigmoid * (1 - sigmoid)
hyperbolic = np.tanh(half, dtype=np.float32)
shuffled = rng.permutation(samples)
all_there = np.array_equal(np.sort(shuffled), np.arange(samples))
batch_order = rng.choice(samples, size=16, replace=False)
no_repeats = np.unique(batch_order).size
np.random.seed(1)
legacy = np.random.rand(5, 3)
dropped = np.random.randint(2, size=hidden.shape)
kept_share = round(float(dropped.mean()), 1)
uniform = np.random.uniform(-1, 1, (100, 2))
bounds = np.all((uniform >= -1) & (uniform < 1))
mean_picture = training.mean(axis=0).reshape(6, 6)
normalised = (training - training.mean(0)) / (training.std(0) + 1e-8)
norm = np.sqrt((weights_1**2).sum() + np.square(weights_2).sum())
flat_weights = np.concatenate([weights_1.ravel(), weights_2.ravel(), bias])
recovered = np.split(flat_weights, [weights_1.size, weights_1.size + weights_2.size])[2]
