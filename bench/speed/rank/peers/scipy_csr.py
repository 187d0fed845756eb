"""PageRank with SciPy: a sparse matrix in single precision, times a vector."""

import json
import sys
import time

import numpy as np
from scipy.sparse import csr_matrix

path, out, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
started = time.perf_counter()
sources, targets = np.load(path)
size = int(max(sources.max(), targets.max())) + 1
matrix = csr_matrix((np.ones(len(sources), np.float32), (targets, sources)), (size, size))
degrees = np.bincount(sources, minlength=size)
del sources, targets
share = np.divide(0.85, degrees, where=degrees > 0, out=np.zeros(size)).astype(np.float32)
sinks = degrees == 0
built = time.perf_counter()
ranks = np.full(size, 1 / size)
for _ in range(rounds):
    flow = matrix @ (ranks * share).astype(np.float32)
    ranks = flow + (0.15 + 0.85 * ranks[sinks].sum()) / size
done = time.perf_counter()
np.save(out, ranks)
print(json.dumps({"build": built - started, "iterate": done - built}))
