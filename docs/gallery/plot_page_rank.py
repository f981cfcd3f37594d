"""
PageRank
========

Which pages of a small web are important? Those to which important pages link. The ranks are the limit of repeated
products of a matrix and a vector.
"""

import matplotlib.pyplot as plt
import numpy as np

import arrayapi_gpu as xp


def page_rank(links, steps=50, follow=0.85):
    """Return the rank of each page; ``links[i, j]`` is 1 where page j links to page i."""
    moves = links / xp.maximum(xp.sum(links, axis=0), 1.0)
    rank = xp.full_like(links[:, 0], 1 / links.shape[0])
    for _ in range(steps):
        rank = follow * (moves @ rank)
        rank = rank + (1 - xp.sum(rank)) / links.shape[0]
    return rank


# %%
# A web that grew page by page: a new page links to six pages, more likely to those that have many links.

rng = np.random.default_rng(5)
pages, host = 800, np.zeros((800, 800))
for page in range(6, pages):
    weights = 1 + host[:page].sum(axis=1)
    host[rng.choice(page, 6, replace=False, p=weights / weights.sum()), page] = 1
links = xp.asarray(host)

rank = page_rank(links)

plt.figure(figsize=(7, 4.5))
plt.loglog(1 + xp.sum(links, axis=1), rank * pages, ".", color="tab:blue", alpha=0.4)
plt.loglog(1 + xp.sum(links[:5, :], axis=1), rank[:5] * pages, "o", color="tab:red", label="the five oldest pages")
plt.xlabel("links to a page, and one")
plt.ylabel("rank, as a multiple of the mean")
plt.legend()
plt.show()

# %%
# The best pages, by their numbers:

print(xp.flip(xp.argsort(rank))[:8])

# %%
# Products of matrices are launches of their own; the arithmetic around them is fused.

print(xp.explain(page_rank(links, steps=1)))

# %%
print(xp.benchmark(page_rank, links))
